from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.fabric import Fabric, GroupPlan
from ibgen.spec import ClusterSpec
from ibgen.targets.opensm_routing import FAT_TREES, LOOPING, SHORTEST, choose, managed


@rule("IBG404", "credit-loop-engine", Severity.ERROR)
def credit_loop_engine(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A routing engine that leaves credit loops, or no path at all, on a dragonfly or dragonfly+.

    Groups are joined in cycles. In a dragonfly, shortest paths on one virtual lane wait for each other in a ring: under load
    the fabric stands still, and nothing says why. ibdmchk finds such loops in the tables of minhop and of updn on 72 hosts
    (measured); dor and sssp promise nothing there. In a whole dragonfly+ a shortest path goes up, across and down, and none
    is found (36 and 80 hosts): engines of shortest paths are a warning there, for nothing holds once two groups have lost
    their cables. Up-down routing has the spines of one group as its roots: in nine groups with a cable a pair, 130 paths of
    36 hosts were missing. The engines of fat trees refuse both shapes and leave them to minhop. `dfsssp` parts the paths by
    service levels, `nue` needs one lane only, `dfp` is NVIDIA's for dragonfly+.

    Bad:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-16]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
        fabrics:
          - name: flies
            control: {kind: opensm, routing: [minhop]}
            topology: {kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2, groups: 3}
            attach: [{pool: gpu, hcas: all}]
    Good:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-16]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
        fabrics:
          - name: flies
            control: {kind: opensm, routing: [nue]}
            topology: {kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2, groups: 3}
            attach: [{pool: gpu, hcas: all}]
    """
    for subnet in fabric.subnets:
        control = managed(spec.fabrics[subnet.fabric].control)
        if control is None or not isinstance(subnet.layout, GroupPlan) or subnet.plane != 1:
            continue
        if not subnet.layout.cyclic:
            continue
        engines = choose(control, subnet).engines
        bad = [e for e in engines if e in LOOPING]
        if bad:
            at: Path = ("fabrics", subnet.fabric, "control")
            in_routing = bad[0] in control.routing
            where: Path = (*at, "routing", control.routing.index(bad[0])) if in_routing else (*at, "options", "routing_engine")
            better = "dfp or dfsssp" if control.flavour == "nvidia" and subnet.layout.plus else "dfsssp or nue"
            fault, severity = _fault(bad[0], subnet.layout)
            yield credit_loop_engine.finding(
                f"`{bad[0]}` {fault}",
                where,
                labels=[Label(("fabrics", subnet.fabric, "topology", "kind"), f"{subnet.layout.groups} groups")],
                hint=f"use {better}, or leave `routing` out",
                severity=severity,
            )


def _fault(engine: str, plan: GroupPlan) -> tuple[str, Severity | None]:
    """What an engine does wrong between groups, and how bad that is where it is not an error."""
    if engine in FAT_TREES:
        return "refuses groups joined to each other: the next engine routes, or minhop", None
    if not plan.plus:
        return "leaves credit loops where groups are joined in cycles", None
    if engine in SHORTEST:
        return "is free of credit loops only while every two groups keep a cable", Severity.WARNING
    return "has the spines of one group as its roots: hosts of other groups lose their direct cables, or any path", None
