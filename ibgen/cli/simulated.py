"""What `ibgen simulate` works out: from a compiled spec and the options to results that can be written down.

Takes `Complete` and `Asked`. Gives `Answer`. What cannot be asked of this spec is `Refused` with what could be.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ibgen.cli.exits import Refused
from ibgen.compilation import Complete
from ibgen.diagnostics import Finding, Report, locate
from ibgen.render.simulation import Scaling, Simulated, matching, only, patterns_of
from ibgen.route import NotRouted, Removed, Routes, compute, graph, read_dump
from ibgen.simulate.failures import FailureStudy, fail, sweep
from ibgen.simulate.link_loads import PATTERNS, LinkLoads, link_loads
from ibgen.simulate.parts import Part, find_parts
from ibgen.simulate.study import Options, Study, study
from ibgen.spec import Workload

Progress = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of the verb."""

    fabric: str | None
    engine: str | None
    tables: Path | None
    patterns: tuple[str, ...]
    fail: tuple[str, ...]
    sweep: Literal["cables", "switches"] | None
    seed: int
    count: int
    form: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The results, and what reading a dump of tables found."""

    result: Simulated
    report: Report
    loads: tuple[LinkLoads, ...] = ()

    def text(self, form: str, color: bool = False) -> str:
        """As text, json, csv or svg."""
        if form == "json":
            from ibgen.render.simulation_json import simulation_json

            return simulation_json(self.result)
        if form == "csv":
            from ibgen.render.simulation_csv import loads_csv, sweep_csv

            return sweep_csv(self.result.sweeps) if self.result.sweeps else loads_csv(self.loads)
        if form == "svg":
            from ibgen.render.plots import plots_svg

            return plots_svg(self.result)
        from ibgen.render.simulation_text import simulation_text

        return simulation_text(self.result, color=color)


def answer(c: Complete, asked: Asked, progress: Progress) -> Answer:
    """Studies, or link loads, or a failure, or a sweep, as the options say."""
    chosen = _chosen(c, asked.fabric)
    parts = _found(c, asked, chosen)
    if parts and asked.fabric is None:
        chosen = tuple(sorted({p.subnet for p in parts}))
    routes, report = _routes(c, asked, chosen, progress)
    options = Options(seed=asked.seed, patterns=asked.count, progress=progress)
    result = Simulated(
        c.spec.cluster, tuple(p.name for p in c.spec.pools), tuple(w.name for w in c.spec.workloads),
        c.spec.requirements.exposed_communication, c.simulation.steps, alike=_alike(c, chosen),
    )  # fmt: skip
    gone = {row: _removed([p for p in parts if p.subnet == row]) for row in chosen} if parts else {}
    if asked.sweep is not None:
        sweeps = [sweep(c.spec, c.fabric, row, asked.sweep, options, routes.get(row)) for row in chosen]
        return Answer(replace(result, sweeps=tuple(sweeps)), report)
    if asked.form == "csv":
        return Answer(result, report, tuple(_loads(c, asked, row, routes.get(row), gone.get(row)) for row in chosen))
    if parts and asked.form != "svg":
        failures = tuple(_failure(c, row, parts, options, routes.get(row)) for row in chosen)
        return Answer(replace(result, failures=failures), report)
    studies = [
        study(c.spec, c.fabric, c.targets, c.catalog, row, routes.get(row), options, without=gone.get(row)) for row in chosen
    ]
    scaling = () if asked.form == "text" else tuple(_scaling(c, progress))
    return Answer(replace(result, studies=_selected(studies, asked.patterns), scaling=scaling), report)


def _chosen(c: Complete, name: str | None) -> tuple[int, ...]:
    """Rows of the subnets that are simulated: of every fabric the first, or what `--fabric` names."""
    subnets = c.fabric.subnets
    if not subnets:
        raise Refused(
            "no fabric of this spec has links that could be simulated",
            "the links of an opaque fabric are the provider's own; `ibgen check` judges what is known of its hosts",
        )
    if name is None:
        first = {s.fabric: row for row, s in reversed(list(enumerate(subnets)))}
        return tuple(first[fabric] for fabric in sorted(first))
    for row, s in enumerate(subnets):
        if name in (s.name, c.spec.fabrics[s.fabric].name):
            return (row,)
    if any(f.name == name for f in c.spec.fabrics):
        raise Refused(f"the links of `{name}` are the provider's own", "simulate a fabric with switches")
    known = list(dict.fromkeys(n for s in subnets for n in (c.spec.fabrics[s.fabric].name, s.name)))
    near = difflib.get_close_matches(name, known, n=1) or known[:1]
    raise Refused(f"the spec has no fabric `{name}`", f"did you mean {near[0]}?")


def _alike(c: Complete, chosen: Sequence[int]) -> tuple[tuple[str, int], ...]:
    subnets = c.fabric.subnets
    return tuple((subnets[row].name, len(c.fabric.of(subnets[row].fabric)) - 1) for row in chosen)


def _found(c: Complete, asked: Asked, chosen: Sequence[int]) -> tuple[Part, ...]:
    """The parts that `--fail` names; all that are unknown are refused at once."""
    if not asked.fail:
        return ()
    parts, unknown = find_parts(c.fabric, asked.fail, chosen[0] if asked.fabric is not None else None)
    if unknown:
        near = [f"did you mean {' or '.join(u.near)}?" for u in unknown if u.near]
        raise Refused("; ".join(u.message for u in unknown), " ".join(dict.fromkeys(near)) or "`ibgen show cables` lists them")
    return parts


def _removed(parts: Sequence[Part]) -> Removed:
    rows = [p.removed for p in parts]
    return Removed(
        tuple(sorted({x for r in rows for x in r.switches})),
        tuple(sorted({x for r in rows for x in r.cables})),
        tuple(sorted({x for r in rows for x in r.endpoints})),
    )


def _routes(c: Complete, asked: Asked, chosen: Sequence[int], progress: Progress) -> tuple[dict[int, Routes], Report]:
    """Tables that stand in for the spec's, by subnet; and what reading them found."""
    if asked.tables is not None:
        return _imported(c, asked.tables, chosen)
    found: dict[int, Routes] = {}
    for row in chosen if asked.engine is not None else ():
        subnet = c.fabric.subnets[row]
        progress(f"routing {subnet.name} with {asked.engine}")
        try:
            found[row] = compute(graph(subnet), str(asked.engine), _roots(c, row))
        except NotRouted as why:
            raise Refused(f"{asked.engine} cannot route {subnet.name}: {why}", "try minhop, which routes anything") from None
    return found, Report()


