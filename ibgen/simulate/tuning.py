"""NCCL's tuning model: bandwidth and latency of each algorithm and protocol, and the time they predict.

Takes a `NodeGraph`, the number of nodes and a release. Gives `Choice`s: algorithm, protocol, algorithm bandwidth (GB/s),
latency (us). Written from src/graph/tuning.cc; where releases differ, by the constants found in their libraries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ibgen.catalog import Catalog
from ibgen.catalog.nccl import release
from ibgen.catalog.tuning import Algorithm, AlgorithmLatency, latencies

from .node_graph import NodeGraph

Operation = Literal["all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "sendrecv"]
Protocol = Literal["LL", "LL128", "Simple"]
PROTOCOLS: tuple[Protocol, ...] = ("LL", "LL128", "Simple")

CAPS_SINCE = (2, 28)
"""First release with ceilings on NVLSTree and an efficiency of NVLS: found in the library of 2.28.9, not in that of 2.27.5."""

# Values of src/graph/tuning.cc, GB/s for two and for more nodes: what LL reaches over the network, by the host's processor.
_LL_MULTI = {"intel": (39.0, 20.4), "other": (39.0, 20.4), "amd": (22.5, 19.0)}
_NET_OVERHEAD_US = {"intel": 1.0, "other": 1.0, "amd": 2.0}

# treeCorrectionFactor of src/graph/tuning.cc: powers of two from 64 B to 256 MB, by protocol.
_TREE_BY_SIZE: dict[Protocol, tuple[float, ...]] = {
    "LL": (1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1),
    "LL128": (1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1),
    "Simple": (.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9),
}  # fmt: skip

RINGS_ONLY = ("broadcast", "reduce")


@dataclass(frozen=True, slots=True)
class Choice:
    """One algorithm and protocol. `latency_us` includes every step; `channels` counts those the search found."""

    algorithm: Algorithm
    protocol: Protocol
    algbw_gbs: float
    latency_us: float
    channels: int


@dataclass(frozen=True, slots=True)
class Setting:
    """What a communicator is: `nodes` hosts (or NVLink domains) of `graph`, a release, whether switches reduce (SHARP)."""

    graph: NodeGraph
    nodes: int
    version: str
    by: tuple[tuple[Algorithm, AlgorithmLatency], ...]
    collnet: bool = False
    extra_latency_us: float = 0.0

    @property
    def ranks(self) -> int:
        return self.nodes * self.graph.shape.gpus

    @property
    def recent(self) -> bool:
        return release(self.version)[:2] >= CAPS_SINCE

    @property
    def scale(self) -> int:
        return min(self.nodes, 3) - 1


@cache
def _latencies(catalog_digest: str, version: str) -> tuple[tuple[Algorithm, AlgorithmLatency], ...]:
    from ibgen.catalog import standard

    return tuple(latencies(standard(), version).items())


def setting(
    graph: NodeGraph, nodes: int, version: str, catalog: Catalog, *, collnet: bool = False, extra_latency_us: float = 0.0
) -> Setting:
    """A communicator over `nodes` nodes."""
    return Setting(graph, nodes, version, _latencies(catalog.facts.digest, version), collnet, extra_latency_us)


def choices(s: Setting, operation: Operation) -> Iterator[Choice]:
    """Every algorithm and protocol NCCL would weigh for the operation, in a fixed order."""
    for algorithm, rows in s.by:
        if not _applies(s, operation, algorithm):
            continue
        for index, protocol in enumerate(PROTOCOLS):
            bandwidth = _bandwidth(s, operation, algorithm, protocol)
            if bandwidth > 0:
                channels = s.graph.nvls.count if algorithm.startswith("nvls") and s.graph.nvls else s.graph.ring.count
                yield Choice(algorithm, protocol, bandwidth, _latency(s, operation, algorithm, rows, index), channels)


def time_us(s: Setting, operation: Operation, choice: Choice, size_bytes: int) -> float:
    """The time the model weighs: latency and bytes over bandwidth, with its corrections for trees and rings."""
    bandwidth, latency = choice.algbw_gbs, choice.latency_us
    step = size_bytes.bit_length() - 7  # log2(bytes / 64)
    corrected = choice.algorithm == "tree" or (
        choice.algorithm == "nvls-tree" and s.recent and s.graph.table.sm >= 100 and s.graph.shape.cpu != "other"
    )
    if operation == "all_reduce" and corrected and 0 <= step < 24:
        bandwidth *= _TREE_BY_SIZE[choice.protocol][step]
    plateau = choice.algorithm == "ring" and choice.protocol == "Simple" and s.nodes > 1 and operation == "all_reduce"
    if plateau and size_bytes / (choice.channels * s.ranks) >= 64:
        latency *= 1.9 if s.graph.table.sm < 80 else 1.4
    return latency + size_bytes / (1000 * bandwidth)


def steps(operation: Operation, ranks: int) -> int:
    """Steps of a ring."""
    if operation == "all_reduce":
        return 2 * (ranks - 1)
    return ranks - 1 if operation in ("all_gather", "reduce_scatter") else ranks


def _applies(s: Setting, operation: Operation, algorithm: Algorithm) -> bool:
    g, many = s.graph, s.nodes > 1
    if algorithm == "ring":
        return True
    if operation in RINGS_ONLY:
        return False
    if algorithm == "pat":
        return operation != "all_reduce" and g.shape.gpus == 1 and many
    if algorithm.startswith("collnet"):
        return s.collnet and many and operation == "all_reduce" and (algorithm == "collnet-chain" or g.shape.nvswitch)
    if algorithm == "nvls":
        return g.nvls is not None and (not many or (s.collnet and operation == "all_reduce"))
    if algorithm == "nvls-tree":
        return g.nvls is not None and many and operation == "all_reduce"
    return operation == "all_reduce"


def _bandwidth(s: Setting, operation: Operation, algorithm: Algorithm, protocol: Protocol) -> float:
    """Algorithm bandwidth, GB/s; 0 where the pair does not exist."""
    if algorithm == "ring":
        return _ring(s, protocol) * s.ranks / steps(operation, s.ranks)
    if algorithm == "tree":
        return _tree(s, protocol) * 0.5
    if protocol != "Simple":
        return 0.0
    if algorithm in ("nvls", "nvls-tree"):
        return _nvls(s, operation, algorithm)
    if algorithm == "pat":
        return s.graph.ring.count * s.graph.ring.inter_gbs * 0.75
    return _collnet(s, algorithm)


def _ring(s: Setting, protocol: Protocol) -> float:
    found, table = s.graph.ring, s.graph.table
    bus = found.count * (found.intra_gbs if s.nodes <= 2 else found.inter_gbs)
    if protocol == "LL":
        most = table.ll_single_gbs if s.nodes == 1 else _LL_MULTI[s.graph.shape.cpu][s.scale - 1]
        return min(most, bus * 0.5)
    if protocol == "LL128":
        return min(bus * 0.92, found.count * table.ring_ll128_gbs[s.scale]) if _ll128(s) else 0.0
    return bus


def _tree(s: Setting, protocol: Protocol) -> float:
    found, table = s.graph.tree, s.graph.table
    bus = found.count * (found.intra_gbs if s.nodes <= 2 else found.inter_gbs)
    bus = min(bus * 0.92, found.count * table.tree_gbs[s.scale])
    if protocol == "LL":
        most = table.ll_single_gbs if s.nodes == 1 else _LL_MULTI[s.graph.shape.cpu][s.scale - 1]
        bus = min(bus / 3.8, most)
    elif protocol == "LL128":
        share = 7 / 9 if s.nodes == 1 else 120 / 128
        bus = min(bus * share, found.count * table.tree_ll128_gbs[s.scale]) if _ll128(s) else 0.0
    return bus * (0.85 if s.graph.simple_tree else 1.0)


def _ll128(s: Setting) -> bool:
    """Where NCCL lets LL128 run unasked: NVLink inside, and adapters under the GPUs' own switches (or behind C2C) outside."""
    shape = s.graph.shape
    return shape.nvlink and (s.nodes == 1 or shape.path == "PIX" or shape.c2c)


