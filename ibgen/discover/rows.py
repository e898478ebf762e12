"""The bindings as text: sorted, one form, so that an exchanged adapter changes one line and nothing else.

Takes rows and the text that is there. Gives the new text; comments of the old one stay before the row they stood before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ibgen.fabric import Binding, Bindings
from ibgen.fabric.bindings import COLUMNS
from ibgen.hostlist import natural_key

_LINE_END = re.compile(r"\r\n?|\n")  # as `read_bindings` counts lines

HEADER = ",".join(COLUMNS)


def in_order(rows: Iterable[Binding]) -> list[Binding]:
    """Adapters by host, adapter and port, numbers by value; then switches by name."""
    every = list(rows)
    place = {name: n for n, name in enumerate(sorted({*(r.host for r in every), *(r.hca for r in every)}, key=natural_key))}
    return sorted(every, key=lambda r: (not r.hca, place[r.host], place[r.hca], r.port))


def line_of(row: Binding) -> str:
    """One row; an unknown GUID is an empty field."""
    guids = (f"0x{g:016x}" if g else "" for g in (row.node_guid, row.port_guid, row.system_image_guid))
    return ",".join((row.host, row.hca, str(row.port) if row.hca else "", *guids))


def bindings_text(rows: Iterable[Binding], before: Bindings | None = None, text: str = "") -> str:
    """The whole file. `before` is what was read from `text`."""
    top, notes, end = _comments(before, text)
    lines = [*top, HEADER]
    for row in rows:
        lines += [*notes.pop((row.host, row.hca, row.port), ()), line_of(row)]
    left = [line for block in notes.values() for line in block]  # their rows are gone; what people wrote is not
    return "\n".join([*lines, *left, *end]) + "\n"


def _comments(before: Bindings | None, text: str) -> tuple[list[str], dict[tuple[str, str, int], list[str]], list[str]]:
    """Comments above the header, by the row that follows them, and at the end."""
    by_line = {row.line: (row.host, row.hca, row.port) for row in before.rows} if before is not None else {}
    top: list[str] = []
    notes: dict[tuple[str, str, int], list[str]] = {}
    waiting: list[str] = []
    header = False
    for number, line in enumerate(_LINE_END.split(text.removeprefix("\ufeff")), 1):
        if line.lstrip().startswith("#"):
            waiting.append(line.rstrip())
        elif number in by_line:
            notes[by_line[number]], waiting = waiting, []
        elif line.strip() and not header:
            header, top, waiting = True, waiting, []
    return top, notes, waiting
