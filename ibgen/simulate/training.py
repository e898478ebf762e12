"""How long a training step takes, what of it is spent waiting for the network, and what makes it worse.

Takes `workloads` of the spec, the hosts and the catalog. Gives a `TrainingStep` per workload, or why it does not fit
(`Misfit`s); `scaling` and `sensitivity` ask again on other node counts and on a worse fabric. Model: FLOPs over a fixed share
of peak, plus what each axis cannot hide, plus the pipeline's bubble. Times in seconds, rates in GB/s, FLOPS in 1e12 per second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ibgen.catalog import Catalog, Platform
from ibgen.catalog.tuning import tuning_table
from ibgen.fabric import ACTIVE, Fabric
from ibgen.spec import ClusterSpec, Workload

from .axes import Machine, Traffic, traffic
from .collectives import DEFAULT_VERSION
from .layout import Layout, Misfit, place
from .node_graph import domain_shape, host_shape
from .patterns import Rows
from .reach import joined_hosts, widest

OVERLAP = {"tensor": 0.25, "pipeline": 0.95, "data": 0.875, "expert": 0.35, "context": 0.9}
"""Share of an axis' communication hidden behind compute, where the spec gives none: the middle of what is reported (data 0.8 to
0.95, tensor 0 to 0.5, expert 0 to 0.7, pipeline nearly all in steady state); context is unverified. Fixed before comparing."""

BACKWARD = 2 / 3
"""Share of the compute that is the backward pass, behind which gradients can hide: it costs twice the forward pass."""

EXTRA_LATENCY_US = 20.0
"""What `sensitivity` adds to every step over the network."""


@dataclass(frozen=True, slots=True)
class AxisTime:
    """One axis. `bytes_per_gpu` on the wire in a step; `exposed_s` is what compute does not hide of `total_s`."""

    axis: str
    size: int
    bytes_per_gpu: float
    total_s: float
    exposed_s: float
    inside: bool  # whether it stays within NVLink


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """One step of one workload. `mfu` counts the model's own FLOPs; `tflops_per_gpu` also those computed again."""

    workload: str
    gpus: int
    nodes: int
    data: int
    micro_batches: int
    tokens: int
    step_s: float
    compute_s: float
    bubble_s: float
    axes: tuple[AxisTime, ...]
    mfu: float
    tflops_per_gpu: float
    assumed_shape: bool

    @property
    def exposed_s(self) -> float:
        return sum(a.exposed_s for a in self.axes)

    @property
    def exposed_share(self) -> float:
        """Share of the step spent waiting for communication."""
        return self.exposed_s / self.step_s

    @property
    def idle_share(self) -> float:
        """Share of the step in which a GPU computes nothing: communication and bubble."""
        return (self.exposed_s + self.bubble_s) / self.step_s


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """A workload of the spec, by its row: a step, or why there is none; and, where it was asked, what makes it worse."""

    row: int
    step: TrainingStep | None
    misfits: tuple[Misfit, ...]
    sensitivity: Sensitivity | None = None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The same step with `extra_us` more on every network step, and with one rail of `rails` lost (None where a host has one
    adapter)."""

    extra_us: float
    rails: int
    more_latency: TrainingStep
    lost_rail: TrainingStep | None


@dataclass(frozen=True, slots=True)
class ScalingPoint:
    """One size of the job at the same global batch; `step` is None where the workload does not divide over it."""

    nodes: int
    gpus: int
    step: TrainingStep | None
    misfits: tuple[Misfit, ...]


def run(
    spec: ClusterSpec, fabric: Fabric, catalog: Catalog, *, fabric_gbs: Mapping[int, float] | None = None,
    tree_gbs: Mapping[int, float] | None = None, carried: Mapping[int, Mapping[str, float]] | None = None, worse: bool = False,
) -> tuple[TrainingOutcome, ...]:  # fmt: skip
    """Every workload of the spec, in its order. `fabric_gbs`: what the fabric carries per host, by pool; line rate for others;
    `tree_gbs` of trees; `carried` of a workload's own traffic, by row (`alltoall`, `sendrecv`). `worse`: also what more latency
    and a lost rail do."""
    joined = joined_hosts(fabric) if spec.workloads else np.zeros(0, np.intp)
    own = carried or {}
    trees = {pool: {"tree": gbs} for pool, gbs in (tree_gbs or {}).items()}
    return tuple(
        _outcome(spec, fabric, catalog, row, fabric_gbs or {}, (trees, own.get(row, {})), worse, joined)
        for row in range(len(spec.workloads))
    )


def machine(
    platform: Platform, catalog: Catalog, version: str, *, domain: int | None = None, fabric_gbs: float | None = None
) -> Machine | None:
    """A platform as the training model sees it; None without GPUs or without their FLOPS in the catalog. `domain`: hosts of one
    NVLink domain, where the platform's own number does not hold."""
    shape = host_shape(platform, catalog, version)
    model = catalog.gpu(platform.gpu) if platform.gpu else None
    if shape is None or model is None or not model.bf16_dense_tflops:
        return None
    efficiency = tuning_table(catalog, shape.sm, version).gemm_efficiency
    whole = domain_shape(shape, domain or platform.nvlink_domain_hosts)
    return Machine(whole, model.bf16_dense_tflops, efficiency, version, catalog, fabric_gbs)


def step(workload: Workload, on: Machine, available: int) -> tuple[TrainingStep | None, tuple[Misfit, ...]]:
    """One workload on `available` GPUs."""
    at, misfits = place(workload, available)
    if at is None:
        return None, misfits
    if at.gpus > on.shape.gpus and not on.shape.units:
        return None, (Misfit("pool", "its hosts have no compute adapters, so GPUs cannot talk", "give them adapters"),)
    return _step(workload, at, on), ()


