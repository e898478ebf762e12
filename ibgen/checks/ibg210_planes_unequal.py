from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, IslandPlan, Subnet
from ibgen.fabric.columns import Ints
from ibgen.spec import ClusterSpec


@rule("IBG210", "planes-unequal", Severity.WARNING)
def planes_unequal(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Hosts that are on some planes of a fabric and not on others, or with fewer ports.

    Planes are copies that no cable joins. A host that lacks a plane reaches the others by the planes they share and loses that
    part of its bandwidth, and libraries that pair ports by plane wait for one that is not there.

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
        ports = np.stack([_ports(plane, len(fabric.hosts.names)) for plane in planes])
        most = ports.max(axis=0)
        for plane, there in zip(planes, ports, strict=True):
            missing = np.flatnonzero((there == 0) & (most > 0))
            fewer = np.flatnonzero((there > 0) & (there < most))
            if len(missing):
                verb = "is" if len(missing) == 1 else "are"
                what = f"{_who(fabric, missing)} {verb} not on plane {plane.plane} of `{declared.name}`"
            elif len(fewer):
                at = int(fewer[0])
                has = f"{'has' if len(fewer) == 1 else 'have'} {there[at]} of {most[at]} ports"
                what = f"{_who(fabric, fewer)} {has} on plane {plane.plane} of `{declared.name}`"
            else:
                continue
            yield planes_unequal.finding(
                what,
                ("fabrics", row, "attach"),
                on="key",
                hint="attach as many ports of every host to each plane, or make them fabrics of their own",
                facts={"planes": len(planes), "hosts on it": int((there > 0).sum()), "hosts in all": int((most > 0).sum())},
            )


def _ports(plane: Subnet, hosts: int) -> Ints:
    """Ports of each host on the slots of a plane."""
    counts: Ints = np.bincount(plane.ports.host[plane.ports.rail >= 0], minlength=hosts).astype(np.int32)
    return counts


def _who(fabric: Fabric, rows: npt.NDArray[np.intp]) -> str:
    first = fabric.hosts.names[int(rows[0])]
    return f"{first} and {len(rows) - 1} more hosts" if len(rows) > 1 else first
