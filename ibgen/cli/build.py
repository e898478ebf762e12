"""`ibgen build`: the tree of files, written or compared."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, FINDINGS, USAGE, Refused
from ibgen.cli.given import arguments, given, next_step, show_report
from ibgen.cli.options import OUT, SPEC, Overlays, Spec, folder

if TYPE_CHECKING:
    from ibgen.compilation import Compilation
    from ibgen.diagnostics import Report
    from ibgen.write import WritePlan

_ENVIRONMENT = frozenset({"cannot-write", "build-in-progress"})
"""Findings that speak of the machine and the moment, not of the spec or the tree."""


def build(
    spec: Spec = SPEC,
    overlays: Overlays = None,
    out: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the tree is written.", parser=folder)
    ] = OUT,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 when the tree is stale or edited.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that were edited by hand.")] = False,
    require_bindings: Annotated[
        bool, typer.Option("--require-bindings", help="Fail where GUIDs are not bound to real ones.")
    ] = False,
) -> int:
    """Compile a spec into the files that configure the cluster.

    With errors nothing is written; files that ibgen does not own are never touched.
    """
    if check and force:
        raise Refused("--check writes nothing, --force overwrites", "give one of them")
    if out.resolve().parent == out.resolve():
        raise Refused("a tree is not written into the root of the file system", "name a folder: `-o out`")
    what = given(spec, overlays, require_bindings)
    from ibgen import compiler
    from ibgen.diagnostics import Severity

    with terminal.Progress() as step:
        c, report = compiler.compile(what, step)
        report, plan = compiler.write_tree(c, report, out, force=force, check=check, progress=step)
    failed = report.reaches(Severity.ERROR)
    if plan is not None and plan.changes and (check or not failed):
        _show_tree(plan, out, only_changes=check)
    show_report(report, on_stderr=True)
    if any(d.code.name in _ENVIRONMENT and d.severity is Severity.ERROR for d in report.diagnostics):
        return USAGE
    if not (failed or check):
        _show_traffic(c)
    _close(report, plan, spec, overlays, out, check, failed)
    return FINDINGS if failed else CLEAN


def _show_tree(plan: WritePlan, out: Path, only_changes: bool) -> None:
    from ibgen.render.tree import FileChange, tree_text

    sizes = {path: len(content) for path, (content, _) in plan.content.items()}
    changes = [FileChange(c.path, c.kind.value, sizes.get(c.path)) for c in plan.changes]
    if only_changes:
        changes = [c for c in changes if c.kind != "same"]
    if changes:
        terminal.out(tree_text(str(out), changes, color=terminal.color(sys.stdout)))


def _show_traffic(c: Compilation) -> None:
    """What the fabric that the tree configures would carry, in a few lines."""
    from ibgen.render.traffic_text import summary_lines

    if c.spec is not None and c.fabric is not None and c.simulation is not None:
        known = {s.fabric for s in c.fabric.subnets}
        opaque = [f.name for row, f in enumerate(c.spec.fabrics) if row not in known and f.topology.kind == "opaque"]
        for line in summary_lines(c.simulation, [w.name for w in c.spec.workloads], opaque):
            terminal.say(line)


def _close(
    report: Report, plan: WritePlan | None, spec: Path, overlays: list[Path] | None, out: Path, check: bool, failed: bool
) -> None:
    """The last words: what happened to the tree, and what to do now."""
    if failed and plan is None:
        terminal.say("nothing was written: the spec has errors")
    elif failed and not check:
        terminal.say("nothing was written")
    elif failed and not any(d.code.name == "edited-by-hand" for d in report.diagnostics):
        next_step("ibgen", "build", *arguments(spec, overlays), "-o", out)
    elif check and not failed:
        terminal.say(f"{out} is what the spec says")
    elif not failed:
        next_step("ibgen", "prove", out)
