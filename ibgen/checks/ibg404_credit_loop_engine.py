from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.fabric import Fabric, GroupPlan
from ibgen.spec import ClusterSpec
from ibgen.targets.opensm_routing import LOOPING, choose


@rule("IBG404", "credit-loop-engine", Severity.ERROR)
def credit_loop_engine(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A routing engine that leaves credit loops on a dragonfly or dragonfly+.

    Groups are joined in cycles. Shortest paths on one virtual lane then wait for each other in a ring: under load the fabric
    stands still, and nothing says why. ibdmchk finds such loops in the tables of minhop and of updn on a dragonfly with 72
    hosts (measured); dor and sssp promise nothing there, and the engines of fat trees refuse the shape and leave it to
    minhop. `dfsssp` parts the paths by service levels, `nue` needs one lane only, `dfp` is NVIDIA's for dragonfly+.

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
        control = spec.fabrics[subnet.fabric].control
        if control.kind != "opensm" or not isinstance(subnet.layout, GroupPlan) or subnet.plane != 1:
            continue
        engines = choose(control, subnet).engines
        bad = [e for e in engines if e in LOOPING]
        if bad:
            at: Path = ("fabrics", subnet.fabric, "control")
            in_routing = bad[0] in control.routing
            where: Path = (*at, "routing", control.routing.index(bad[0])) if in_routing else (*at, "options", "routing_engine")
            better = "dfp or dfsssp" if control.flavour == "nvidia" and subnet.layout.plus else "dfsssp or nue"
            yield credit_loop_engine.finding(
                f"`{bad[0]}` leaves credit loops where groups are joined in cycles",
                where,
                labels=[Label(("fabrics", subnet.fabric, "topology", "kind"), f"{subnet.layout.groups} groups")],
                hint=f"use {better}, or leave `routing` out",
            )
