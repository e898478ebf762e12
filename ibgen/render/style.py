"""Colours by meaning, as ANSI sequences or as nothing.

A `Paint` takes a style's name and a text. Layout is done before painting, so both give the same columns.
"""

from __future__ import annotations

from collections.abc import Callable

Paint = Callable[[str, str], str]

_CODES = {
    "error": "1;31", "warning": "1;33", "note": "1;36", "gutter": "1;34", "second": "1;34", "help": "1;32", "strong": "1",
    "dim": "2", "added": "32", "changed": "33", "removed": "31",
}  # fmt: skip


def plain(style: str, text: str) -> str:
    """The text as it is."""
    return text


def ansi(style: str, text: str) -> str:
    """The text in its style; an empty text stays empty."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else text


def paint(color: bool) -> Paint:
    """The painter for a terminal that shows colours, or for one that does not."""
    return ansi if color else plain
