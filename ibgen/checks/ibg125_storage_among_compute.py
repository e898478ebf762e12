from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG125", "storage-among-compute", Severity.WARNING)
def storage_among_compute(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Storage adapters of GPU hosts on the fabric that also carries their compute adapters.

    Storage and compute are separate fabrics in every reference architecture: storage traffic would thin out the
    rails, and a discovery tool would take the storage leaf for everybody's leaf (needs 1, K17; NVIDIA/nccl#1412).

    Bad:
        fabrics: [{name: compute, attach: [{pool: gpu, hcas: all}, {pool: service, hcas: all, at: reserved}]}]
    Good:
        fabrics: [{name: compute, attach: [{pool: gpu, hcas: compute}, {pool: service, hcas: all, at: reserved}]}]
    """
    names = {pool.name: p for p, pool in enumerate(spec.pools)}
    for i, declared in enumerate(spec.fabrics):
        for a, attach in enumerate(declared.attach):
            if attach.pool not in names:
                continue
            platform = fabric.hosts.platforms[names[attach.pool]]
            storage = [h.name for h in platform.hcas if h.role == "storage"]
            compute = [h.name for h in platform.hcas if h.role == "compute"]
            if not platform.gpus or not storage or not compute:
                continue
            chosen = set(attach.hcas) if isinstance(attach.hcas, tuple) else None
            mixed = attach.hcas == "all" if chosen is None else bool(chosen & set(storage)) and bool(chosen & set(compute))
            if mixed:
                yield storage_among_compute.finding(
                    f"`{declared.name}` carries storage adapters of `{attach.pool}`",
                    ("fabrics", i, "attach", a, "hcas"),
                    label=f"includes {', '.join(storage)}",
                    hint="write `hcas: compute` here and give storage a fabric of its own",
                )
