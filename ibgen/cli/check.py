"""`ibgen check`: everything that can be said about a spec."""

from __future__ import annotations

from typing import Annotated

import typer

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, FINDINGS
from ibgen.cli.given import arguments, given, next_step, show_report
from ibgen.cli.options import SPEC, FailOn, Format, Overlays, Spec


def check(
    spec: Spec = SPEC,
    overlays: Overlays = None,
    format: Annotated[Format, typer.Option("--format", help="How the findings are printed.")] = Format.text,
    fail_on: Annotated[FailOn, typer.Option("--fail-on", help="The least severity that makes the exit code 1.")] = FailOn.error,
) -> int:
    """Judge a spec: each finding with line, numbers and remedy.

    Findings go to standard output, their summary to standard error.
    """
    what = given(spec, overlays)
    from ibgen.compiler import compile
    from ibgen.diagnostics import Severity

    with terminal.Progress() as step:
        _, report = compile(what, step)
    failed = report.reaches(Severity(fail_on.value))
    if format is Format.text:
        show_report(report)
        if not failed:
            next_step("ibgen", "build", *arguments(spec, overlays))
    elif format is Format.json:
        from ibgen.render.json import report_json

        terminal.out(report_json(report))
    elif format is Format.sarif:
        from ibgen import __version__
        from ibgen.render.sarif import report_sarif

        terminal.out(report_sarif(report, __version__))
    else:
        from ibgen.render.github import report_github
        from ibgen.render.text import summary

        terminal.out(report_github(report))
        terminal.say(summary(report))
    return FINDINGS if failed else CLEAN
