"""A simulation for a person: the verdict on a first screen, then all figures, subnet by subnet.

Takes `Simulated`. Gives text. Every figure stands beside its pattern, model and unit; random ones beside seed and standard
error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .cells import table
from .failures_text import failure_text, sweep_text
from .plan_text import chain_table, rate
from .simulation import Scaling, Simulated, count, figure, percent, share, shown, wrapped
from .simulation_verdict import alike_text, alone_of, drawn, end, verdict
from .style import Paint, paint
from .traffic_text import pattern_table
from .training_text import collectives_text, training_text

if TYPE_CHECKING:
    from ibgen.simulate.order import OrderAdvice
    from ibgen.simulate.results import DetourResult, RateResult, Study


def simulation_text(result: Simulated, *, color: bool = False) -> str:
    """The verdicts of all subnets, then every one in detail; failures and sweeps; a blank line between two."""
    result, draw = shown(result), paint(color)
    slow = ", ".join(f"{name} at {rate(gbps)}" for name, gbps in result.slow)
    blocks = ["\n".join(wrapped("with", slow, indent=0, hang=5))] if slow else []
    blocks += ["\n".join(verdict(s, result, draw)) for s in result.studies]
    blocks += ["\n".join(_study(s, result, draw)) for s in result.studies]
    if sizes := [line for scaling in result.scaling for line in _scaling(scaling)]:
        blocks.append("\n".join([draw("dim", "the same batch on fewer GPUs, NCCL's tuning model at line rate"), *sizes]))
    blocks += ["\n".join(failure_text(f, draw, alike_text(f.subnet, result), result.parts)) for f in result.failures]
    blocks += ["\n".join(sweep_text(s, draw, alike_text(s.subnet, result))) for s in result.sweeps]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _study(s: Study, result: Simulated, draw: Paint) -> Iterator[str]:
    yield draw("strong", f"{s.subnet} in detail")
    yield from wrapped("tables", _tables(s))
    sections = (
        chain_table([step for step in result.chain if step.subnet == s.subnet], draw, s.halves),
        pattern_table(s.patterns, draw),
        list(_tiers(s, draw)),
        list(_rates(s.rates, draw)),
        list(_bounds(s, draw)),
        list(_detours(s.detours, draw)),
        list(_worst(s, draw)),
        list(_order(s.order)),
        collectives_text(s.collectives, s.ratings, result.pools, draw),
        training_text(s.training, result.workloads, result.exposed_limit, draw),
        [line for note in s.notes for line in wrapped("note", note)],
    )
    for section in sections:
        if section:
            yield ""
            yield from section


SHOWN_SIZES = 6


def _scaling(s: Scaling) -> list[str]:
    """A few sizes of a job, the smallest and the largest among them."""
    points = [p for p in s.points if p.step is not None]
    if len(points) < 2:
        return []
    last = len(points) - 1
    some = sorted({round(i * last / (SHOWN_SIZES - 1)) for i in range(SHOWN_SIZES)})
    said = [(points[i].gpus, points[i].step) for i in some]
    each = ", ".join(f"{gpus:,} GPUs {figure(x.step_s)} s (MFU {percent(x.mfu)})" for gpus, x in said if x is not None)
    return wrapped(f"{s.workload}:", each.replace(" %", "\xa0%"), hang=len(s.workload) + 2)


def _tiers(s: Study, draw: Paint) -> Iterator[str]:
    """How many links carry how many flows of the permutation, tier by tier; the plots have the all-to-all too."""
    tiers = [t for t in s.tiers if t.pattern == "permutation" and t.links]
    if not tiers:
        return
    yield "  " + draw("dim", f"links by flows on them, {alone_of('permutation', s).rstrip(',')}")
    wide = max(len(t.tier) for t in tiers)
    for t in tiers:
        bars = ([(0, t.idle)] if t.idle else []) + [(load, n) for load, n in zip(t.loads, t.counts, strict=True) if n]
        yield from wrapped(t.tier, ", ".join(f"{n:,} with {load:,}" for load, n in bars), hang=wide + 1)


def _tables(s: Study) -> str:
    t = s.tables
    asked = f", for `{t.asked}` of the spec" if t.asked and t.asked != t.engine else ""
    return f"{t.engine} ({t.origin}){asked}" + (f": {t.why}" if t.why else "")


def _bounds(s: Study, draw: Paint) -> Iterator[str]:
    """What adaptive routing could make of each pattern; a declared efficiency stands with its source, once."""
    bounds = s.bounds
    if not bounds:
        return
    head = "adaptive routing" if bounds[0].active else "if routing were adaptive"
    rows = [[f"{head}, share of line rate", "static tables", "fluid bound", "declared"]]
    for b in bounds:
        rows.append(
            [
                alone_of(b.pattern, s),
                share(b.static),
                share(b.fluid),
                "-" if b.declared is None else share(b.declared),
            ]
        )
    yield from _table(rows, draw)
    for source in dict.fromkeys(b.source for b in bounds if b.declared is not None and b.source):
        yield from wrapped("  declared:", source, hang=12)


def _detours(d: DetourResult | None, draw: Paint) -> Iterator[str]:
    """What ways straight and through another group make of the traffic that groups bear worst."""
    if d is None:
        return
    rows = [
        [f"{d.pattern}, by ways allowed", "share of line rate"],
        ["static tables, slowest flow", share(d.static)],
        ["straight, all cables of the pair", share(d.minimal)],
        ["Valiant, by a random group", share(d.group)],
        *([] if d.router is None else [["Valiant, by a random router of it", share(d.router)]]),
        ["best split found", share(d.best)],
        ["bound of any split", share(d.bound)],
    ]
    yield from _table(rows, draw)
    yield from wrapped("  model:", d.model, hang=10)


def _rates(rates: tuple[RateResult, ...], draw: Paint) -> Iterator[str]:
    for model in dict.fromkeys(r.model for r in rates):
        rows = [[f"rates in GB/s, {model}", "slowest flow", "mean", "line rate", "flows", ""]]
        for r in rates:
            if r.model == model:
                figures = [figure(r.min_gbs), figure(r.mean_gbs), figure(r.line_gbs), f"{r.flows:,}"]
                rows.append([r.pattern, *figures, _circumstances(r)])
        yield from _table(rows, draw)


def _circumstances(r: RateResult) -> str:
    drawn = [] if r.seed is None else [f"pattern {r.number:,} of seed {r.seed}"]
    return ", ".join([*drawn, *(f"{name} holds {percent(part)} of every link" for name, part in r.background)])


def _table(rows: list[list[str]], draw: Paint) -> Iterator[str]:
    """The first column is words, the last of six too; figures are flush right."""
    head, *lines = table(rows, frozenset(range(1, min(len(rows[0]), 5))))
    yield "  " + draw("dim", head)
    yield from ("  " + line for line in lines)


def _worst(s: Study, draw: Paint) -> Iterator[str]:
    """The fullest with the flows on it; the others with their loads."""
    for name in dict.fromkeys(w.pattern for w in s.worst):
        cables = [w for w in s.worst if w.pattern == name]
        yield "  " + draw("dim", f"fullest cables, {drawn(cables[0], s)}; in brackets the label on the box")
        for i, w in enumerate(cables):
            yield f"  {end(w.start)} -> {end(w.end)}: {count(w.load, 'flow')} on {figure(w.capacity_gbs)} GB/s"
            if i == 0:
                flows = [f"{a} -> {b}" for a, b in w.flows] + ([f"and {w.more:,} more"] if w.more else [])
                yield from wrapped("", ", ".join(flows).replace(" -> ", "\xa0->\xa0"), hang=2) if flows else ()


def _order(order: OrderAdvice | None) -> Iterator[str]:
    if order is None:
        return
    yield from wrapped("rank order", f"{order.text} (rail rings, static tables)", hang=12)
