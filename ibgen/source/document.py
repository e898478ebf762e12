"""The spec and its overlays as one document.

Takes texts. Gives a `Document`, whose `span` finds the place of any path, and all findings of the reading.
"""

from __future__ import annotations

import gc
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ibgen.diagnostics import Finding, On, Path, Severity, Span, Suppression
from ibgen.source import findings as codes
from ibgen.source.characters import clean
from ibgen.source.events import build
from ibgen.source.overlays import lay_over
from ibgen.source.places import Data, Places, Source, Sources, is_quoted, key_of, unpack, value_of
from ibgen.source.suppressions import collect
from ibgen.source.tree import Tree


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data that remembers where it came from.

    `data` is made of dict, list, str and None, keys are str; None when the text is too broken to go on with. `texts` holds
    every file by its name, line breaks as `\\n`. Treat `data` as read-only: places are found through its own containers.
    """

    file: str
    data: dict[str, Data] | None
    texts: Mapping[str, str]
    suppressions: tuple[Suppression, ...] = ()
    _places: Places = field(default_factory=lambda: Places(Sources()), repr=False)

    def span(self, path: Path, on: On = "value") -> Span:
        """Where `path` stands: its value, or the key that names it.

        An empty value is shown by its key or dash. A path that is not in the document is shown by the nearest parent that
        is: by the parent's value when that fits on one line, else by its key, or by the first line of a list item.
        """
        if self.data is None:  # nothing was read: the first line, or the file as a whole
            return Span(self.file, 1, 1, 1, 1) if self._places.sources.files else Span(self.file, 0)
        entry, whole = self._find(path)
        key, value = key_of(entry), value_of(entry)
        sources = self._places.sources
        start, end = unpack(value)
        if on == "key" and key:
            return sources.span(key)
        if start == end:
            return sources.span(key) if key else self._dash(start)
        at = sources.span(value)
        if whole or at.line == at.end_line:
            return at
        if key:
            return sources.span(key)
        first = sources.of(start).line_span(at.line)
        return Span(at.file, at.line, at.column, first.end_line, first.end_column)

    def is_quoted(self, path: Path) -> bool:
        """Whether the value at `path` is a quoted or block scalar, so that it can only mean a text."""
        entry, whole = self._find(path)
        return whole and is_quoted(entry)

    def _find(self, path: Path) -> tuple[int, bool]:
        """The entry of the longest part of `path` that is in the document, and whether that is all of it."""
        node: Data = self.data
        entry = self._places.root
        for step in path:
            if isinstance(node, dict) and isinstance(step, str) and step in node:
                entry, node = self._places.mapping(node)[step], node[step]
            elif isinstance(node, list) and isinstance(step, int) and 0 <= step < len(node):
                entry, node = self._places.sequence(node)[step], node[step]
            else:
                return entry, False
        return entry, bool(path)

    def _dash(self, offset: int) -> Span:
        """An empty list item: the dash before it; an empty file: its first line."""
        source = self._places.sources.of(offset)
        line, column = source.point(offset)
        return Span(source.file, line, max(column - 1, 1), line, max(column, 2))


def parse(text: str, file: str, overlays: Sequence[tuple[str, str]] = ()) -> tuple[Document, tuple[Finding, ...]]:
    """Reads a spec and lays `overlays`, pairs of file name and text, over it in their order.

    Never raises, whatever the texts. Findings name spans. `Document.data` is None after a syntax error or one that would make
    every later finding doubtful; a duplicate key, a tag or an ambiguous number leaves it usable.
    """
    places = Places(Sources())
    findings: list[Finding] = []
    suppressions: list[Suppression] = []
    texts: dict[str, str] = {}
    data: dict[str, Data] | None = None
    usable = True
    with _no_collection():
        for i, (name, content) in enumerate(((file, text), *overlays)):
            findings += _given_before(name, list(texts))
            source = places.sources.add(name, content)
            texts[name] = source.text
            tree, found = _read(source, places, overlay=i > 0)
            findings += found
            silencing, found = collect(source, tree.hiding)
            suppressions += silencing
            findings += found if tree.usable else []  # below a syntax error, text and comments cannot be told apart
            usable = usable and tree.usable
            if not isinstance(tree.data, dict):
                continue
            if i == 0:
                data, places.root = tree.data, tree.place
            elif data is not None and usable:
                data, found = lay_over(data, tree.data, places)
                findings += found
    return Document(file, data if usable else None, texts, tuple(suppressions), places), tuple(findings)


def _given_before(name: str, earlier: Sequence[str]) -> list[Finding]:
    """A file that is laid over itself, however its path is spelled."""
    if posixpath.normpath(name) not in {posixpath.normpath(other) for other in earlier}:
        return []
    hint = "give each file once; the order is that of the command line"
    return [codes.OVERLAY_FILE_TWICE.finding(f"{name} is given twice", Span(name, 1, 1, 1, 1), hint=hint)]


def _read(source: Source, places: Places, *, overlay: bool) -> tuple[Tree, list[Finding]]:
    """One file: its characters, its events, and whether its top is a mapping."""
    text, findings = clean(source)
    tree = build(source, text, places)
    findings += tree.findings
    if not tree.usable or isinstance(tree.data, dict):
        return tree, findings
    if tree.empty:
        what = (
            "the overlay is empty: it changes nothing"
            if overlay
            else "there is nothing in the file but blank lines and comments"
        )
        hint = "leave it out, or write what it changes" if overlay else "`ibgen init` writes a spec to start from"
        severity = Severity.WARNING if overlay else Severity.ERROR
        at = Span(source.file, 1, 1, 1, 1)
        findings.append(codes.EMPTY.finding(what, at, hint=hint, severity=severity))
        return tree, findings
    what = "a list" if isinstance(tree.data, list) else "a single value"
    at = source.line_span(places.sources.span(tree.place).line)
    hint = "write `key: value` lines, a space after each colon; a key such as `pools:` belongs above a list"
    findings.append(codes.NOT_A_MAPPING.finding(f"the file holds {what}, not a mapping of keys", at, hint=hint))
    tree.usable = False
    return tree, findings


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the garbage collector: nothing here forms cycles, and its passes over new containers take most of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
