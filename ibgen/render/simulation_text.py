"""A simulation for a person: one screen per subnet.

Takes `Simulated`. Gives text. Every figure stands beside its pattern, model and unit; random ones beside seed and standard
error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .cells import printable, table
from .failures_text import failure_text, sweep_text
from .plan_text import chain_table
from .simulation import Simulated, count, figure, share, wrapped
from .style import Paint, paint
from .training_text import collectives_text, training_text

if TYPE_CHECKING:
    from ibgen.simulate.study import BoundsResult, OrderAdvice, PatternResult, RateResult, Study, WorstCable


def simulation_text(result: Simulated, *, color: bool = False) -> str:
    """Every subnet, failure and sweep, a blank line between two."""
    draw = paint(color)
    blocks = ["\n".join(_study(s, result, draw)) for s in result.studies]
    blocks += ["\n".join(failure_text(f, draw)) for f in result.failures]
    blocks += ["\n".join(sweep_text(s, draw)) for s in result.sweeps]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _study(s: Study, result: Simulated, draw: Paint) -> Iterator[str]:
    switches = "1 switch" if s.switches == 1 else f"{s.switches:,} switches"
    parts = f"{count(s.hosts, 'host')}, {count(s.endpoints, 'endpoint')}, {switches}"
    yield draw("strong", printable(s.subnet)) + f": {parts}; line rate {figure(s.line_gbs)} GB/s per endpoint and direction"
    more = dict(result.alike).get(s.subnet, 0)
    if more:
        yield f"  one of {more + 1:,} subnets of its fabric; --fabric names another"
    yield from wrapped("tables", _tables(s))
    sections = (
        chain_table([step for step in result.chain if step.subnet == s.subnet], draw),
        _patterns(s.patterns, draw),
        [*_bounds(s.bounds), *_rates(s.rates)],
        list(_worst(s.worst, draw)),
        list(_order(s.order)),
        collectives_text(s.collectives, s.ratings, result.pools, draw),
        training_text(s.training, result.workloads, result.exposed_limit, draw),
        [line for note in s.notes for line in wrapped("note", note)],
    )
    for section in sections:
        if section:
            yield ""
            yield from section


def _tables(s: Study) -> str:
    t = s.tables
    asked = f", for `{t.asked}` of the spec" if t.asked and t.asked != t.engine else ""
    return f"{t.engine} ({t.origin}){asked}" + (f": {t.why}" if t.why else "")


def _patterns(patterns: tuple[PatternResult, ...], draw: Paint) -> list[str]:
    if not patterns:
        return []
    rows = [["pattern", "share of line rate", "s.e.", "fullest link", "flows", "patterns", "seed", "model"]]
    for p in patterns:
        error = "-" if p.standard_error is None else share(p.standard_error)
        seed = "-" if p.seed is None else str(p.seed)
        figures = [share(p.share), error, count(p.max_load, "flow"), f"{p.flows:,}", f"{p.patterns:,}", seed]
        rows.append([printable(p.name), *figures, p.model])
    head, *lines = table(rows, frozenset(range(1, 7)))
    made = ["  " + draw("dim", head)]
    for p, line in zip(patterns, lines, strict=True):
        lost = f"{count(p.unrouted, 'flow')} without a way" if p.unrouted else ""
        remark = ", ".join(x for x in (lost, p.note) if x)
        made += ["  " + line, *([f"    {printable(remark)}"] if remark else [])]
    return made


def _bounds(bounds: tuple[BoundsResult, ...]) -> list[str]:
    lines = []
    for b in bounds:
        said = f"{b.pattern}: between {share(b.static)} (static tables) and {share(b.fluid)} (fluid bound) of line rate"
        if b.declared is not None:
            said += f"; {figure(b.declared)} declared ({b.source})" if b.source else f"; {figure(b.declared)} declared"
        lines += wrapped("adaptive routing" if b.active else "if adaptive", said, hang=18)
    return lines


def _rates(rates: tuple[RateResult, ...]) -> list[str]:
    lines = []
    for r in rates:
        drawn = "" if r.seed is None else f", pattern {r.number:,} of seed {r.seed}"
        said = (
            f"{r.pattern}: slowest flow {figure(r.min_gbs)}, mean {figure(r.mean_gbs)} of {figure(r.line_gbs)} GB/s "
            f"({r.model}; {count(r.flows, 'flow')}{drawn})"
        )
        if r.background:
            said += "; background " + ", ".join(f"{name} {figure(part)} of every link" for name, part in r.background)
        lines += wrapped("rates", said, hang=18)
    return lines


def _worst(worst: tuple[WorstCable, ...], draw: Paint) -> Iterator[str]:
    """The fullest with the flows on it, one a line; the others with their loads."""
    for name in dict.fromkeys(w.pattern for w in worst):
        cables = [w for w in worst if w.pattern == name]
        yield "  " + draw("dim", f"fullest cables, {printable(name)}")
        for i, w in enumerate(cables):
            yield f"  {_end(w.start)} -> {_end(w.end)}: {count(w.load, 'flow')} on {figure(w.capacity_gbs)} GB/s"
            if i == 0:
                flows = [f"{a} -> {b}" for a, b in w.flows] + ([f"and {w.more:,} more"] if w.more else [])
                yield from wrapped("", ", ".join(flows).replace(" -> ", "\xa0->\xa0"), hang=2) if flows else ()


def _end(end: object) -> str:
    name, port, label = end.name, end.port, end.label  # type: ignore[attr-defined]
    return printable(f"{name} port {port} ({label})" if label else f"{name}")


def _order(order: OrderAdvice | None) -> Iterator[str]:
    if order is None:
        return
    said = f"rail rings {share(order.given)} of line rate in the spec's order, {share(order.leaf)} in leaf order, "
    said += f"{share(order.random)} in random order (static tables). {order.text}"
    yield from wrapped("rank order", said, hang=12)