def sensitivity(workload: Workload, on: Machine, available: int) -> Sensitivity | None:
    """None where the workload does not fit."""
    slower, _ = step(workload, replace(on, extra_latency_us=on.extra_latency_us + EXTRA_LATENCY_US), available)
    if slower is None:
        return None
    less, rails = on.shape.without_rail(), on.shape.units // on.shape.hosts
    if less is None:
        return Sensitivity(EXTRA_LATENCY_US, rails, slower, None)
    part = less.units / on.shape.units
    left = None if on.fabric_gbs is None else on.fabric_gbs * part
    carried = {kind: gbs * part for kind, gbs in on.carried.items()}
    worse = replace(on, shape=less, fabric_gbs=left, carried=carried)
    return Sensitivity(EXTRA_LATENCY_US, rails, slower, step(workload, worse, available)[0])


def scaling(workload: Workload, on: Machine, nodes: Sequence[int]) -> tuple[ScalingPoint, ...]:
    """Strong scaling: the same batch over each number of nodes."""
    points = []
    per_host = on.shape.gpus // on.shape.hosts
    for count in nodes:
        made, misfits = step(workload.model_copy(update={"gpus": count * per_host}), on, count * per_host)
        points.append(ScalingPoint(count, count * per_host, made, misfits))
    return tuple(points)


def _outcome(
    spec: ClusterSpec, fabric: Fabric, catalog: Catalog, row: int, fabric_gbs: Mapping[int, float],
    more: tuple[Mapping[int, Mapping[str, float]], Mapping[str, float]], worse: bool, joined: Rows,
) -> TrainingOutcome:  # fmt: skip
    workload = spec.workloads[row]
    pools = [p for p, platform in enumerate(fabric.hosts.platforms) if platform.gpus]
    if workload.pool is not None:
        pools = [p for p in pools if spec.pools[p].name == workload.pool]
    if len(pools) != 1:
        names = ", ".join(spec.pools[p].name for p in pools)
        message = f"the GPU pools {names} could run it" if pools else "no pool with GPUs could run it"
        return TrainingOutcome(row, None, (Misfit("pool", message, "name one pool with GPUs"),))
    platform = fabric.hosts.platforms[pools[0]]
    version = spec.nccl.version if spec.nccl else DEFAULT_VERSION
    on = machine(platform, catalog, version, domain=spec.pools[pools[0]].domain, fabric_gbs=fabric_gbs.get(pools[0]))
    if on is None:
        hint = "add `bf16_dense_tflops` to the GPU in a catalog file of your own"
        return TrainingOutcome(row, None, (Misfit("pool", f"the catalog does not say what a {platform.gpu} computes", hint),))
    on = replace(on, carried={**more[0].get(pools[0], {}), **more[1]})
    if fabric_gbs.get(pools[0]) == 0 or 0 in on.carried.values():
        return TrainingOutcome(row, None, (Misfit("pool", "some of its hosts have no way to one another", "mend the routes"),))
    active = int(np.count_nonzero((fabric.hosts.pool == pools[0]) & (fabric.hosts.state == ACTIVE))) * platform.gpus
    available = widest(fabric, pools[0], joined) * platform.gpus
    if workload.gpus and available < workload.gpus <= active:
        message = f"it asks for {workload.gpus} GPUs, of the pool's {active} no more than {available} are joined by cables"
        return TrainingOutcome(row, None, (Misfit("gpus", message, f"gpus: {available}"),))
    made, misfits = step(workload, on, available)
    return TrainingOutcome(row, made, misfits, sensitivity(workload, on, available) if worse else None)


def _flops(w: Workload, at: Layout) -> float:
    """FLOPs of a step: 6 per parameter and token, and 12 x layers x hidden x sequence per token for attention."""
    tokens = float(w.global_batch) * w.sequence
    return 6 * at.active_parameters * tokens + 12 * at.layers * at.pipeline * at.hidden * w.sequence * tokens


def _step(w: Workload, at: Layout, on: Machine) -> TrainingStep:
    flops = _flops(w, at)
    again = 4 / 3 if w.recompute else 1.0
    compute = flops * again / (at.gpus * on.peak_tflops * 1e12 * on.gemm_efficiency)
    axes = tuple(_axis(w, t, compute) for t in traffic(w, at, on))
    busy = compute + sum(a.exposed_s for a in axes if a.axis in ("tensor", "expert", "context"))
    bubble = busy * (at.pipeline - 1) / (at.interleave * at.micro_batches)
    total = busy + bubble + sum(a.exposed_s for a in axes if a.axis in ("pipeline", "data"))
    per_gpu = flops / at.gpus / total / 1e12
    per_host = on.shape.gpus // on.shape.hosts
    return TrainingStep(
        workload=w.name, gpus=at.gpus, nodes=-(-at.gpus // per_host), data=at.data, micro_batches=at.micro_batches,
        tokens=w.global_batch * w.sequence, step_s=total, compute_s=compute, bubble_s=bubble, axes=axes,
        mfu=per_gpu / on.peak_tflops, tflops_per_gpu=per_gpu * again, assumed_shape=at.assumed_shape,
    )  # fmt: skip


def _axis(w: Workload, t: Traffic, compute: float) -> AxisTime:
    window = compute * BACKWARD if t.axis == "data" and w.zero < 3 else compute
    hidden = min(w.overlap.get(t.axis, OVERLAP[t.axis]) * t.total_s, window)
    return AxisTime(t.axis, t.size, t.bytes_per_gpu, t.total_s, t.total_s - hidden, t.inside)
