"""`ibgen plan`: switches, cables, spare ports, room to grow."""

from __future__ import annotations

import sys

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, FINDINGS
from ibgen.cli.given import arguments, given, next_step, show_report
from ibgen.cli.options import SPEC, Overlays, Plain, PlainFormat, Spec


def plan(spec: Spec = SPEC, overlays: Overlays = None, format: PlainFormat = Plain.text) -> int:
    """Count what a spec needs: switches, cables, spare ports.

    Per fabric and tier, with oversubscription, room to grow and power; all of it counted from the cables.
    """
    what = given(spec, overlays)
    from ibgen.compiler import compile
    from ibgen.diagnostics import Severity
    from ibgen.render.plan import cluster_plan

    with terminal.Progress() as step:
        c, report = compile(what, step)
    failed = report.reaches(Severity.ERROR)
    if c.spec is not None and c.fabric is not None:
        counted, names = cluster_plan(c.spec, c.fabric), tuple(w.name for w in c.spec.workloads)
        if format is Plain.json:
            from ibgen.render.plan_json import plan_json

            terminal.out(plan_json(counted, c.simulation, names))
        else:
            from ibgen.render.plan_text import plan_text

            terminal.out(plan_text(counted, c.simulation, workloads=names, color=terminal.color(sys.stdout)))
    if failed:
        show_report(report, on_stderr=True)
    elif format is Plain.text:
        next_step("ibgen", "check", *arguments(spec, overlays))
    return FINDINGS if failed else CLEAN
