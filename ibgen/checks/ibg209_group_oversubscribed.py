from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen import units
from ibgen.checks import rule
from ibgen.checks.asked import asked_ratio
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import GLOBAL_CABLE, HOST_CABLE, Fabric, GroupPlan, Subnet
from ibgen.spec import ClusterSpec, Dragonfly, DragonflyPlus


@rule("IBG209", "group-oversubscribed", Severity.ERROR)
def group_oversubscribed(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Groups of a dragonfly or dragonfly+ whose hosts can offer more than the cables to other groups carry, beyond what
    `requirements.oversubscription` allows for the tier `group`.

    The ratio is counted over all cables that leave a group. Toward one single group it is worse by far: two groups talk over
    the few cables of their pair, so leave room here, or ask for what the design gives.

    Bad:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-16]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
        fabrics:
          - name: flies
            control: {kind: opensm}
            topology: {kind: dragonfly, switch: qm8700, a: 2, p: 4, h: 1, groups: 2}
            attach: [{pool: gpu, hcas: all}]
    Good:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-16]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
        fabrics:
          - name: flies
            control: {kind: opensm}
            topology: {kind: dragonfly, switch: qm8700, a: 2, p: 4, h: 4, groups: 2}
            attach: [{pool: gpu, hcas: all}]
    """
    for subnet in fabric.subnets:
        if not isinstance(subnet.layout, GroupPlan) or subnet.layout.groups < 2 or subnet.plane != 1:
            continue
        cables, pod, count = subnet.cables, subnet.switches.pod, subnet.layout.groups + 1
        host, out = cables.kind == HOST_CABLE, cables.kind == GLOBAL_CABLE
        offered = np.bincount(pod[cables.upper[host]], cables.rate_gbps[host], count)
        ends = np.concatenate([pod[cables.lower[out]], pod[cables.upper[out]]])
        carried = np.bincount(ends, np.tile(cables.rate_gbps[out], 2), count)
        ratio = offered[1:] / carried[1:]
        worst, limit = int(ratio.argmax()), asked_ratio(spec, subnet.fabric, "group")
        if ratio[worst] <= limit[0] * (1 + 1e-9):
            continue
        yield group_oversubscribed.finding(
            f"{int((ratio > limit[0]).sum())} groups carry {ratio[worst]:.2f}:1 outward, the spec asks for {limit[0]:g}:1",
            ("fabrics", subnet.fabric, "topology", _key(spec, subnet)),
            label=f"{subnet.layout.pair} cables between two groups",
            labels=[Label(limit[1], "asked for here")] if limit[1] else [],
            hint=f"give the groups more cables outward or fewer hosts, or ask for `group: {ratio[worst]:.2f}`",
            facts={
                "hosts of the group": units.gbps_text(float(offered[worst + 1])),
                "cables to other groups": units.gbps_text(float(carried[worst + 1])),
                "ratio": round(float(ratio[worst]), 4),
            },
        )


def _key(spec: ClusterSpec, subnet: Subnet) -> str:
    """The key that says how many cables leave a group, as far as the spec has one."""
    topology = spec.fabrics[subnet.fabric].topology
    if isinstance(topology, Dragonfly):
        return "h"
    return "links" if isinstance(topology, DragonflyPlus) and topology.links else "kind"
