"""A sweep as plots: the loss of every case, the worst first, then the cutting parts and the costly ones by name.

Takes a `Sweep`. Gives panels. The curve says whether one part matters more than another, the bars which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import svg
from .simulation import count, extent, figure, model_of, percent, share
from .svg import BOTTOM, LEFT, RIGHT, TOP, WIDTH, Axis, Panel, text

if TYPE_CHECKING:
    from ibgen.simulate.failures import Sweep, SweepRow

AREA = 200
"""Height of the curve's plotting area."""
BAR, MOST_BARS, MOST_CUTS = 20, 12, 6
"""Height of a bar with its gap; how many by loss, and by pairs cut."""
NAMES, LETTERS = 250, 34
"""Width that names have, and the letters that fit."""
MOST_POINTS = 400
"""Points of the curve; more cases are thinned out evenly, the ends kept."""


def sweep_panels(s: Sweep, alike: str = "") -> Iterator[Panel]:
    """Nothing where no case was computed."""
    if not s.rows:
        return
    yield _curve(s, alike)
    yield from (panel for panel in (_cutting(s), _costly(s)) if panel is not None)


def _curve(s: Sweep, alike: str) -> Panel:
    losses = [r.larger for r in s.rows]  # in the order of all other forms: by pairs cut and hosts hit first
    n = len(losses)
    kept = sorted({round(i * (n - 1) / max(1, min(n, MOST_POINTS) - 1)) for i in range(min(n, MOST_POINTS))})
    ticks = svg.round_ticks(0, max(100 * max(losses), 0.1))
    x, y = Axis(1, max(2, n), LEFT, WIDTH - RIGHT), Axis(0, ticks[-1], TOP + AREA, TOP)
    body = svg.vertical(y, x.end, [(t, figure(t)) for t in ticks], "larger loss, %")
    marks = sorted({1, n, *(int(t) for t in svg.round_ticks(1, n, 5) if 1 < t < n - (n - 1) * 0.08 and t == int(t))})
    body += svg.horizontal(
        x, TOP + AREA, [(t, f"{t:,}") for t in marks], f"{s.kind}, the worst first: by pairs cut, hosts hit, larger loss"
    )
    points = [(x.at(i + 1), y.at(100 * losses[i])) for i in kept]
    body.append(svg.polyline(points, 0)) if len(points) > 1 else body.extend(svg.dots(points, 0))
    body += [text(x.end + 14, TOP + 8 + 18 * i, line) for i, line in enumerate(_facts(s))]
    drawn = f"{count(s.flows, 'flow')}, {count(s.patterns, 'pattern')}, seed {s.seed}"
    said = f"larger loss of bisection ({drawn}) and all-to-all; {model_of(s.engine)}"
    title = f"{s.subnet}: {extent(s)}"
    return Panel(title, said + (f"; {alike}" if alike else ""), TOP + AREA + BOTTOM + 6, tuple(body))


def _facts(s: Sweep) -> list[str]:
    middle = next((max(losses) for q, *losses in s.quantiles if q == 0.5), None)
    facts = [count(s.cases, "case"), f"whole {share(s.base)} ± {share(s.base_error)}"]
    facts += [] if middle is None else [f"median loss {percent(middle)}"]
    return [*facts, f"{count(s.disconnecting, 'case')} cut" if s.disconnecting else "none cuts pairs"]


def _bars(title: str, said: str, label: str, rows: Sequence[tuple[str, float, str]]) -> Panel:
    """Horizontal bars: name, length, what stands behind it."""
    top = svg.round_ticks(0, max(length for _, length, _ in rows), 5)
    axis = Axis(0, top[-1], NAMES, WIDTH - RIGHT)
    body = []
    for i, (name, length, behind) in enumerate(rows):
        y, width = TOP + BAR * i, max(1.0, axis.at(length) - axis.start)
        body.append(text(NAMES - 8, y + 12, svg.shortened(name, LETTERS), anchor="end"))
        body.append(svg.rect(axis.start, y + 2, width, BAR - 6, f'fill="{svg.color(0)}"'))
        body.append(text(axis.start + width + 6, y + 12, behind, style="s"))
    bottom = TOP + BAR * len(rows) + 2
    body += svg.horizontal(axis, bottom, [(t, figure(t)) for t in top], label)
    return Panel(title, said, bottom + BOTTOM, tuple(body))


def _costly(s: Sweep) -> Panel | None:
    """The parts whose loss the survivors feel most, of those that cut nothing off."""
    rows = [r for r in s.rows if r.larger > 0 and not r.cut_pairs][:MOST_BARS]
    if not rows:
        return None
    said = "the same flows before and after" + ("; of those that cut nothing off" if s.disconnecting else "")
    said += "; behind the bars: loss of bisection, of all-to-all"
    bars = [(r.part, 100 * r.larger, _both(r)) for r in rows]
    return _bars(f"{s.subnet}: {s.kind} that cost most", said, "larger loss, %", bars)


def _both(r: SweepRow) -> str:
    return f"{percent(r.loss)}, {percent(r.all_to_all_loss)}"


def _cutting(s: Sweep) -> Panel | None:
    """The parts on which others hang alone."""
    rows = [r for r in s.rows if r.cut_pairs]  # these stand first
    if not rows:
        return None
    more = f"; {len(rows) - MOST_CUTS:,} more, none worse" if len(rows) > MOST_CUTS else ""
    bars = [(r.part, float(r.cut_pairs), f"{r.cut_pairs:,}, {count(r.hosts, 'host')}") for r in rows[:MOST_CUTS]]
    said = f"pairs of endpoints that no longer reach each other, and hosts that lose adapters{more}"
    return _bars(f"{s.subnet}: {s.kind} that cut endpoints off", said, "ordered pairs cut", bars)
