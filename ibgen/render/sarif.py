"""A report as SARIF 2.1.0 (OASIS), which code hosts and editors show beside the lines.

Takes a `Report`. Gives text. Columns are counted in UTF-16 code units, as the log declares: an emoji before the fault
moves it by two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ibgen.diagnostics import Code, Diagnostic, Report, Span

from .cells import BREAK
from .json import dumps, plain_fact

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

Lines = Mapping[str, Sequence[str]]


def report_sarif(report: Report, version: str) -> str:
    """One run of ibgen `version`; every code that occurs is a rule with its page as help."""
    lines: Lines = {file: BREAK.split(text) for file, text in report.texts.items()}
    every = (*report.diagnostics, *report.suppressed)
    codes = {d.code.id: d.code for d in every}
    index = {id: n for n, id in enumerate(sorted(codes))}
    driver = {"name": "ibgen", "version": version, "rules": [_rule(codes[id]) for id in sorted(codes)]}
    results = [_result(d, index[d.code.id], lines) for d in every]
    run = {"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", "results": results}
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: Code) -> dict[str, Any]:
    page = code.page
    parts = [page.summary or code.name, page.body]
    marked = [*parts]
    for title, example in (("Bad", page.bad), ("Good", page.good)):
        if example:
            parts.append(f"{title}:\n{example.rstrip()}")
            marked.append(f"{title}:\n\n```yaml\n{example.rstrip()}\n```")
    return {
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": page.summary or code.name},
        "fullDescription": {"text": page.body or page.summary or code.name},
        "help": {"text": "\n\n".join(filter(None, parts)), "markdown": "\n\n".join(filter(None, marked))},
        "defaultConfiguration": {"level": code.severity.value},
    }


def _result(d: Diagnostic, rule: int, lines: Lines) -> dict[str, Any]:
    message = "\n".join(filter(None, (d.message, d.label, d.hint and f"help: {d.hint}")))
    result: dict[str, Any] = {
        "ruleId": d.code.id,
        "ruleIndex": rule,
        "level": d.severity.value,
        "message": {"text": message or d.code.name},
        "locations": [{"physicalLocation": _location(d.span, lines)}] if d.span.file else [],
        # SARIF 3.27.23: once one result of a run is suppressed, the others say that they are not.
        "suppressions": [] if d.reason is None else [{"kind": "inSource", "justification": d.reason}],
    }
    related = [(span, said) for span, said in d.labels if span.file]
    if related:
        result["relatedLocations"] = [
            {"id": n, "physicalLocation": _location(span, lines), "message": {"text": said or "see here"}}
            for n, (span, said) in enumerate(related)
        ]
    if d.facts:
        result["properties"] = {"facts": {name: plain_fact(value) for name, value in d.facts}}
    return result


def _location(span: Span, lines: Lines) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(span.file)}}
    if span.line >= 1:
        location["region"] = _region(span, lines.get(span.file, ()))
    return location


def _uri(file: str) -> str:
    """A relative file as a relative reference, an absolute one as `file://`; a `:` in the first part is no scheme."""
    quoted = quote(file.encode("utf-8", "replace"), safe="/-._~")
    return f"file://{quoted}" if quoted.startswith("/") else quoted


def _region(span: Span, lines: Sequence[str]) -> dict[str, int]:
    column = max(1, span.column)
    region = {"startLine": span.line, "startColumn": _units(span.line, column, lines)}
    if span.end_line > span.line:
        region |= {"endLine": span.end_line, "endColumn": _units(span.end_line, max(1, span.end_column), lines)}
    elif span.end_column > column:
        region["endColumn"] = _units(span.line, span.end_column, lines)
    return region


def _units(line: int, column: int, lines: Sequence[str]) -> int:
    """A column in characters as one in UTF-16 code units; unchanged where the line is not there."""
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    return column + sum(ord(c) > 0xFFFF for c in before)
