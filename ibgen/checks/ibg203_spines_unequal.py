from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG203", "spines-unequal", Severity.WARNING)
def spines_unequal(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Leaf-spine pairs with different numbers of cables.

    A leaf's uplinks can be shared evenly only by a number of spines that divides them. Otherwise some pairs are
    thicker than others and static routing loads the thin ones like the thick ones.

    Bad:
        fabrics: [{name: compute, topology: {spine: {count: 5}}}]
    Good:
        fabrics: [{name: compute, topology: {spine: {count: 4}}}]
    """
    for subnet in fabric.subnets:
        plan = subnet.plan
        if plan is None or plan.even or subnet.plane != 1:
            continue
        spines = plan.spines_per_pod
        enough = -(-plan.spines_needed // plan.pods)  # a divisor below has too few ports
        divisors = [n for n in range(enough, plan.up + 1) if plan.up % n == 0]
        near = sorted(sorted(divisors, key=lambda n: (abs(n - spines), n))[:2])
        of_pod = " per pod" if plan.pods > 1 else ""
        yield spines_unequal.finding(
            f"{plan.up} uplinks of a leaf cannot be shared evenly by {spines} spines",
            ("fabrics", subnet.fabric, "topology", "spine", "count"),
            label=f"pairs of {plan.up // spines} and {plan.up // spines + 1} cables",
            hint=f"use {' or '.join(str(n) for n in near)} spines{of_pod}, or {plan.up // spines * spines} uplinks per leaf",
            facts={"uplinks": plan.up, "spines": spines, "needed": plan.spines_needed},
        )
