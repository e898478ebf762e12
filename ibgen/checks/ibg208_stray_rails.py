from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec


@rule("IBG208", "stray-rails", Severity.WARNING)
def stray_rails(spec: ClusterSpec, fabric: Fabric, simulation: Simulation) -> Iterator[Finding]:
    """Adapters that plug into the leaf of another rail.

    Same-rail traffic of that host crosses the spines although the rail's leaf is beside it. The design is read off
    the cables first: hosts that keep all adapters on one leaf are no broken rails.

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
                - "leaf-02:3 node-03/mlx5_0:1"
                - "leaf-01:3 node-03/mlx5_3:1"
                - "leaf-01:33 spine-01:1"
                - "leaf-02:33 spine-01:2"
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
    for r in simulation.rails:
        if not len(r.strays):
            continue
        subnet = next(s for s in fabric.subnets if s.name == r.subnet)
        row = int(r.strays[0])
        host = fabric.hosts.names[int(subnet.ports.host[row])]
        platform = fabric.hosts.platforms[int(fabric.hosts.pool[subnet.ports.host[row]])]
        adapter = platform.hcas[int(subnet.ports.hca[row])].name
        yield stray_rails.finding(
            f"{len(r.strays)} adapters lie on another rail's leaf",
            ("fabrics", r.fabric, "topology"),
            on="key",
            label=f"first: {host}/{adapter} on {subnet.switches.names[int(subnet.ports.leaf[row])]}",
            hint="swap the two cables of the host",
            facts={"aligned": round(r.aligned, 4), "design": r.design},
        )
