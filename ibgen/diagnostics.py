"""What ibgen has to say, as data: no text layout, no colours, no exit codes.

Takes nothing. Gives `Code` (what can be said), `Finding` (something said about a spec path), `Diagnostic` (a finding
with its place in a file looked up) and `Report` (all of them, sorted, with the suppressed ones kept apart).

A finding names a *path* into the spec; the span (file, line, column) is looked up at the very end by `locate`, which
climbs to the parent where a path has no text of its own, so that a fault in a derived object still points at a line.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Path = tuple[str | int, ...]
"""Where in the spec: `("fabrics", 0, "topology", "leaf")`. The empty tuple is the whole document."""

On = Literal["value", "key"]
Fact = str | int | float


class Severity(enum.StrEnum):
    """How bad; ordered by `rank`."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        return ("note", "warning", "error").index(self.value)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one file: lines and columns count from 1, the end is exclusive. `line` 0: the file as a whole."""

    file: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class Label:
    """A second place a finding speaks of."""

    at: Path | Span
    message: str
    on: On = "value"


@dataclass(frozen=True, slots=True)
class Page:
    """A code's explanation: one line, the text, and the two examples that the tests run."""

    summary: str
    body: str
    bad: str = ""
    good: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """Something ibgen can say. `id` is never reused; `name` is what people remember."""

    id: str
    name: str
    severity: Severity
    page: Page = field(repr=False)

    def finding(
        self,
        message: str,
        at: Path | Span,
        *,
        label: str = "",
        on: On = "value",
        labels: Iterable[Label] = (),
        hint: str = "",
        facts: Mapping[str, Fact] | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """This code, said about the place `at`. `label` stands under the marked text, `facts` are live numbers."""
        return Finding(
            self, severity or self.severity, message, at, label, on, tuple(labels), hint, tuple((facts or {}).items())
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing said about one spec path (or, before a spec exists, one span)."""

    code: Code
    severity: Severity
    message: str
    at: Path | Span
    label: str = ""
    on: On = "value"
    labels: tuple[Label, ...] = ()
    hint: str = ""
    facts: tuple[tuple[str, Fact], ...] = ()


@dataclass(frozen=True, slots=True)
class Suppression:
    """`# ibgen: ignore[IBG201] reason`. `line` is the line it silences: its own, or the next where the comment stands alone."""

    file: str
    line: int
    codes: frozenset[str]
    reason: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding with its places looked up. `labels` are (span, message) pairs; `reason` is set when it is suppressed."""

    code: Code
    severity: Severity
    message: str
    path: Path | None
    span: Span
    label: str = ""
    labels: tuple[tuple[Span, str], ...] = ()
    hint: str = ""
    facts: tuple[tuple[str, Fact], ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, sorted by file, line and code. `texts` holds the sources, for excerpts."""

    diagnostics: tuple[Diagnostic, ...] = ()
    suppressed: tuple[Diagnostic, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)

    def count(self, severity: Severity) -> int:
        return sum(d.severity is severity for d in self.diagnostics)

    def reaches(self, threshold: Severity) -> bool:
        """Whether any diagnostic is at least as bad as `threshold`."""
        return any(d.severity.rank >= threshold.rank for d in self.diagnostics)


def locate(
    findings: Iterable[Finding],
    span_of: Callable[[Path, On], Span],
    suppressions: Iterable[Suppression] = (),
    texts: Mapping[str, str] | None = None,
) -> Report:
    """Looks up every place, applies the suppressions, drops exact repeats and sorts."""

    def span(at: Path | Span, on: On) -> Span:
        return at if isinstance(at, Span) else span_of(at, on)

    silenced = {(s.file, s.line, code): s.reason for s in suppressions for code in s.codes}
    kept: dict[Diagnostic, None] = {}
    hushed: dict[Diagnostic, None] = {}
    for f in findings:
        path = None if isinstance(f.at, Span) else f.at
        labels = tuple((span(x.at, x.on), x.message) for x in f.labels)
        d = Diagnostic(f.code, f.severity, f.message, path, span(f.at, f.on), f.label, labels, f.hint, f.facts)
        reason = silenced.get((d.span.file, d.span.line, f.code.id))
        if reason is None:
            kept[d] = None
        else:
            hushed[replace(d, reason=reason)] = None
    return Report(tuple(sorted(kept, key=_order)), tuple(sorted(hushed, key=_order)), dict(texts or {}))


def _order(d: Diagnostic) -> tuple[object, ...]:
    return (d.span.file, d.span.line, d.span.column, -d.severity.rank, d.code.id, d.message)


def page(doc: str | None) -> Page:
    """A docstring as a page: first paragraph, text, and the indented blocks under `Bad:` and `Good:`.

    An example that has a line `ibgen: 1` is a whole spec; any other is laid over the base example as an overlay.
    A line `# file: NAME` inside an example starts a companion file that lies beside it.
    """
    text = inspect.cleandoc(doc or "")
    parts = re.split(r"^(Bad|Good):[ \t]*\n", text, flags=re.M)
    summary, _, body = parts[0].strip().partition("\n\n")
    blocks = {
        name: inspect.cleandoc("\n" + block).rstrip() + "\n" for name, block in zip(parts[1::2], parts[2::2], strict=True)
    }
    return Page(" ".join(summary.split()), body.strip(), blocks.get("Bad", ""), blocks.get("Good", ""))


def declare(id: str, name: str, severity: Severity, doc: str) -> Code:
    """A code raised by a pass (a rule's code is declared by its decorator); `doc` is read by `page`."""
    return Code(id, name, severity, page(doc))
