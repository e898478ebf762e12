"""The heat map of a simulation: what share of an equal part of line rate each row's group gets toward each
column's.

Takes `Heat`. Gives a `Panel`. Equal neighbours of a row are one shape, so that a thousand hosts stay a small picture.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .simulation import share
from .svg import Panel, px, rect, shortened, text, text_of

if TYPE_CHECKING:
    from ibgen.simulate.heat import Heat

SHADES = (
    "#440154", "#482878", "#3e4a89", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6dcd59", "#b4de2c", "#fde725",
)  # fmt: skip
"""Tenths of line rate: the viridis colour map (van der Walt and Smith, 2015), even in lightness, safe in colour blindness."""

SIDE = 400
EQUAL = 0.9995
"""From here on a pair has all of its part: where all pairs do, there is nothing to see."""
MOST = 256
"""Rows drawn; more are drawn several to a row, by their mean."""
LETTERS = 17
"""Of a host's or leaf's name beside the map."""
_LEFT, _TOP = 140, 52


def heat_panel(subnet: str, heat: Heat) -> Panel:
    """Senders from top to bottom, receivers from left to right."""
    if np.nanmin(heat.values, initial=np.inf) >= EQUAL:
        said = f"{heat.pattern}, {heat.model}: every pair of {heat.unit}s gets its equal part of line rate"
        return Panel(f"{subnet}: sender by receiver", said, _TOP, ())
    values, step = folded(np.asarray(heat.values, dtype=np.float64))
    n = len(values)
    body = [f'<rect class="none" x="{_LEFT}" y="{_TOP}" width="{SIDE}" height="{SIDE}"/>', *_cells(values)]
    cell = SIDE / n
    names = _bare(heat.labels)
    labels = [(i, names[i * step]) for i in _spread(n)]
    for i, name in labels:
        y = _TOP + (i + 0.5) * cell
        body.append(text(_LEFT - 6, y + 4, shortened(name, LETTERS), anchor="end"))
        x = _LEFT + (i + 0.5) * cell
        body.append(text(x + 3, _TOP + SIDE + 12, shortened(name, LETTERS), anchor="end", turn=-45))
    foot = _TOP + SIDE + 30 + 5 * max(min(len(name), LETTERS) for _, name in labels)
    body.append(text(20, _TOP + SIDE / 2, f"sending {heat.unit}", anchor="middle", turn=-90))
    body.append(text(_LEFT + SIDE / 2, foot, f"receiving {heat.unit}", anchor="middle"))
    body += _key()
    folds = f"; each cell the mean of {step} x {step}" if step > 1 else ""
    said = f"{heat.pattern}, {heat.model}; share of an equal part of line rate{folds}; {_spread_of(heat.values)}"
    return Panel(f"{subnet}: sender by receiver", said, foot + 20, tuple(body))


def _spread_of(values: npt.NDArray[np.float64]) -> str:
    sent = values[np.isfinite(values)]
    return f"least {share(float(sent.min()))}, mean {share(float(sent.mean()))}" if len(sent) else "nothing sent"


def folded(values: npt.NDArray[np.float64], most: int = MOST) -> tuple[npt.NDArray[np.float64], int]:
    """The matrix with at most `most` rows, blocks replaced by their means, and how many rows a block has."""
    step = max(1, -(-len(values) // most))
    if step == 1:
        return values, 1
    room = -(-len(values) // step) * step
    padded = np.full((room, room), np.nan)
    padded[: len(values), : len(values)] = values
    blocks = padded.reshape(room // step, step, room // step, step)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # blocks in which nothing is sent stay nan
        return np.nanmean(blocks, axis=(1, 3)), step


def _cells(values: npt.NDArray[np.float64]) -> list[str]:
    """One path per shade; a run of equal shades in a row is one rectangle of it."""
    n = len(values)
    sent = np.isfinite(values)
    shade = np.where(sent, np.clip(np.where(sent, values, 0) * len(SHADES) - 1e-9, 0, len(SHADES) - 1), -1).astype(int)
    paths: dict[int, list[str]] = {}
    for r, row in enumerate(shade):
        starts = np.flatnonzero(np.r_[True, row[1:] != row[:-1]])
        for start, end in zip(starts, np.r_[starts[1:], n], strict=True):
            if row[start] >= 0:
                paths.setdefault(int(row[start]), []).append(f"M{start} {r}h{end - start}v1h-{end - start}z")
    scale = f"{SIDE / n:.6g}"
    group = f'<g transform="translate({_LEFT} {_TOP}) scale({scale})" shape-rendering="crispEdges">'
    return [group, *(f'<path fill="{SHADES[k]}" d="{"".join(paths[k])}"/>' for k in sorted(paths)), "</g>"]


def _spread(n: int, most: int = 9) -> list[int]:
    """Rows that get a name: all of a few, else evenly spread."""
    return list(range(0, n, max(1, -(-n // most))))


def _bare(names: tuple[str, ...]) -> list[str]:
    """Host names without the domain that all of them share."""
    _, dot, domain = names[0].partition(".")
    shared = dot and all(name.endswith(dot + domain) for name in names)
    return [name.removesuffix(dot + domain) if shared else name for name in names]


def _key() -> list[str]:
    """The shades from 1 at the top to 0, and the colour of pairs that send nothing."""
    x, high = _LEFT + SIDE + 40, 22
    made = [text(x, _TOP - 2 + 10, "share of a fair part")]
    for i in range(len(SHADES)):
        y = _TOP + 18 + high * (len(SHADES) - 1 - i)
        made.append(rect(x, y, 22, high, f'fill="{SHADES[i]}"'))
    for i in range(0, len(SHADES) + 1, 2):
        y = _TOP + 18 + high * (len(SHADES) - i)
        made.append(f'<text x="{px(x + 28)}" y="{px(y + 4)}">{text_of(f"{i / len(SHADES):.1f}")}</text>')
    y = _TOP + 18 + high * len(SHADES) + 16
    return [*made, rect(x, y, 22, high, 'class="none"'), text(x + 28, y + 15, "nothing sent")]
