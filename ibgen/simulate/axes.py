"""Communication of a training step, axis by axis: bytes a GPU sends, and how long they take unhidden.

Takes a `Workload`, its `Layout` and a `Machine`. Gives `Traffic` per axis. Each axis' group is put where its ranks lie: as many
as fit in an NVLink domain talk over NVLink, and the group has its share of the domain's adapters. Formulas: Megatron-LM
(Narayanan 2021), ZeRO (Rajbhandari 2020), ring attention (Liu 2023); times by the collectives model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ibgen.catalog import Catalog
from ibgen.spec import Workload

from .collectives import collective, over
from .layout import Layout
from .node_graph import HostShape
from .tuning import Operation, Setting


@dataclass(frozen=True, slots=True)
class Machine:
    """What a workload runs on. `shape`: an NVLink domain of `shape.hosts` hosts; `fabric_gbs`: the fabric's rate per host."""

    shape: HostShape
    peak_tflops: float  # dense bf16, one GPU
    gemm_efficiency: float  # share of peak that transformer layers reach
    version: str
    catalog: Catalog
    fabric_gbs: float | None = None
    carried: Mapping[str, float] = field(default_factory=dict)  # GB/s per host of `tree`, `alltoall`, `sendrecv`, where known
    extra_latency_us: float = 0.0


@dataclass(frozen=True, slots=True)
class Traffic:
    """One axis of one step: bytes on the wire per GPU, seconds if nothing hid them, hosts' network or NVLink alone."""

    axis: str
    size: int
    bytes_per_gpu: float
    total_s: float
    inside: bool


def traffic(w: Workload, at: Layout, machine: Machine) -> tuple[Traffic, ...]:
    """The axes that talk, in the order tensor, pipeline, data, expert, context."""
    return tuple(t for part in (_tensor, _pipeline, _data, _expert, _context) for t in part(w, at, machine))


def _group(machine: Machine, size: int, stride: int) -> Setting:
    """A group of `size` ranks, `stride` GPUs apart, as a communicator."""
    gpus = machine.shape.gpus
    ranks = min(size, max(1, gpus // stride))
    while size % ranks:
        ranks -= 1  # a group that straddles domains unevenly talks at the pace of its smallest part
    shape = machine.shape.part(ranks)
    return over(shape, size // ranks, machine.version, machine.catalog, extra_latency_us=machine.extra_latency_us)


def _seconds(machine: Machine, s: Setting, operation: Operation, size_bytes: float, ring: bool = False) -> float:
    """`ring`: sends along a ring, for which the fabric leaves what it leaves rings."""
    part = machine.shape.hosts * s.graph.shape.gpus / machine.shape.gpus
    fabric = machine.fabric_gbs if ring else machine.carried.get(operation, machine.fabric_gbs)
    tree = machine.carried.get("tree")
    fabric, tree = (None if gbs is None else gbs * part for gbs in (fabric, tree))
    return collective(s, operation, max(1, round(size_bytes)), fabric_gbs=fabric, tree_gbs=tree).time_us / 1e6


def _activation(w: Workload) -> float:
    """Bytes of one micro-batch between two layers, before tensor parallelism cuts it."""
    return float(w.micro_batch) * w.sequence / w.context * w.bytes_per_element


def _tensor(w: Workload, at: Layout, machine: Machine) -> Iterator[Traffic]:
    """Two all-reduces forward, two backward per layer, two more where the forward pass is computed again."""
    if at.tensor == 1:
        return
    s = _group(machine, at.tensor, 1)
    size = _activation(w) * at.hidden
    count = (6 if w.recompute else 4) * at.layers * at.micro_batches
    wire = count * size * 2 * (at.tensor - 1) / at.tensor
    yield Traffic("tensor", at.tensor, wire, count * _seconds(machine, s, "all_reduce", size), s.nodes == 1)


def _pipeline(w: Workload, at: Layout, machine: Machine) -> Iterator[Traffic]:
    """An activation forward and its gradient backward per boundary and micro-batch, cut over the tensor ranks."""
    if at.pipeline == 1:
        return
    s = _group(machine, at.pipeline, at.tensor * at.context * at.data)
    size = _activation(w) * at.hidden / at.tensor
    count = 2 * at.micro_batches * at.interleave
    yield Traffic("pipeline", at.pipeline, count * size, count * _seconds(machine, s, "sendrecv", size), s.nodes == 1)


def _data(w: Workload, at: Layout, machine: Machine) -> Iterator[Traffic]:
    """Gradients of dense parameters over data x context ranks, of experts over those that hold the same ones."""
    replicas = at.data * at.context
    parts = [(at.dense_per_gpu, replicas, at.tensor), (at.expert_per_gpu, replicas // at.expert, at.tensor * at.expert)]
    bytes_sent = seconds = 0.0
    inside = True
    for parameters, size, stride in parts:
        if size <= 1 or not parameters:
            continue
        s = _group(machine, size, stride)
        held = parameters * w.bytes_per_element
        todo: tuple[Operation, ...] = (
            ("all_reduce",) if w.zero == 0 else ("reduce_scatter", "all_gather") + (("all_gather",) if w.zero == 3 else ())
        )
        for operation in todo:
            seconds += _seconds(machine, s, operation, held)
            bytes_sent += held * (size - 1) / size * (2 if operation == "all_reduce" else 1)
        inside = inside and s.nodes == 1
    if bytes_sent:
        yield Traffic("data", replicas, bytes_sent, seconds, inside)


def _expert(w: Workload, at: Layout, machine: Machine) -> Iterator[Traffic]:
    """Dispatch and combine, forward and backward: four all-to-alls per layer with experts. With tensor parallelism the tokens
    are cut over its ranks (sequence parallelism), as frameworks demand."""
    if at.expert == 1 or not w.top_k:
        return
    s = _group(machine, at.expert, at.tensor)
    size = _activation(w) * at.hidden * w.top_k / at.tensor
    light = size * (w.dispatch_bytes or w.bytes_per_element) / w.bytes_per_element  # one of the four may be in fp8
    rounds = at.moe_layers * at.micro_batches
    seconds = rounds * (3 * _seconds(machine, s, "alltoall", size) + _seconds(machine, s, "alltoall", light))
    wire = rounds * (3 * size + light) * (at.expert - 1) / at.expert
    yield Traffic("expert", at.expert, wire, seconds, s.nodes == 1)


def _context(w: Workload, at: Layout, machine: Machine) -> Iterator[Traffic]:
    """Ring attention: keys and values travel past every rank of the group, forward and backward."""
    if at.context == 1:
        return
    s = _group(machine, at.context, at.tensor)
    size = 2 * _activation(w) * at.kv_hidden / at.tensor
    count = (at.context - 1) * at.layers * (3 if w.recompute else 2) * at.micro_batches
    yield Traffic("context", at.context, count * size, count * _seconds(machine, s, "sendrecv", size, ring=True), s.nodes == 1)
