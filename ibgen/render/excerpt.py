"""Lines of a source file with marks under them, the way rustc draws them.

Takes the lines of one file and marks on them. Gives finished lines. A mark may be stale or nonsense (a line that is not
there, a column past the end): it is moved to the nearest place that exists, and never raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ibgen.diagnostics import Span

from .cells import cells, printable, shown
from .style import Paint

_LEAST_ROOM = 20
"""Cells of source shown however narrow the terminal: less says nothing."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Part of one line to underline: characters `start` to `end` (exclusive), counted from 0."""

    line: int
    start: int
    end: int
    message: str
    primary: bool


def place(span: Span, lines: Sequence[str], message: str, primary: bool) -> Mark | None:
    """A span as a mark on its first line; None where the file has no such line."""
    if not 1 <= span.line <= len(lines):
        return None
    text = lines[span.line - 1]
    start = min(max(span.column - 1, 0), len(text))
    end = len(text.rstrip()) if span.end_line > span.line else min(span.end_column - 1, len(text))
    return Mark(span.line, start, max(end, start + 1), message, primary)


def excerpt(lines: Sequence[str], marks: Sequence[Mark], gutter: int, width: int, paint: Paint, style: str) -> Iterator[str]:
    """Each marked line once (twice where its marks lie too far apart), with one row per mark below it.

    `gutter` is the width of the line numbers, `width` that of the terminal, `style` the style of primary marks.
    """
    room = max(_LEAST_ROOM, width - gutter - 3)
    for number in sorted({m.line for m in marks}):
        text = lines[number - 1]
        for group in _groups(sorted((m for m in marks if m.line == number), key=lambda m: (m.start, m.end)), text, room):
            first, last, line = _window(text, group, room)
            yield f"{paint('gutter', f'{number:>{gutter}} |')} {line}".rstrip()
            for mark in group:
                yield f"{paint('gutter', ' ' * gutter + ' |')} {_underline(text, mark, first, last, paint, style)}"


def _groups(marks: Sequence[Mark], text: str, room: int) -> Iterator[list[Mark]]:
    """Marks that fit into one window, in order of their columns."""
    group: list[Mark] = []
    for mark in marks:
        if group and len(text) > room // 2 and mark.end - group[0].start > room // 2:
            yield group
            group = []
        group.append(mark)
    if group:
        yield group


def _window(text: str, group: Sequence[Mark], room: int) -> tuple[int, int, str]:
    """The stretch of the line that is shown, as character positions and as text, cut marks included."""
    end = len(text.rstrip())
    if end <= room and sum(map(cells, text[:end])) <= room:
        return 0, end, "".join(map(shown, text[:end]))
    room -= 2  # one cell for each cut mark
    first = last = min(group[0].start, end)
    used = 0

    def fits(i: int) -> bool:
        return used + cells(text[i]) <= room

    for stop in (min(max(m.end for m in group), end), end):
        while last < stop and fits(last):
            used += cells(text[last])
            last += 1
        # what comes before the mark explains it: half of the room that is left, then all of it
        half = (used + room) // 2 if stop != end else room
        while first > 0 and used + cells(text[first - 1]) <= half:
            first -= 1
            used += cells(text[first])
    before, after = ("…" if first > 0 else ""), ("…" if last < end else "")
    return first, last, before + "".join(map(shown, text[first:last])) + after


def _underline(text: str, mark: Mark, first: int, last: int, paint: Paint, style: str) -> str:
    start, end = max(mark.start, first), min(mark.end, max(last, mark.start))
    lead = (1 if first > 0 else 0) + sum(map(cells, text[first:start])) + max(0, start - len(text))
    size = max(1, sum(map(cells, text[start:end])))
    drawn = ("^" if mark.primary else "-") * size
    message = printable(mark.message)
    return " " * lead + paint(style if mark.primary else "second", f"{drawn} {message}".rstrip())
