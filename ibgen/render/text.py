"""A report for a person, in the manner of rustc.

Takes a `Report`. Gives text: header, place, excerpt with carets under the fault and dashes under what it is compared with,
the live numbers, what to do, where to read more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ibgen.diagnostics import Diagnostic, Fact, Report, Severity, Span

from .cells import BREAK, pad, printable, width
from .excerpt import Mark, excerpt, place
from .style import Paint, paint

_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")


def report_text(report: Report, *, color: bool = False, columns: int = 120) -> str:
    """Every diagnostic, a blank line between two; empty where there are none. `columns` is the width of the terminal."""
    lines = {file: BREAK.split(source) for file, source in report.texts.items()}
    explained: set[str] = set()
    blocks = []
    for d in report.diagnostics:
        more = d.code.id not in explained
        explained.add(d.code.id)
        blocks.append("\n".join(_block(d, lines, more, columns, paint(color))) + "\n")
    return "\n".join(blocks)


def summary(report: Report) -> str:
    """How many of what: `2 errors, 1 warning; 1 suppressed`."""
    counts = [(report.count(s), s.value) for s in (Severity.ERROR, Severity.WARNING, Severity.NOTE)]
    found = ", ".join(f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in counts if n) or "no findings"
    return found + (f"; {len(report.suppressed):,} suppressed" if report.suppressed else "")


def _block(d: Diagnostic, lines: Mapping[str, Sequence[str]], more: bool, columns: int, paint: Paint) -> Iterator[str]:
    style = d.severity.value
    places = _places(d, lines)
    gutter = max([len(str(m.line)) for _, _, marks in places for m in marks], default=1)
    blank = paint("gutter", " " * gutter + " |")
    head = paint(style, f"{style}[{d.code.id}]")
    yield head + paint("strong", f": {d.code.name}: {printable(d.message)}")
    drawn = False
    for n, (file, span, marks) in enumerate(places):
        arrow = "-->" if n == 0 else ":::"
        if n and drawn:
            yield blank
        yield " " * gutter + paint("gutter", arrow) + f" {_where(file, span)}"
        if marks:
            drawn = True
            yield blank
            yield from excerpt(lines[file], marks, gutter, columns, paint, style)
    indent = " " * (gutter + 1)
    facts = list(_facts(d.facts))
    if drawn and (facts or d.hint or more):
        yield blank
    for line in facts:
        yield indent + paint("gutter", "=") + " " + line
    yield from _paragraph(indent, "help", d.hint, paint)
    if more:
        yield indent + paint("dim", f"more: ibgen explain {d.code.id}")


def _places(d: Diagnostic, lines: Mapping[str, Sequence[str]]) -> list[tuple[str, Span, list[Mark]]]:
    """File by file, the fault's own first: the span to print after the arrow, and what is marked in it."""
    spans = [(d.span, d.label, True), *((span, message, False) for span, message in d.labels)]
    found: list[tuple[str, Span, list[Mark]]] = []
    for file in dict.fromkeys(span.file for span, _, _ in spans):
        inside = [s for s in spans if s[0].file == file]
        marks = [m for span, message, first in inside if (m := place(span, lines.get(file, ()), message, first))]
        found.append((file, inside[0][0], marks))
    return found


def _where(file: str, span: Span) -> str:
    name = printable(file) or "(no file)"
    return f"{name}:{span.line}:{max(1, span.column)}" if span.line >= 1 else name


def _paragraph(indent: str, word: str, said: str, paint: Paint) -> Iterator[str]:
    """`help: ...`, further lines of it set under its first word."""
    for n, line in enumerate(BREAK.split(said.strip()) if said.strip() else ()):
        yield indent + (paint("help", f"{word}:") if n == 0 else " " * (len(word) + 1)) + f" {printable(line)}"


def _facts(facts: Sequence[tuple[str, Fact]]) -> Iterator[str]:
    names = [printable(name) for name, _ in facts]
    values = aligned([number(value) if not isinstance(value, str) else printable(value) for _, value in facts])
    size = max(map(width, names), default=0)
    return (f"{pad(name, size)}   {value}".rstrip() for name, value in zip(names, values, strict=True))


def number(value: int | float) -> str:
    """A live number: thousands apart from 10,000 on, fractions with four significant digits."""
    if not float(value).is_integer():
        return f"{value:.4g}"
    return f"{int(value):,}" if abs(value) >= 10_000 else str(int(value))


def aligned(values: Sequence[str]) -> list[str]:
    """Sums of one form that follow each other are set in columns: `40 x 400 Gb/s = 16.0 Tb/s`, `24 x 400 Gb/s =  9.6 Tb/s`."""
    lines: list[str] = []
    for form, run in groupby(values, key=_form):
        rows = [value.split() for value in run]
        if len(form) < 2 or len(rows) < 2:
            lines += values[len(lines) : len(lines) + len(rows)]
            continue
        sizes = [max(map(width, column)) for column in zip(*rows, strict=True)]
        lines += [" ".join(pad(cell, size, right=True) for cell, size in zip(row, sizes, strict=True)) for row in rows]
    return lines


def _form(value: str) -> tuple[str, ...]:
    """The words of a value with its numbers blotted out."""
    return tuple("#" if _NUMBER.fullmatch(word) else word for word in value.split())
