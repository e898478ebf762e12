from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, IslandPlan
from ibgen.spec import ClusterSpec


@rule("IBG210", "planes-unequal", Severity.WARNING)
def planes_unequal(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Hosts that are on some planes of a fabric and not on others.

    Planes are copies that no cable joins. A host that lacks a plane reaches the others by the planes they share and loses that
    part of its bandwidth, and libraries that pair ports by plane wait for one that is not there. A plane that nobody is
    attached to is a set of switches for nothing.

    Bad:
        ibgen: 1
        cluster: lab
        pools:
          - {name: gpu, hosts: "node-[01-04]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G, ports: 2}]}}
          - {name: cpu, hosts: cpu-5, slots: {cpu-5: 5}, platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}
        fabrics:
          - name: compute
            control: {kind: opensm}
            topology: {kind: fat-tree, planes: 2, leaf: {switch: qm8700}}
            attach: [{pool: gpu, hcas: all}, {pool: cpu, hcas: all, ports: {1: plane-a}}]
    Good:
        ibgen: 1
        cluster: lab
        pools:
          - {name: gpu, hosts: "node-[01-04]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G, ports: 2}]}}
        fabrics:
          - name: compute
            control: {kind: opensm}
            topology: {kind: fat-tree, planes: 2, leaf: {switch: qm8700}}
            attach: [{pool: gpu, hcas: all}]
    """
    for row, declared in enumerate(spec.fabrics):
        planes = fabric.of(row)
        if len(planes) < 2 or isinstance(planes[0].layout, IslandPlan):
            continue
        hosts = [set(np.unique(plane.ports.host[plane.ports.rail >= 0]).tolist()) for plane in planes]
        everywhere = set.union(*hosts)
        for plane, there in zip(planes, hosts, strict=True):
            missing = sorted(everywhere - there)
            if missing:
                first = fabric.hosts.names[missing[0]]
                more = f" and {len(missing) - 1} more hosts are" if len(missing) > 1 else " is"
                yield planes_unequal.finding(
                    f"{first}{more} not on plane {plane.plane} of `{declared.name}`",
                    ("fabrics", row, "attach"),
                    on="key",
                    hint="attach a port of every host to each plane, or make them fabrics of their own",
                    facts={"planes": len(planes), "hosts on it": len(there), "hosts in all": len(everywhere)},
                )