def _roots(c: Complete, row: int) -> Sequence[int] | None:
    """The root list that the spec's manager is given; None where it has none."""
    manager = next((m for m in c.targets.opensm if m.subnet == row and len(m.roots)), None)
    return manager.roots.tolist() if manager is not None else None


def _imported(c: Complete, dump: Path, chosen: Sequence[int]) -> tuple[dict[int, Routes], Report]:
    if len(chosen) > 1:
        names = ", ".join(c.fabric.subnets[row].name for row in chosen)
        raise Refused("a dump holds the tables of one subnet", f"say which: --fabric one of {names}")
    subnet = c.fabric.subnets[chosen[0]]
    imported, findings = read_dump(dump.read_bytes(), graph(subnet), str(dump))
    if not (imported.routes.lft != imported.routes.none).any():
        raise Refused(f"{dump} holds no forwarding table of {subnet.name}", "is it a dump of another fabric, or unbound?")
    return {chosen[0]: imported.routes}, _report(c, findings)


def _report(c: Complete, findings: tuple[Finding, ...]) -> Report:
    return locate(findings, c.document.span)


def _failure(c: Complete, row: int, parts: tuple[Part, ...], options: Options, routes: Routes | None) -> FailureStudy:
    return fail(c.spec, c.fabric, row, [p for p in parts if p.subnet == row], options, routes)


def _loads(c: Complete, asked: Asked, row: int, routes: Routes | None, gone: Removed | None) -> LinkLoads:
    if routes is None and c.spec.fabrics[c.fabric.subnets[row].fabric].kind == "roce":
        hint = "--format json has the mean over their hashes; --engine minhop lays each on one way"
        raise Refused("flows on Ethernet take one of many equal ways: no link has one load", hint)
    names = [n for p in asked.patterns for n in matching(p, PATTERNS)]
    if asked.patterns and len(names) != 1:
        raise Refused("link loads are of one pattern", f"use --pattern {' or --pattern '.join(PATTERNS)}")
    return link_loads(c.spec, c.fabric, c.targets, row, names[0] if names else PATTERNS[0], asked.seed, routes, gone)


def _selected(studies: Sequence[Study], asked: Sequence[str]) -> tuple[Study, ...]:
    """The studies with the patterns that `--pattern` names."""
    if not asked:
        return tuple(studies)
    known = patterns_of(studies)
    kept: list[str] = []
    for word in asked:
        names = matching(word, known)
        if not names:
            raise Refused(f"there is no pattern `{word}`", f"the patterns are {'; '.join(known)}")
        kept += names
    return tuple(only(s, kept) for s in studies)


def _scaling(c: Complete, progress: Progress) -> Iterator[Scaling]:
    """Every workload that fits, on as many of its replicas as its batch divides over."""
    from ibgen.simulate.training import machine, run, scaling

    for outcome in run(c.spec, c.fabric, c.catalog):
        if outcome.step is None:
            continue
        workload = c.spec.workloads[outcome.row]
        progress(f"scaling {workload.name}")
        pools = [p for p, platform in enumerate(c.fabric.hosts.platforms) if platform.gpus]
        pool = next(p for p in pools if workload.pool in (None, c.spec.pools[p].name))
        platform = c.fabric.hosts.platforms[pool]
        version = _nccl(c)
        on = machine(platform, c.catalog, version, domain=c.spec.pools[pool].domain)
        if on is not None:
            yield Scaling(workload.name, scaling(workload, on, _nodes(workload, outcome.step.gpus, platform.gpus)))


def _nccl(c: Complete) -> str:
    from ibgen.simulate.collectives import DEFAULT_VERSION

    return c.spec.nccl.version if c.spec.nccl else DEFAULT_VERSION


MOST_POINTS = 16


def _nodes(w: Workload, gpus: int, per_host: int) -> list[int]:
    """Numbers of whole hosts that hold a number of replicas which divides the batch; thinned out evenly by ratio."""
    replica = w.tensor * w.pipeline * w.context
    batches = w.global_batch // w.micro_batch
    fits = [d * replica // per_host for d in range(1, gpus // replica + 1) if batches % d == 0 and d * replica % per_host == 0]
    if len(fits) <= MOST_POINTS:
        return fits
    return sorted({fits[round(i * (len(fits) - 1) / (MOST_POINTS - 1))] for i in range(MOST_POINTS)})
