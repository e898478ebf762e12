"""A report for programs: JSON of a fixed, versioned form, described by `schemas/report.schema.json`.

Takes a `Report`. Gives text. A field is never removed or given another meaning without a new `version`.
"""

from __future__ import annotations

import json
import math
from typing import Any

from ibgen.diagnostics import Diagnostic, Fact, Path, Report, Severity, Span

VERSION = 1


def report_json(report: Report) -> str:
    """The whole report, the suppressed findings with their reasons included."""
    document = {
        "format": "ibgen-report",
        "version": VERSION,
        "summary": {s.value: report.count(s) for s in reversed(Severity)} | {"suppressed": len(report.suppressed)},
        "diagnostics": [diagnostic(d) for d in report.diagnostics],
        "suppressed": [diagnostic(d) | {"reason": d.reason or ""} for d in report.suppressed],
    }
    return dumps(document)


def dumps(document: Any) -> str:
    """JSON as all of ibgen prints it: indented, letters as they are (a lone surrogate escaped), a newline at the end."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text if text.isascii() else _escaped(text)


def _escaped(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) < 0xE000 else c for c in text)


def diagnostic(d: Diagnostic) -> dict[str, Any]:
    """One diagnostic as plain values."""
    return {
        "code": d.code.id,
        "name": d.code.name,
        "severity": d.severity.value,
        "message": d.message,
        "path": None if d.path is None else plain_path(d.path),
        "span": span(d.span),
        "label": d.label,
        "labels": [{"span": span(at), "message": message} for at, message in d.labels],
        "hint": d.hint,
        "facts": {name: plain_fact(value) for name, value in d.facts},
    }


def span(s: Span) -> dict[str, Any]:
    """A span with its end filled in: where none was recorded, or a wrong one, it is one character long."""
    line, column = max(0, s.line), max(1, s.column)
    end_line, end_column = max(0, s.end_line), max(1, s.end_column)
    if (end_line, end_column) <= (line, column):
        end_line, end_column = line, column + 1
    return {"file": s.file, "line": line, "column": column, "end_line": end_line, "end_column": end_column}


def plain_path(path: Path) -> list[str | int]:
    """A spec path without numpy's integers."""
    return [step if isinstance(step, str) else int(step) for step in path]


def plain_fact(value: Fact) -> str | int | float:
    """A live number as JSON can hold it: numpy's scalars become Python's, what is no finite number becomes text."""
    if isinstance(value, str | int):
        return value
    number = float(value)
    if not math.isfinite(number):
        return str(number)
    return int(number) if number.is_integer() and not isinstance(value, float) else number
