from __future__ import annotations

from collections.abc import Iterator

from ibgen import units
from ibgen.checks import rule
from ibgen.checks.asked import asked_ratio
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.fabric import LEAF, Fabric
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec, Dragonfly


@rule("IBG201", "leaf-oversubscribed", Severity.ERROR)
def leaf_oversubscribed(spec: ClusterSpec, fabric: Fabric, simulation: Simulation) -> Iterator[Finding]:
    """Leaves whose hosts can offer more than their uplinks carry, beyond what `requirements.oversubscription` allows.

    The ratio is counted: the rates of the cables below a leaf over the rates of those above it. An unused port is
    headroom, not bandwidth. A router of a dragonfly is judged by its hosts over its local and global cables together; what
    leaves its group is IBG209's.

    Bad:
        pools: [{name: gpu, hosts: "node-[01-10]"}]
        fabrics: [{name: compute, topology: {unit: 5, leaf: {downlinks: 41}}}]
    Good:
        pools: [{name: gpu, hosts: "node-[01-08]"}]
        fabrics: [{name: compute, topology: {unit: 4, spine: {count: 3}}}]
    """
    for load in simulation.tiers:
        if load.tier != LEAF or load.top:
            continue
        limit, asked_at = asked_ratio(spec, load.fabric, "leaf")
        over = load.ratio > limit * (1 + 1e-9)
        if not over.any():
            continue
        subnet = next(s for s in fabric.subnets if s.name == load.subnet)
        worst = int(load.ratio.argmax())
        down, up = int(load.down_cables[worst]), int(load.up_cables[worst])
        hint = f"or ask for `oversubscription: {load.worst:.2f}`" if up else "cable it to a switch above"
        if subnet.plan is not None and up:
            fitting = int((subnet.plan.down + subnet.plan.up) * limit / (1 + limit) + 1e-9)
            hint = f"use {fitting} downlinks per leaf, {hint}" if 0 < fitting < subnet.plan.down else hint
        routers = isinstance(spec.fabrics[load.fabric].topology, Dragonfly)
        at: Path = ("p",) if routers else ("leaf", "downlinks")
        carry = f"carry {load.worst:.2f}:1" if up else "have hosts and no cable to other switches"
        yield leaf_oversubscribed.finding(
            f"{int(over.sum())} {'routers' if routers else 'leaves'} {carry}, the spec asks for {limit:g}:1",
            ("fabrics", load.fabric, "topology", *at),
            label=f"{down} downlinks against {up} {'local and global cables' if routers else 'uplinks'}",
            labels=[Label(asked_at, "asked for here")] if asked_at else [],
            hint=hint,
            facts={
                "leaf": subnet.switches.names[int(load.rows[worst])],
                "downlinks": f"{down} cables = {units.gbps_text(float(load.down_gbps[worst]))}",
                "uplinks": f"{up} cables = {units.gbps_text(float(load.up_gbps[worst]))}",
                **({"ratio": round(load.worst, 4)} if up else {}),
            },
        )
