"""The plots of a simulation as one SVG page: who gets what, how full links are, busbw over size, scaling, sweeps.

Takes `Simulated`. Gives text. No display, no plotting library; the same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import svg
from .heat import heat_panel
from .plots_sweep import sweep_panels
from .simulation import Scaling, Simulated, count, figure
from .simulation_verdict import alike_text
from .svg import BOTTOM, COLORS, LEFT, RIGHT, TOP, WIDTH, Axis, Panel, line, round_ticks, text
from .training_text import line_rate, size

if TYPE_CHECKING:
    from ibgen.simulate.collectives import CollectiveCurve
    from ibgen.simulate.link_tiers import TierLinks
    from ibgen.simulate.pool_collectives import PoolCollectives
    from ibgen.simulate.results import Study

AREA = 220
"""Height of a plotting area."""
ROW = 64
"""Height of one tier of a histogram."""
END = WIDTH - RIGHT
"""Right edge of a plotting area."""


def plots_svg(result: Simulated) -> str:
    """One page for everything that can be drawn of the studies."""
    panels = [p for s in result.studies for p in _panels(s, result)]
    panels += [_scaling(s) for s in result.scaling if any(p.step for p in s.points)]
    panels += [p for s in result.sweeps for p in sweep_panels(s, alike_text(s.subnet, result))]
    if result.parts and panels:
        panels.insert(0, _without(result))
    if not panels:
        panels = [Panel(result.cluster, "nothing to draw: there are no links with traffic to show", 60, ())]
    return svg.page(f"{result.cluster}: simulated traffic", panels)


def _without(result: Simulated) -> Panel:
    """What is out of service in all plots below."""
    names = list(dict.fromkeys(part for _, part, _ in result.parts))
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
    return Panel(f"{result.cluster} without {shown}", result.parts[0][2] if len(names) == 1 else "", 52, ())


def _panels(s: Study, result: Simulated) -> Iterator[Panel]:
    if s.heat is not None and len(s.heat.labels):
        yield heat_panel(s.subnet, s.heat)
    for pattern in dict.fromkeys(t.pattern for t in s.tiers):
        tiers = [t for t in s.tiers if t.pattern == pattern and t.links]
        if tiers:
            yield _histogram(s, pattern, tiers)
    yield from (_busbw(p, result.pools[p.pool]) for p in s.collectives if p.curves)


def _histogram(s: Study, pattern: str, tiers: list[TierLinks]) -> Panel:
    """A row of bars per tier over one axis of loads; idle links stand at 0. Every bar says how many links it is."""
    most = max(t.max_load for t in tiers)
    by_unit = most <= 24
    axis = Axis(-0.5 if by_unit else -most * 0.03, most + (0.5 if by_unit else most * 0.03), LEFT + 62, END + 90)
    body: list[str] = []
    for i, t in enumerate(tiers):
        floor = TOP + ROW * (i + 1) + 4
        body += [text(16, floor - 16, t.tier), text(16, floor - 2, count(t.links, "link"), style="s")]
        body += [*_bars(t, axis, floor, COLORS[i % len(COLORS)], by_unit), line(axis.start, floor, axis.end, floor, "axis")]
    ticks = [float(n) for n in range(most + 1)] if by_unit else [n for n in round_ticks(0, most) if n <= axis.high]
    bottom = TOP + ROW * len(tiers) + 4
    body += svg.horizontal(axis, bottom, [(n, figure(n)) for n in ticks], "flows on a directed link")
    model = next((p.model for p in s.patterns if p.name == pattern), s.tables.engine)
    title = f"{s.subnet}: links by load, {pattern}"
    return Panel(title, f"{model}; the number of links stands above each bar", bottom + BOTTOM, tuple(body))


def _bars(t: TierLinks, axis: Axis, floor: float, fill: str, by_unit: bool) -> Iterator[str]:
    """Bars, then their numbers over them: where bars stand close, the highest have theirs."""
    bars = [(load, n) for load, n in zip(t.loads, t.counts, strict=True) if n]
    if t.idle and 0 not in t.loads:
        bars.append((0, t.idle))
    most = max((n for _, n in bars), default=1)
    width = (axis.at(1) - axis.at(0)) * 0.7 if by_unit else 6.0
    said: list[tuple[float, str]] = []
    for load, n in sorted(bars, key=lambda bar: (-bar[1], bar[0])):
        x, height, name = axis.at(load), max(1.5, (ROW - 20) * n / most), f"{n:,}"
        yield svg.rect(x - width / 2, floor - height, width, height, f'fill="{fill}"')
        if by_unit or all(abs(x - other) >= 4 * (len(name) + len(text_there)) for other, text_there in said):
            said.append((x, name))
            yield text(x, floor - height - 4, name, anchor="middle", style="s")


def _busbw(p: PoolCollectives, pool: str) -> Panel:
    curves = p.curves
    sizes = [x.size_bytes for x in curves[0].points]
    lines = sorted({rate for c in curves if (rate := line_rate(c)) is not None}, reverse=True)
    top = max([x.busbw_gbs for c in curves for x in c.points] + lines)
    ticks = round_ticks(0, top)
    x, y = Axis(sizes[0], sizes[-1], LEFT, END, log=True), Axis(0, ticks[-1] or 1, TOP + AREA, TOP)
    body = svg.vertical(y, END, [(t, figure(t)) for t in ticks], "busbw, GB/s")
    body += svg.horizontal(
        x, TOP + AREA, [(n, size(n)) for n in sizes[:: max(1, (len(sizes) + 6) // 7)]], "size of the collective"
    )
    for rate in lines:
        body += [line(LEFT, y.at(rate), END, y.at(rate), "mark"), _line_label(curves, rate, y)]
    drawn: dict[tuple[tuple[int, float], ...], list[str]] = {}
    for c in curves:
        drawn.setdefault(tuple((q.size_bytes, q.busbw_gbs) for q in c.points), []).append(c.operation)
    for i, points in enumerate(drawn):
        body.append(svg.polyline(((x.at(n), y.at(busbw)) for n, busbw in points), i))
    body += svg.legend(list(drawn.values()))
    first = curves[0]
    said = f"{count(first.ranks, 'rank')} on {count(p.hosts, 'host')}, NCCL {first.version}'s tuning model, held to the fabric"
    return Panel(f"{pool}: busbw over size", f"{said}; dashed: line rate", TOP + AREA + BOTTOM, tuple(body))


def _line_label(curves: tuple[CollectiveCurve, ...], rate: float, y: Axis) -> str:
    """At the left, where the curves are still low: below the dashed line where there is room."""
    whose = "host's adapters" if any(c.line_gbs == rate for c in curves) else "GPU's share"
    at = y.at(rate) + (14 if y.start - y.at(rate) > 20 else -4)
    return text(LEFT + 6, at, f"line rate of a {whose}, {figure(rate)} GB/s", style="s")


def _scaling(s: Scaling) -> Panel:
    """MFU over the size of the job at one global batch: what strong scaling leaves of a GPU."""
    points = [(p.gpus, 100 * p.step.mfu) for p in s.points if p.step is not None]
    gpus = [n for n, _ in points]
    ticks = round_ticks(0, max(m for _, m in points))
    x, y = Axis(gpus[0], gpus[-1], LEFT + 12, END, log=True), Axis(0, ticks[-1] or 1, TOP + AREA, TOP)
    shown = gpus[-1:]
    for n in reversed(gpus):
        if x.at(shown[-1]) - x.at(n) >= 48:
            shown.append(n)
    body = svg.vertical(y, END, [(t, figure(t)) for t in ticks], "MFU, % of dense bf16 peak")
    body += svg.horizontal(x, TOP + AREA, [(n, f"{n:,}") for n in shown], "GPUs of the job")
    at = [(x.at(n), y.at(m)) for n, m in points]
    body += [svg.polyline(at, 0), *svg.dots(at, 0)]
    said = "strong scaling: the same global batch on more GPUs; NCCL's tuning model, line rate of the adapters"
    return Panel(f"{s.workload}: MFU over the size of the job", said, TOP + AREA + BOTTOM, tuple(body))
