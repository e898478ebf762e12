"""Where values stand: files laid end to end, and a place for every key and value.

Takes texts and offsets. Gives `Sources` (offset -> file, line, column) and `Places` (container, key -> offsets).

A place is one integer, so that 200,000 of them cost no objects while a spec is read: start and end offset (in characters,
counted over all files) and whether the scalar was quoted; an entry is a key's place above its value's. They are taken apart
only when a finding must be shown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TypeAlias

from ibgen.diagnostics import Span

Data: TypeAlias = "dict[str, Data] | list[Data] | str | None"
Spots: TypeAlias = "dict[str, int] | list[int]"

OFFSET_BITS = 32  # 4 Gi characters: sixty-four files of the largest size `files.read` lets through
KEY_SHIFT = 2 * OFFSET_BITS + 1
_OFFSET = (1 << OFFSET_BITS) - 1
_VALUE = (1 << KEY_SHIFT) - 1


def pack(start: int, end: int, quoted: bool = False) -> int:
    """One place: offsets of the first character and of the one after the last."""
    return (start << OFFSET_BITS | end) << 1 | quoted


def unpack(place: int) -> tuple[int, int]:
    """Start and end offset of a place."""
    return place >> OFFSET_BITS + 1, place >> 1 & _OFFSET


def key_of(entry: int) -> int:
    """The key's place in an entry; 0 for a list item, which has none."""
    return entry >> KEY_SHIFT


def value_of(entry: int) -> int:
    """The value's place in an entry."""
    return entry & _VALUE


def is_quoted(entry: int) -> bool:
    """Whether the value was a quoted or block scalar."""
    return bool(entry & 1)


@dataclass(frozen=True, slots=True)
class Source:
    """One file's text; its first character has the offset `base`. Lines end at `\\n`."""

    file: str
    text: str
    base: int
    starts: list[int] = field(repr=False)

    def point(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        local = min(max(offset - self.base, 0), len(self.text))
        line = bisect_right(self.starts, local)
        return line, local - self.starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The span from one offset to another, white space at its end left out."""
        low = max(start - self.base, 0)
        high = low + len(self.text[low : end - self.base].rstrip())
        return Span(self.file, *self.point(start), *self.point(max(start, high + self.base)))

    def line(self, number: int) -> str:
        """The text of a line, counted from 1; empty when there is none."""
        if not 0 < number <= len(self.starts):
            return ""
        start = self.starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def line_span(self, number: int) -> Span:
        """A whole line without the white space around it."""
        text = self.line(number)
        indent = len(text) - len(text.lstrip())
        return Span(self.file, number, indent + 1, number, max(len(text.rstrip()), indent) + 1)


@dataclass(slots=True)
class Sources:
    """The files of one document, in the order in which they are laid over each other."""

    files: list[Source] = field(default_factory=list)
    bases: list[int] = field(default_factory=list)

    def add(self, file: str, text: str) -> Source:
        """Takes a file in. A byte order mark goes, and every line break becomes `\\n`, which moves no column."""
        text = text.removeprefix("\ufeff")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        base = self.bases[-1] + len(self.files[-1].text) + 1 if self.files else 0
        starts = [0, *(m.end() for m in re.finditer("\n", text))]
        source = Source(file, text, base, starts)
        self.files.append(source)
        self.bases.append(base)
        return source

    def of(self, offset: int) -> Source:
        """The file an offset lies in."""
        return self.files[bisect_right(self.bases, offset) - 1]

    def span(self, place: int) -> Span:
        """A place as file, lines and columns."""
        start, end = unpack(place)
        return self.of(start).span(start, end)


@dataclass(slots=True)
class Places:
    """Entries by container: `spots[id(container)][key or index]`. Valid as long as the containers live."""

    sources: Sources
    spots: dict[int, Spots] = field(default_factory=dict)
    root: int = 0

    def mapping(self, node: dict[str, Data]) -> dict[str, int]:
        """The entries of a mapping."""
        found = self.spots[id(node)]
        assert isinstance(found, dict)
        return found

    def sequence(self, node: list[Data]) -> list[int]:
        """The entries of a list."""
        found = self.spots[id(node)]
        assert isinstance(found, list)
        return found
