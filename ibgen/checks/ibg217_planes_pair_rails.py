from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, IslandPlan, Subnet
from ibgen.spec import ClusterSpec


@rule("IBG217", "planes-pair-rails", Severity.WARNING)
def planes_pair_rails(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A rail that belongs to one GPU on one plane and to another GPU on the next.

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
        first: dict[tuple[int, int], tuple[int, str, int]] = {}  # (pool, rail) -> GPU, adapter, plane
        told: set[int] = set()
        for plane in planes:
            for pool, rail, attach, hca in _rails(fabric, plane):
                adapter = fabric.hosts.platforms[pool].hcas[hca]
                if adapter.gpu is None:
                    continue
                gpu, name, number = first.setdefault((pool, rail), (adapter.gpu, adapter.name, plane.plane))
                if gpu == adapter.gpu or attach in told:
                    continue
                told.add(attach)
                yield planes_pair_rails.finding(
                    f"rail {rail} is GPU {gpu}'s on plane {number} ({name}) and GPU {adapter.gpu}'s on plane {plane.plane}",
                    ("fabrics", row, "attach", attach, "hcas"),
                    label=f"{adapter.name} stands where GPU {gpu}'s adapter belongs",
                    hint="name the adapters of every plane in the same order of GPUs",
                )


def _rails(fabric: Fabric, plane: Subnet) -> list[tuple[int, int, int, int]]:
    """(pool, rail, row of `attach`, adapter) of a plane, each once, in that order."""
    ports = plane.ports
    keep = ports.compute & (ports.rail >= 0)
    columns = [fabric.hosts.pool[ports.host[keep]], ports.rail[keep], ports.attach[keep], ports.hca[keep]]
    rows: list[list[int]] = np.unique(np.stack(columns, axis=1), axis=0).tolist()
    return [(pool, rail, attach, hca) for pool, rail, attach, hca in rows]