def _nvls(s: Setting, operation: Operation, algorithm: Algorithm) -> float:
    found, table, gpus = s.graph.nvls, s.graph.table, s.graph.shape.gpus
    if found is None or (found.count < 2 and s.recent):
        return 0.0
    two = s.nodes <= 2 and algorithm == "nvls-tree"
    if not s.recent:
        inter = found.inter_gbs * (1 if two or algorithm == "nvls" else 0.5) if s.nodes > 1 else float("inf")
        return found.count * min(found.intra_gbs, inter) * 5 / 6
    intra = found.intra_gbs * table.nvls_efficiency * (found.count - 1) / found.count
    intra *= 2 if operation == "all_reduce" else (gpus - 1) / gpus
    inter = found.inter_gbs * (2 if two else 1) if s.nodes > 1 else float("inf")
    cap = table.nvls_tree_gbs[s.scale] if algorithm == "nvls-tree" else float("inf")
    bus = found.count * min(intra, inter, cap)
    return bus * s.ranks / steps(operation, s.ranks) if operation == "all_reduce" else bus


def _collnet(s: Setting, algorithm: Algorithm) -> float:
    """Switches reduce: each node sends its data once. All-reduce only."""
    found = s.graph.tree
    bus = found.count * found.intra_gbs
    if algorithm == "collnet-direct":
        factor = s.graph.shape.gpus / found.count
        bus /= factor - (factor - 1) / 2
        bus *= 0.85 if s.graph.table.sm >= 90 else 1.0
    return bus * 0.5


def _latency(s: Setting, operation: Operation, algorithm: Algorithm, rows: AlgorithmLatency, p: int) -> float:
    shape, nodes = s.graph.shape, s.nodes
    base = rows.base_us[p]
    intra = (rows.nvlink_us if shape.nvlink else rows.pci_us)[p]
    inter = rows.net_us[p] + s.extra_latency_us
    per_node = shape.gpus
    depth = (nodes.bit_length() - 1) if nodes else 0
    if algorithm == "ring":
        if operation in RINGS_ONLY:
            return base + steps(operation, s.ranks) * (inter if nodes > 1 else intra)
        between = 0 if nodes == 1 else (2 if operation == "all_reduce" else 1) * (nodes - 1)
        overhead = _NET_OVERHEAD_US[shape.cpu] * (3 if p == 2 else 1) if nodes > 1 else 0.0
        return base + (steps(operation, s.ranks) - between) * max(intra, overhead) + between * inter
    if algorithm == "tree":
        return base + 2 * ((per_node - 1) * intra + depth * inter)
    if algorithm == "pat":
        return base + depth * inter / 3.5 + 2.8 * s.ranks
    if algorithm == "nvls":
        return intra + (inter if nodes > 1 else 0.0)
    if algorithm == "nvls-tree":
        return base + intra + 2 * depth * inter
    if algorithm == "collnet-direct":
        return base + 2 * (min(1, per_node - 1) * intra + (per_node - 1) * 0.4) + inter
    return base + 2 * (per_node - 1) * intra + inter
