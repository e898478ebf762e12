"""What `ibgen simulate` works out: from a compiled spec and the options to results that can be written down.

Takes `Complete` and `Asked`. Gives `Answer`. What cannot be asked of this spec is `Refused` with what could be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ibgen.cli.exits import Refused
from ibgen.cli.simulate_scaling import scalings
from ibgen.cli.simulate_scope import Scope, allowed, line_of, place_of, scopes
from ibgen.compilation import Complete
from ibgen.diagnostics import Finding, Report, locate
from ibgen.render.simulation import Simulated, matching, only, patterns_of
from ibgen.route import NotRouted, Routes, arriving, compute, graph, read_dump
from ibgen.simulate.chain import chain_steps
from ibgen.simulate.degraded import degraded
from ibgen.simulate.failures import fail, sweep
from ibgen.simulate.link_loads import LinkLoads, link_loads, patterns
from ibgen.simulate.parts import find_parts
from ibgen.simulate.predicted import compared
from ibgen.simulate.study import Options, Study, study

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
    slow: tuple[tuple[str, float], ...] = ()  # parts and the Gb/s they have left
    order: tuple[str, ...] = ()  # hosts in rank order


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


def slowed(c: Complete, texts: Sequence[tuple[str, float]]) -> Complete:
    """The cluster with some cables below their rate; the chain is counted anew."""
    fabric = c.fabric
    if not texts:
        return c
    for text, gbps in texts:
        parts, unknown = find_parts(fabric, (text,))
        if unknown:
            near = f"did you mean {' or '.join(unknown[0].near)}?" if unknown[0].near else "`ibgen show cables` lists them"
            raise Refused(unknown[0].message, near)
        fabric = degraded(fabric, parts, gbps)
    steps = tuple(step for s in fabric.subnets for step in chain_steps(s, fabric, c.simulation.slots))
    return replace(c, fabric=fabric, simulation=replace(c.simulation, steps=steps))


def answer(c: Complete, asked: Asked, progress: Progress) -> Answer:
    """Studies, or link loads, or a failure, or a sweep, as the options say."""
    c = slowed(c, asked.slow)
    found = scopes(c, asked.fabric, asked.fail)
    routes, report = _routes(c, asked, found, progress)
    options = Options(seed=asked.seed, patterns=asked.count, order=asked.order, progress=progress)
    names = [s.name for s in c.fabric.subnets]
    result = Simulated(
        c.spec.cluster, tuple(p.name for p in c.spec.pools), tuple(w.name for w in c.spec.workloads),
        c.spec.requirements.exposed_communication, c.simulation.steps, allowed=allowed(c),
        alike=tuple((names[s.row], tuple(names[row] for row in s.rows[1:])) for s in found),
        parts=tuple((names[s.row], part.name, place_of(c, part)) for s in found for part in s.parts),
        slow=asked.slow,
    )  # fmt: skip
    if asked.sweep is not None:
        sweeps = [sweep(c.spec, c.fabric, s.row, asked.sweep, options, routes.get(s.row)) for s in found]
        return Answer(replace(result, sweeps=tuple(sweeps)), report)
    if asked.form == "csv":
        return Answer(result, report, _loads(c, asked, found, routes))
    if asked.fail and asked.form != "svg":
        gone = {row: s.gone for s in found for row in s.rows if s.gone is not None}
        failures = [
            fail(c.spec, c.fabric, s.row, s.parts, options, routes.get(s.row), gone=gone, alike=s.rows[1:]) for s in found
        ]
        return Answer(replace(result, failures=tuple(failures)), report)
    studies = [study(c.spec, c.fabric, c.targets, c.catalog, s.row, routes.get(s.row), options, without=s.gone) for s in found]
    paths = {w.meeting.path for s in studies for w in s.worst if w.meeting is not None}
    lines = tuple((path, line_of(c, path)) for path in sorted(paths, key=str))
    scaling = tuple(scalings(c, progress))
    return Answer(replace(result, studies=_selected(studies, asked.patterns), scaling=scaling, lines=lines), report)


def _routes(c: Complete, asked: Asked, found: Sequence[Scope], progress: Progress) -> tuple[dict[int, Routes], Report]:
    """Tables that stand in for the spec's, by subnet; and what reading them found."""
    if asked.tables is not None:
        return _imported(c, asked.tables, found)
    made: dict[int, Routes] = {}
    rows = [row for s in found for row in (s.rows if asked.form == "csv" else (s.row,))]
    for row in rows if asked.engine is not None else ():
        subnet = c.fabric.subnets[row]
        progress(f"routing {subnet.name} with {asked.engine}")
        try:
            made[row] = compute(graph(subnet), str(asked.engine), _roots(c, row))
        except NotRouted as why:
            raise Refused(f"{asked.engine} cannot route {subnet.name}: {why}", "try minhop, which routes anything") from None
    return made, Report()


