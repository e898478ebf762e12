from __future__ import annotations

from collections.abc import Iterator

from ibgen import units
from ibgen.checks import rule
from ibgen.checks.asked import asked_ratio
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import SPINE, Fabric
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec


@rule("IBG202", "spine-oversubscribed", Severity.ERROR)
def spine_oversubscribed(spec: ClusterSpec, fabric: Fabric, simulation: Simulation) -> Iterator[Finding]:
    """Spines of a three-tier tree with more bandwidth below than above, beyond what the spec allows.

    Pods are then non-blocking inside and thin between each other; Slurm has to know (a level per pod).

    Bad:
        pools: [{name: gpu, hosts: "node-[01-16]"}]
        fabrics: [{name: compute, topology: {unit: 4, tiers: 3, pod: 2, spine: {count: ~, uplinks: 16}}}]
    Good:
        pools: [{name: gpu, hosts: "node-[01-16]"}]
        fabrics: [{name: compute, topology: {unit: 4, tiers: 3, pod: 2, spine: {count: ~}}}]
    """
    for load in simulation.tiers:
        if load.tier != SPINE or load.top or load.level:
            continue  # beside a dragonfly+ spine lie other spines: `group-oversubscribed` judges what leaves the group
        limit, asked_at = asked_ratio(spec, load.fabric, "spine")
        over = load.ratio > limit * (1 + 1e-9)
        if not over.any():
            continue
        worst = int(load.ratio.argmax())
        subnet = next(s for s in fabric.subnets if s.name == load.subnet)
        down, up = int(load.down_cables[worst]), int(load.up_cables[worst])
        yield spine_oversubscribed.finding(
            f"{int(over.sum())} spines carry {load.worst:.2f}:1, the spec asks for {limit:g}:1",
            ("fabrics", load.fabric, "topology", "spine"),
            label=f"{down} cables down, {up} up",
            labels=[Label(asked_at, "asked for here")] if asked_at else [],
            hint=f"give the spines {down} uplinks, or ask for `oversubscription: {load.worst:.2f}`",
            facts={
                "spine": subnet.switches.names[int(load.rows[worst])],
                "down": f"{down} cables = {units.gbps_text(float(load.down_gbps[worst]))}",
                "up": f"{up} cables = {units.gbps_text(float(load.up_gbps[worst]))}",
                "ratio": round(load.worst, 4),
            },
        )
