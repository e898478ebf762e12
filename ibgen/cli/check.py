"""`ibgen check`: everything that can be said about a spec."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, FINDINGS, Refused
from ibgen.cli.given import arguments, given, next_step, show_report
from ibgen.cli.options import SPEC, FailOn, Format, Overlays

if TYPE_CHECKING:
    from ibgen.diagnostics import Report


class Flavour(enum.StrEnum):
    """Whose OpenSM."""

    upstream = "upstream"
    nvidia = "nvidia"


def check(
    spec: Annotated[
        Path | None, typer.Argument(metavar="SPEC", help=f"The cluster's spec, {SPEC} unless given; `-` reads standard input.")
    ] = None,
    overlays: Overlays = None,
    format: Annotated[Format, typer.Option("--format", help="How the findings are printed.")] = Format.text,
    opensm: Annotated[
        Path | None,
        typer.Option("--opensm", metavar="DIR", help="Judge a folder of OpenSM files instead of a spec."),
    ] = None,
    flavour: Annotated[
        Flavour | None,
        typer.Option("--flavour", help="Whose OpenSM reads the folder of --opensm: upstream (unless given) or nvidia."),
    ] = None,
    fail_on: Annotated[FailOn, typer.Option("--fail-on", help="The least severity that makes the exit code 1.")] = FailOn.error,
) -> int:
    """Judge a spec: each finding with line, numbers and remedy.

    Findings go to standard output, their summary to standard error.
    """
    from ibgen.diagnostics import Severity

    if opensm is not None and (spec is not None or overlays):
        first = (
            f"{spec or (overlays or [SPEC])[0]} is a spec and {opensm} a folder of its own: one of the two would not be judged"
        )
        raise Refused(first, "check them one after the other; a tree that `ibgen build` wrote is judged by `ibgen prove`")
    if flavour is not None and opensm is None:
        raise Refused("--flavour belongs to --opensm", "a spec says whose OpenSM it is itself: `control: {flavour: nvidia}`")
    spec = spec or SPEC
    report = _compiled(spec, overlays) if opensm is None else _linted(opensm, flavour)
    failed = report.reaches(Severity(fail_on.value))
    if format is Format.text:
        show_report(report)
        if not failed and opensm is None:
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


def _compiled(spec: Path, overlays: list[Path] | None) -> Report:
    what = given(spec, overlays)
    from ibgen.compiler import compile

    with terminal.Progress() as step:
        return compile(what, step, glance=False)[1]


def _linted(folder: Path, flavour: Flavour | None) -> Report:
    if not folder.is_dir():
        raise Refused(f"{folder} is not a folder", "name the folder that holds opensm.conf, for example /etc/opensm")
    from ibgen.compiler import lint_opensm

    report = lint_opensm(folder, "nvidia" if flavour is Flavour.nvidia else "upstream")
    if not report.texts:
        raise Refused(f"{folder} holds no OpenSM files", "name the folder that holds opensm.conf")
    return report
