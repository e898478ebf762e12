"""What is wrong with a workload whatever hosts are in service: numbers that contradict each other, GPUs that nobody has."""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.fabric import Fabric
from ibgen.simulate.layout import Misfit, place
from ibgen.spec import ClusterSpec, Workload

_OWN = frozenset({"hidden", "heads", "kv_heads", "layers", "sequence", "top_k", "active_parameters", "moe_layers"})
"""Fields whose misfits do not depend on the number of GPUs."""


def contradictions(workload: Workload) -> tuple[Misfit, ...]:
    """Numbers of the workload that do not go together, one per field."""
    w = workload
    size = w.gpus or w.tensor * w.pipeline * w.context
    found = {m.field: m for m in place(w, size)[1] if m.field in _OWN} | {m.field: m for m in _further(w)}
    return tuple(found.values())


def _further(w: Workload) -> Iterator[Misfit]:
    """What the layout cannot see, for it stops at the first of these or does not read them."""
    if w.global_batch % w.micro_batch:
        near = max(1, round(w.global_batch / w.micro_batch)) * w.micro_batch
        message = f"a batch of {w.global_batch} is no multiple of micro-batch {w.micro_batch}"
        yield Misfit("global_batch", message, f"global_batch: {near}")
    if w.experts is None:
        for field in ("top_k", "moe_layers", "dispatch_bytes"):
            if getattr(w, field) is not None:
                yield Misfit(field, f"{field} says nothing without experts", "experts: 64, or take it out")
    elif w.top_k is not None and w.top_k > w.experts:
        yield Misfit("top_k", f"a token cannot go to {w.top_k} of {w.experts} experts", f"top_k: {w.experts} or less")
    if w.active_parameters is not None and w.active_parameters > w.parameters:
        yield Misfit("active_parameters", "more parameters are active than there are", f"at most {w.parameters:g}")
    if w.layers and w.moe_layers and w.moe_layers > w.layers:
        yield Misfit("moe_layers", f"{w.moe_layers} layers with experts of {w.layers}", f"moe_layers: {w.layers} or less")


def gpus_of(spec: ClusterSpec, fabric: Fabric) -> dict[str, int]:
    """GPUs of every pool that has any, those of planned hosts and of hosts out of service too."""
    counts = {p: 0 for p, platform in enumerate(fabric.hosts.platforms) if platform.gpus}
    for pool in fabric.hosts.pool.tolist():
        if pool in counts:
            counts[pool] += fabric.hosts.platforms[pool].gpus
    return {spec.pools[p].name: count for p, count in counts.items()}


def impossible(spec: ClusterSpec, fabric: Fabric, row: int) -> str:
    """The field that asks for GPUs nobody has: `pool`, `gpus`, or nothing."""
    workload, counts = spec.workloads[row], gpus_of(spec, fabric)
    if not counts or (workload.pool is not None and workload.pool not in counts):
        return "pool"
    most = counts[workload.pool] if workload.pool is not None else max(counts.values())
    return "gpus" if workload.gpus is not None and workload.gpus > most else ""
