"""The lists of OpenSM whose lines are more than a GUID: ids, weights, port orders, prefix routes.

Takes texts, gives findings at the exact line. OpenSM drops a wrong line and says so, if at all, in its most talkative log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ibgen.diagnostics import Finding, Span

from .findings import GUID_LINE

ROWS = {
    "ids_guid_file": (2, 2, "a switch GUID and its id"),
    "hop_weights_file": (3, 3, "a switch GUID, a port, and a weight from 1 to 255"),
    "port_search_ordering_file": (2, 255, "a switch GUID and its ports, none of them twice"),
    "port_prof_ignore_file": (2, 2, "a switch GUID and a port"),
}
"""Option -> the least and most words of a line, and what they are."""

PREFIX_ROUTES = "prefix_routes_file"
_HEX = r"0[xX][0-9a-fA-F]{1,16}"


def lint_rows(text: str, file: str, option: str) -> tuple[Finding, ...]:
    """One of `ROWS`, or prefix routes."""
    return tuple(_prefixes(text, file) if option == PREFIX_ROUTES else _rows(text, file, option))


def _lines(text: str, file: str) -> Iterator[tuple[list[str], Span]]:
    for number, raw in enumerate(text.split("\n"), 1):
        words = raw.split("#", 1)[0].split()
        if words:
            column = raw.index(words[0]) + 1
            yield words, Span(file, number, column, number, len(raw.rstrip()) + 1)


def _rows(text: str, file: str, option: str) -> Iterator[Finding]:
    least, most, meaning = ROWS[option]
    for words, place in _lines(text, file):
        if not re.fullmatch(_HEX, words[0]):
            yield GUID_LINE.finding(f"`{words[0][:40]}` is no GUID", place, hint="write 0x and 16 digits")
            continue
        cells = words[1:]
        right = least <= len(words) <= most and all(re.fullmatch(rf"{_HEX}|[0-9]+", c) for c in cells)
        numbers = [int(c, 16 if c[1:2] in ("x", "X") else 10) for c in cells] if right else []
        if right and option != "ids_guid_file":
            right = all(1 <= n <= 255 for n in numbers)
        if right and option == "port_search_ordering_file":
            right = len(set(numbers)) == len(numbers)
        if not right:
            yield GUID_LINE.finding(f"the line is not {meaning}: OpenSM drops it", place, hint=f"write {meaning}")


def _prefixes(text: str, file: str) -> Iterator[Finding]:
    for words, place in _lines(text, file):
        if len(words) != 2 or not all(re.fullmatch(r"\*|(0[xX])?[0-9a-fA-F]{1,16}", w) for w in words):
            hint = "write two words: a prefix or *, and the port GUID of a router or *"
            yield GUID_LINE.finding("the line is no prefix route: OpenSM drops it", place, hint=hint)
