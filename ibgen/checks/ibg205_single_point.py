from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG205", "single-point", Severity.NOTE)
def single_point(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """One spine carries everything between leaves.

    Its failure, or its firmware update, cuts the fabric in pieces.

    Bad:
        fabrics: [{name: compute, topology: {spine: {count: 1}}}]
    Good:
        fabrics: [{name: compute, topology: {spine: {count: 2}}}]
    """
    for subnet in fabric.subnets:
        plan = subnet.plan
        if plan is not None and plan.tiers > 1 and plan.spines == 1 and subnet.plane == 1:
            yield single_point.finding(
                f"all {plan.leaves} leaves meet in one spine",
                ("fabrics", subnet.fabric, "topology", "spine"),
                hint="use at least two spines",
            )
