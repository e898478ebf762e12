from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG126", "excluded-adapter", Severity.ERROR)
def excluded_adapter(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """An adapter named by hand that the platform says must never carry fabric traffic.

    Azure's accelerated-networking function shows up as `mlx5_an0`: an Ethernet device that NCCL would use (NVIDIA/nccl#1101).

    Bad:
        pools: [{name: gpu, platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: compute, attach: [{pool: gpu, hcas: [mlx5_ib0, mlx5_an0]}, {pool: service, hcas: all, at: reserved}]}]
    Good:
        pools: [{name: gpu, platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: compute, attach: [{pool: gpu, hcas: [mlx5_ib0]}, {pool: service, hcas: all, at: reserved}]}]
    """
    names = {pool.name: p for p, pool in enumerate(spec.pools)}
    for i, declared in enumerate(spec.fabrics):
        for a, attach in enumerate(declared.attach):
            if attach.pool not in names:
                continue
            excluded = fabric.hosts.platforms[names[attach.pool]].excluded_hcas
            if isinstance(attach.hcas, tuple):
                for n, name in enumerate(attach.hcas):
                    if name in excluded:
                        yield excluded_adapter.finding(
                            f"`{name}` is not a fabric adapter on this platform",
                            ("fabrics", i, "attach", a, "hcas", n),
                            hint="take it out of the list",
                        )
