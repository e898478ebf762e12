"""Small pieces of SVG: a page of panels, axes with round ticks, lines and bars.

Takes numbers and text. Gives strings that are the same bytes on every machine: coordinates are rounded to a tenth of a pixel,
fonts are the reader's own, nothing is measured. The page carries its own background and follows the reader's colour scheme.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from .cells import printable

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart with every kind of colour blindness: Okabe and Ito, Color Universal Design (2008), without black and yellow."""
DASHES = ("", "7 3", "2 3", "9 3 2 3", "5 5", "1 4")
"""Lines are told apart without colour too."""

WIDTH = 760
LEFT, RIGHT, TOP, BOTTOM = 78, 176, 52, 50
"""Pixels around the plotting area of a panel: axis and label, legend, title, axis and label."""

_STYLE = """\
text{font:12px system-ui,-apple-system,"Segoe UI","DejaVu Sans",Arial,sans-serif;fill:#333}
.h{font-size:15px;font-weight:600}.s{fill:#666}.bg{fill:#fff}.grid{stroke:#ddd}.axis{stroke:#777}.none{fill:#eee}
.mark{stroke:#777;stroke-dasharray:6 4}
@media (prefers-color-scheme:dark){text{fill:#ddd}.s{fill:#aaa}.bg{fill:#15181d}.grid{stroke:#333a44}.axis{stroke:#999}
.none{fill:#262b33}.mark{stroke:#999}}"""


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: what is drawn below its title, in coordinates of its own. `height` with the title."""

    title: str
    subtitle: str
    height: int
    body: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """Values onto pixels, straight or by the logarithm to base 2; `low` maps to `start`, `high` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = (math.log2(v) if self.log else v for v in (self.low, self.high, value))
        return self.start + (self.end - self.start) * ((value - low) / (high - low) if high > low else 0.5)


def page(title: str, panels: Sequence[Panel]) -> str:
    """The whole document, panels from top to bottom."""
    height = 16 + sum(p.height for p in panels)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{text_of(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="bg" width="{WIDTH}" height="{height}"/>',
    ]
    y = 8
    for p in panels:
        lines.append(f'<g transform="translate(0 {y})">')
        lines += [text(16, 20, p.title, style="h"), text(16, 37, p.subtitle, style="s"), *p.body, "</g>"]
        y += p.height
    return "\n".join([*lines, "</svg>"]) + "\n"


def text_of(value: str) -> str:
    """Text that XML can hold: markup escaped, control characters as pictures, no noncharacters."""
    shown = "".join("\ufffd" if ord(c) & 0xFFFE == 0xFFFE else c for c in printable(value))
    return escape(shown)


def text(x: float, y: float, value: str, *, anchor: str = "start", style: str = "", turn: int = 0) -> str:
    """A line of text; `turn` degrees about its own anchor."""
    kind = f' class="{style}"' if style else ""
    where = f' transform="rotate({turn} {px(x)} {px(y)})"' if turn else ""
    anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{px(x)}" y="{px(y)}"{kind}{anchored}{where}>{text_of(value)}</text>'


def shortened(name: str, most: int) -> str:
    """A name in at most so many letters; of a longer one the end is kept, where names differ, and some of the start."""
    return name if len(name) <= most else f"{name[: most // 3]}…{name[len(name) - most + most // 3 + 1 :]}"


def px(value: float) -> str:
    """A coordinate: a tenth of a pixel, without a trailing zero."""
    shown = f"{value:.1f}"
    return shown.removesuffix(".0") if shown != "-0.0" else "0"


def rect(x: float, y: float, width: float, height: float, attributes: str) -> str:
    return f'<rect x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}" {attributes}/>'


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}" class="{style}"/>'


def polyline(points: Iterable[tuple[float, float]], index: int) -> str:
    """The `index`-th line of a plot, in its colour and dash."""
    dash = f' stroke-dasharray="{DASHES[index % len(DASHES)]}"' if DASHES[index % len(DASHES)] else ""
    path = " ".join(f"{px(x)},{px(y)}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color(index)}" stroke-width="2"{dash}/>'


def dots(points: Iterable[tuple[float, float]], index: int) -> list[str]:
    return [f'<circle cx="{px(x)}" cy="{px(y)}" r="2.6" fill="{color(index)}"/>' for x, y in points]


def color(index: int) -> str:
    return COLORS[index % len(COLORS)]


def legend(names: Sequence[Sequence[str]], y: float = TOP) -> list[str]:
    """The lines of a plot by name, at its right; every name has its line before it, also where several share one."""
    x, row, made = WIDTH - RIGHT + 14, y + 8, []
    for i, together in enumerate(names):
        for name in together:
            made += [polyline([(x, row), (x + 26, row)], i), text(x + 32, row + 4, name)]
            row += 18
    return made


def round_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers (1, 2 or 5 times a power of ten) that cover the range, at most about `most` of them."""
    if not high > low:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def horizontal(axis: Axis, y: float, ticks: Iterable[tuple[float, str]], label: str) -> list[str]:
    """The axis below a plotting area, its label under the middle."""
    made = [line(axis.start, y, axis.end, y, "axis")]
    for value, name in ticks:
        x = axis.at(value)
        made += [line(x, y, x, y + 4, "axis"), text(x, y + 17, name, anchor="middle")]
    return [*made, text((axis.start + axis.end) / 2, y + 36, label, anchor="middle")]


def vertical(axis: Axis, right: float, ticks: Iterable[tuple[float, str]], label: str) -> list[str]:
    """The axis at the left of a plotting area, with lines across it to `right`."""
    made = []
    for value, name in ticks:
        y = axis.at(value)
        made += [line(LEFT, y, right, y, "grid"), text(LEFT - 7, y + 4, name, anchor="end")]
    return [*made, text(20, (axis.start + axis.end) / 2, label, anchor="middle", turn=-90)]