def _roots(c: Complete, row: int) -> Sequence[int] | None:
    """The root list that the spec's manager is given; None where it has none."""
    manager = next((m for m in c.targets.opensm if m.subnet == row and len(m.roots)), None)
    return manager.roots.tolist() if manager is not None else None


def _imported(c: Complete, dump: Path, found: Sequence[Scope]) -> tuple[dict[int, Routes], Report]:
    rows = [row for s in found for row in s.rows]
    if len(rows) > 1:
        names = ", ".join(c.fabric.subnets[row].name for row in rows)
        raise Refused("a dump holds the tables of one subnet", f"say which: --fabric one of {names}")
    subnet = c.fabric.subnets[rows[0]]
    imported, findings = read_dump(dump.read_bytes(), graph(subnet), str(dump))
    if not (imported.routes.lft != imported.routes.none).any():
        raise Refused(f"{dump} holds no forwarding table of {subnet.name}", "is it a dump of another fabric, or unbound?")
    routes, more = arriving(imported.routes, str(dump))
    more += compared(routes, c.spec, subnet, _roots(c, rows[0]), str(dump))
    return {rows[0]: routes}, _report(c, findings + more)


def _report(c: Complete, findings: tuple[Finding, ...]) -> Report:
    return locate(findings, c.document.span)


def _loads(c: Complete, asked: Asked, found: Sequence[Scope], routes: dict[int, Routes]) -> tuple[LinkLoads, ...]:
    """Of the patterns that `--pattern` names, else of the permutation; all links of every subnet, alike or not."""
    known: dict[str, None] = {}
    for s in found:
        subnet = c.fabric.subnets[s.row]
        if s.row not in routes and c.spec.fabrics[subnet.fabric].kind == "roce":
            hint = "--format json has the mean over their hashes; --engine minhop lays each on one way"
            raise Refused("flows on Ethernet take one of many equal ways: no link has one load", hint)
        known |= dict.fromkeys(patterns(c.spec, c.fabric, subnet, graph(subnet, s.gone), asked.seed))
    names = _named(asked.patterns, list(known)) or ["permutation"]
    return tuple(
        loads for s in found for row in s.rows
        for loads in link_loads(c.spec, c.fabric, c.targets, row, names, asked.seed, routes.get(row), s.gone)
    )  # fmt: skip


def _selected(studies: Sequence[Study], asked: Sequence[str]) -> tuple[Study, ...]:
    """The studies with the patterns that `--pattern` names."""
    if not asked:
        return tuple(studies)
    kept = _named(asked, patterns_of(studies))
    return tuple(only(s, kept) for s in studies)


def _named(asked: Sequence[str], known: Sequence[str]) -> list[str]:
    """The patterns that words of the command line mean, each once, in the order asked."""
    kept: dict[str, None] = {}
    for word in asked:
        names = matching(word, known)
        if not names:
            raise Refused(f"there is no pattern `{word}`", f"the patterns are {'; '.join(known)}")
        kept |= dict.fromkeys(names)
    return list(kept)
