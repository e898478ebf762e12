from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import HOST_CABLE, Fabric, Subnet
from ibgen.spec import ClusterSpec


@rule("IBG206", "islands", Severity.ERROR)
def islands(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Switches of one fabric that no cable joins.

    A subnet manager sees only its own island; the other one stays without LIDs, and nothing says so (linux-rdma/ibsim#39).

    Bad:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-03]", platform: dgx-h100}]
        fabrics:
          - name: compute
            control: {kind: opensm, flavour: nvidia, routing: [ar_updn]}
            attach: [{pool: gpu, hcas: [mlx5_0, mlx5_3]}]
            topology:
              kind: explicit
              switches: [{names: "leaf-[01-02]", switch: qm9700, role: leaf}, {names: spine-01, switch: qm9700, role: spine}]
              cables:
                - "leaf-01:1 node-01/mlx5_0:1"
                - "leaf-02:1 node-01/mlx5_3:1"
                - "leaf-01:2 node-02/mlx5_0:1"
                - "leaf-02:2 node-02/mlx5_3:1"
                - "leaf-01:3 node-03/mlx5_0:1"
                - "leaf-02:3 node-03/mlx5_3:1"
                - "leaf-01:33 spine-01:1"
    Good:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-03]", platform: dgx-h100}]
        fabrics:
          - name: compute
            control: {kind: opensm, flavour: nvidia, routing: [ar_updn]}
            attach: [{pool: gpu, hcas: [mlx5_0, mlx5_3]}]
            topology:
              kind: explicit
              switches: [{names: "leaf-[01-02]", switch: qm9700, role: leaf}, {names: spine-01, switch: qm9700, role: spine}]
              cables:
                - "leaf-01:1 node-01/mlx5_0:1"
                - "leaf-02:1 node-01/mlx5_3:1"
                - "leaf-01:2 node-02/mlx5_0:1"
                - "leaf-02:2 node-02/mlx5_3:1"
                - "leaf-01:3 node-03/mlx5_0:1"
                - "leaf-02:3 node-03/mlx5_3:1"
                - "leaf-01:33 spine-01:1"
                - "leaf-02:33 spine-01:2"
    """
    for subnet in fabric.subnets:
        parts = _parts(subnet)
        if len(parts) > 1:
            names = [subnet.switches.names[int(p[0])] for p in parts]
            yield islands.finding(
                f"`{subnet.name}` falls into {len(parts)} parts",
                ("fabrics", subnet.fabric, "topology"),
                on="key",
                label=f"no path between {names[0]} and {names[1]}",
                hint="join them by a cable, or make them two fabrics",
                facts={"parts": len(parts), "smallest": f"{min(map(len, parts))} switches"},
            )


def _parts(subnet: Subnet) -> list[np.ndarray]:
    """The connected components of the switches, each as sorted rows: labels sink along cables until none changes."""
    cables = subnet.cables
    between = cables.kind != HOST_CABLE
    a, b = cables.lower[between], cables.upper[between]
    label = np.arange(len(subnet.switches.names))
    while True:
        before = label.copy()
        least = np.minimum(label[a], label[b])
        np.minimum.at(label, a, least)
        np.minimum.at(label, b, least)
        label = label[label]
        if (label == before).all():
            return [np.flatnonzero(label == x) for x in np.unique(label)]
