"""A report as GitHub workflow commands: annotations on the lines of a pull request.

Takes a `Report`. Gives one `::error file=...::message` per diagnostic. The escaping is that of the runner's own toolkit
(actions/toolkit, packages/core/src/command.ts): `%`, CR and LF in data, `:` and `,` as well in properties.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ibgen.diagnostics import Diagnostic, Report, Severity

from .text import aligned, number

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
# A log line that looks like a command is obeyed by the runner, so no other control character may pass either.
_CONTROL = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")


def report_github(report: Report) -> str:
    """One line per diagnostic; suppressed ones are left out."""
    return "".join(_command(d) + "\n" for d in report.diagnostics)


def _command(d: Diagnostic) -> str:
    values = aligned([v if isinstance(v, str) else number(v) for _, v in d.facts])
    facts = [f"{name}: {value}" for (name, _), value in zip(d.facts, values, strict=True)]
    body = [d.message, d.label, *facts, f"help: {d.hint}" if d.hint else "", f"more: ibgen explain {d.code.id}"]
    properties = {"file": d.span.file} if d.span.file else {}
    if d.span.line >= 1:
        properties["line"] = str(d.span.line)
        properties["col"] = str(max(1, d.span.column))
        if d.span.end_line > d.span.line:
            properties["endLine"] = str(d.span.end_line)
        elif d.span.end_column > d.span.column:
            properties["endColumn"] = str(d.span.end_column)
    properties["title"] = f"{d.code.id} {d.code.name}"
    return command(_COMMANDS[d.severity], properties, "\n".join(filter(None, body)))


def command(name: str, properties: Mapping[str, str], message: str) -> str:
    """One workflow command, escaped, without its line break."""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return _CONTROL.sub("\ufffd", text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
