from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG324", "opaque-but-ours", Severity.ERROR)
def opaque_but_ours(spec: ClusterSpec) -> Iterator[Finding]:
    """A fabric that we manage, with a topology that says its links are unknown.

    Root lists, compute GUIDs and P_Key tables are computed from the links.

    Bad:
        fabrics: [{name: dark, control: {kind: opensm}, topology: {kind: opaque}}]
    Good:
        fabrics: [{name: dark, control: {kind: provider}, topology: {kind: opaque}}]
    """
    for i, fabric in enumerate(spec.fabrics):
        if fabric.topology.kind == "opaque" and fabric.control.kind != "provider":
            yield opaque_but_ours.finding(
                f"`{fabric.name}` is managed by us but its links are unknown",
                ("fabrics", i, "topology", "kind"),
                hint="describe the topology, or write `control: {kind: provider}`",
            )
