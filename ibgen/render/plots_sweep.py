"""A sweep as plots: the loss of every case from the worst to the least, the costly parts and the cutting ones by name.

Takes a `Sweep`. Gives panels. The curve says whether one part matters more than another, the bars which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import svg
from .simulation import count, extent, figure, model_of, share
from .svg import BOTTOM, LEFT, RIGHT, TOP, WIDTH, Axis, Panel, text

if TYPE_CHECKING:
    from ibgen.simulate.failures import Sweep

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
    yield from (panel for panel in (_costly(s), _cutting(s)) if panel is not None)


def _curve(s: Sweep, alike: str) -> Panel:
    losses = sorted((r.loss for r in s.rows), reverse=True)
    n = len(losses)
    kept = sorted({round(i * (n - 1) / max(1, min(n, MOST_POINTS) - 1)) for i in range(min(n, MOST_POINTS))})
    ticks = svg.round_ticks(0, max(100 * losses[0], 0.1))
    x, y = Axis(1, max(2, n), LEFT, WIDTH - RIGHT), Axis(0, ticks[-1], TOP + AREA, TOP)
    body = svg.vertical(y, x.end, [(t, figure(t)) for t in ticks], "loss of bisection, %")
    marks = sorted({1, n, *(int(t) for t in svg.round_ticks(1, n, 5) if 1 < t < n - (n - 1) * 0.08 and t == int(t))})
    body += svg.horizontal(x, TOP + AREA, [(t, f"{t:,}") for t in marks], f"{s.kind}, the worst first")
    points = [(x.at(i + 1), y.at(100 * losses[i])) for i in kept]
    body.append(svg.polyline(points, 0)) if len(points) > 1 else body.extend(svg.dots(points, 0))
    body += [text(x.end + 14, TOP + 8 + 18 * i, line) for i, line in enumerate(_facts(s))]
    said = f"{model_of(s.engine)}; {count(s.flows, 'flow')}, {count(s.patterns, 'pattern')}, seed {s.seed}"
    title = f"{s.subnet}: {extent(s)}"
    return Panel(title, said + (f"; {alike}" if alike else ""), TOP + AREA + BOTTOM + 6, tuple(body))


def _facts(s: Sweep) -> list[str]:
    middle = dict(s.quantiles).get(0.5)
    facts = [count(s.cases, "case"), f"whole {share(s.base)} ± {share(s.base_error)}"]
    facts += [] if middle is None else [f"median {share(middle)}"]
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
    """The parts whose loss the survivors feel most."""
    rows = sorted((r for r in s.rows if r.loss > 0), key=lambda r: (-r.loss, r.part))[:MOST_BARS]
    if not rows:
        return None
    said = "bisection of the survivors against the same flows before; behind the bars the share that is left"
    bars = [(r.part, 100 * r.loss, f"{figure(100 * r.loss)} %, {share(r.ebb)} left") for r in rows]
    return _bars(f"{s.subnet}: {s.kind} that cost most", said, "loss of bisection, %", bars)


def _cutting(s: Sweep) -> Panel | None:
    """The parts on which others hang alone."""
    rows = [r for r in s.rows if r.cut_pairs]  # these stand first
    if not rows:
        return None
    more = f"; {len(rows) - MOST_CUTS:,} more, none worse" if len(rows) > MOST_CUTS else ""
    bars = [(r.part, float(r.cut_pairs), f"{r.cut_pairs:,}") for r in rows[:MOST_CUTS]]
    said = f"pairs of endpoints that no longer reach each other{more}"
    return _bars(f"{s.subnet}: {s.kind} that cut endpoints off", said, "ordered pairs cut", bars)
