from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec

REDUNDANT = 2
"""Two switches of a tier are worth having though one could carry everything: see `single-point`."""


@rule("IBG204", "surplus-switches", Severity.NOTE)
def surplus_switches(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """More spines or cores than the cables need.

    Meant as room to grow, it is fine; as a slip it is the price of a switch.

    Bad:
        fabrics: [{name: compute, topology: {spine: {count: 8}}}]
    Good:
        fabrics: [{name: compute, topology: {spine: {count: 1}}}]
    """
    for subnet in fabric.subnets:
        plan = subnet.plan
        if plan is None or subnet.plane != 1:
            continue
        for tier, have, need in (("spine", plan.spines, plan.spines_needed), ("core", plan.cores, plan.cores_needed)):
            if have > max(need, REDUNDANT) and need > 0:
                yield surplus_switches.finding(
                    f"{have} {tier}s where {need} carry all cables",
                    ("fabrics", subnet.fabric, "topology", tier, "count"),
                    hint=f"leave `count` out, or write {need}",
                    facts={"given": have, "needed": need},
                )
