from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, IslandPlan, Subnet
from ibgen.spec import ClusterSpec


@rule("IBG217", "planes-pair-rails", Severity.WARNING)
def planes_pair_rails(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A rail that belongs to one GPU on one plane and to another GPU on the next, where both GPUs are on both.

    Adapters are lined up in the order of the `attach` entry: the first of each plane is rail 0, the second rail 1. With lists
    in different orders a rail is GPU 0's here and GPU 1's there. Libraries that merge the ports of a rail over the planes then
    send half of a GPU's traffic through another GPU's adapter.

    Bad:
        ibgen: 1
        cluster: lab
        pools:
          - name: gpu
            hosts: node-[01-04]
            platform:
              kind: generic
              gpu: A100-80G
              gpus: 2
              hcas:
                - {name: mlx5_0, rate: 200G, gpu: 0}
                - {name: mlx5_1, rate: 200G, gpu: 0}
                - {name: mlx5_2, rate: 200G, gpu: 1}
                - {name: mlx5_3, rate: 200G, gpu: 1}
        fabrics:
          - name: compute
            control: {kind: opensm}
            topology: {kind: fat-tree, planes: 2, leaf: {switch: qm8700}}
            attach:
              - {pool: gpu, hcas: [mlx5_0, mlx5_2], ports: {1: plane-a}}
              - {pool: gpu, hcas: [mlx5_3, mlx5_1], ports: {1: plane-b}}
    Good:
        ibgen: 1
        cluster: lab
        pools:
          - name: gpu
            hosts: node-[01-04]
            platform:
              kind: generic
              gpu: A100-80G
              gpus: 2
              hcas:
                - {name: mlx5_0, rate: 200G, gpu: 0}
                - {name: mlx5_1, rate: 200G, gpu: 0}
                - {name: mlx5_2, rate: 200G, gpu: 1}
                - {name: mlx5_3, rate: 200G, gpu: 1}
        fabrics:
          - name: compute
            control: {kind: opensm}
            topology: {kind: fat-tree, planes: 2, leaf: {switch: qm8700}}
            attach:
              - {pool: gpu, hcas: [mlx5_0, mlx5_2], ports: {1: plane-a}}
              - {pool: gpu, hcas: [mlx5_1, mlx5_3], ports: {1: plane-b}}
    """
    for row in range(len(spec.fabrics)):
        planes = fabric.of(row)
        if len(planes) < 2 or isinstance(planes[0].layout, IslandPlan):
            continue
        first: dict[int, tuple[int, dict[int, tuple[int, str]]]] = {}  # pool -> plane, and rail -> GPU and adapter
        told: set[int] = set()
        for plane in planes:
            for pool, rails in _rails(fabric, plane).items():
                number, there = first.setdefault(pool, (plane.plane, {r: (gpu, name) for r, (gpu, name, _) in rails.items()}))
                if {gpu for gpu, _ in there.values()} != {gpu for gpu, _, _ in rails.values()}:
                    continue  # GPUs that are on one plane only: no rail spans the two
                for rail, (gpu, name, attach) in rails.items():
                    other = there.get(rail)
                    if other is None or other[0] == gpu or attach in told:
                        continue
                    told.add(attach)
                    here = f"GPU {gpu}'s on plane {plane.plane}"
                    yield planes_pair_rails.finding(
                        f"rail {rail} is GPU {other[0]}'s on plane {number} ({other[1]}) and {here}",
                        ("fabrics", row, "attach", attach, "hcas"),
                        label=f"{name} stands where GPU {other[0]}'s adapter belongs",
                        hint="name the adapters of every plane in the same order of GPUs",
                    )


def _rails(fabric: Fabric, plane: Subnet) -> dict[int, dict[int, tuple[int, str, int]]]:
    """Per pool, for each rail of a plane with a GPU: that GPU, the adapter and the row of `attach`."""
    ports = plane.ports
    keep = ports.compute & (ports.rail >= 0)
    columns = [fabric.hosts.pool[ports.host[keep]], ports.rail[keep], ports.attach[keep], ports.hca[keep]]
    found: dict[int, dict[int, tuple[int, str, int]]] = {}
    for pool, rail, attach, hca in np.unique(np.stack(columns, axis=1), axis=0).tolist():
        adapter = fabric.hosts.platforms[pool].hcas[hca]
        if adapter.gpu is not None:
            found.setdefault(pool, {})[rail] = (adapter.gpu, adapter.name, attach)
    return found
