"""How text falls into the cells of a terminal: wide letters take two, combining marks none, and nothing hidden stays hidden.

Takes any text, however hostile. Gives printable text and its width in cells.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

TAB = "    "
"""What a tab is shown as, wherever it stands: an excerpt starts in the middle of lines."""

# Direction overrides and isolates make a terminal show text in another order than a program reads it (CVE-2021-42574).
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
"""The line breaks of YAML 1.1, which is how the reader counts lines."""


@lru_cache(maxsize=4096)
def shown(char: str) -> str:
    """One character as it may be sent to a terminal: control characters become their Unicode pictures."""
    code = ord(char)
    if char == "\t":
        return TAB
    if code < 32:
        return chr(0x2400 + code)
    if code == 127:
        return "\u2421"
    if 128 <= code < 160 or char in "\u2028\u2029" or 0xD800 <= code < 0xE000 or char in _BIDI:
        return "\ufffd"
    return char


@lru_cache(maxsize=4096)
def cells(char: str) -> int:
    """Cells that one character takes as `shown`."""
    if char == "\t":
        return len(TAB)
    out = shown(char)
    if unicodedata.category(out) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(out) in ("W", "F") else 1


def width(text: str) -> int:
    """Cells that a text takes."""
    return len(text) if text.isascii() and text.isprintable() else sum(map(cells, text))


def printable(text: str) -> str:
    """A text on one line, fit for a terminal; line breaks become spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(shown, BREAK.sub(" ", text)))


def pad(text: str, size: int, right: bool = False) -> str:
    """The text filled with spaces to `size` cells; `right` puts them before it."""
    space = " " * max(0, size - width(text))
    return space + text if right else text + space


def table(rows: list[list[str]], right: frozenset[int] = frozenset(), gap: str = "  ") -> list[str]:
    """Rows of cells as aligned lines; the columns in `right` are set flush right. Trailing blanks are dropped."""
    sizes = [max(width(row[c]) for row in rows) for c in range(len(rows[0]))] if rows else []
    return [gap.join(pad(cell, sizes[c], c in right) for c, cell in enumerate(row)).rstrip() for row in rows]
