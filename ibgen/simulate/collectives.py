"""How long a collective takes, and what nccl-tests would print for it.

Takes a communicator (`tuning.Setting`) and what the fabric lets through. Gives `Collective`s and `CollectiveCurve`s over sizes.
NCCL chooses by its own model, which knows nothing of the fabric; a slower fabric then holds the choice back. Model: NCCL's
tuning model; sizes in bytes, as nccl-tests counts them; rates in GB/s (1e9 byte/s); times in us.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ibgen.catalog import Catalog, Platform
from ibgen.catalog.tuning import tuning_table

from .node_graph import HostShape, domain_shape, host_shape, search, search_inside
from .tuning import Choice, Operation, Protocol, Setting, choices, setting, time_us

OPERATIONS: tuple[Operation, ...] = (
    "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "sendrecv",
)  # fmt: skip
SIZES = tuple(2**n for n in range(3, 35))
"""8 B to 16 GiB."""

DEFAULT_VERSION = "2.28"
"""The NCCL that is modelled where the spec declares none: the first release with today's model."""

_P2P_US = 8.4 + 14.0
"""Once per exchange: the ring's Simple latencies of src/graph/tuning.cc, base and network; NCCL has no model of its own."""

_PEER_US = 1.0
"""Posting to one peer: NCCL's network overhead on Intel hosts."""


@dataclass(frozen=True, slots=True)
class Collective:
    """One operation at one size. `algorithm` is `p2p` where NCCL runs plain sends; `limit` says what sets the rate."""

    operation: Operation
    nodes: int
    ranks: int
    size_bytes: int
    algorithm: str
    protocol: Protocol
    time_us: float
    algbw_gbs: float
    busbw_gbs: float
    limit: str  # "nccl" or "fabric"


@dataclass(frozen=True, slots=True)
class CollectiveCurve:
    """One operation over sizes. `line_gbs`: what a node's adapters carry; `fabric_gbs`: what the fabric lets through."""

    operation: Operation
    nodes: int
    ranks: int
    version: str
    line_gbs: float
    fabric_gbs: float | None
    points: tuple[Collective, ...]


TREES = ("tree", "nvls-tree")


def bus_factor(operation: Operation, ranks: int) -> float:
    """busbw = algbw x this (nccl-tests, doc/PERFORMANCE.md)."""
    if ranks <= 1:
        return 1.0
    if operation == "all_reduce":
        return 2 * (ranks - 1) / ranks
    return (ranks - 1) / ranks if operation in ("all_gather", "reduce_scatter", "alltoall") else 1.0


def communicator(
    platform: Platform, catalog: Catalog, hosts: int, version: str = DEFAULT_VERSION, *,
    gdr: bool = True, cross_nic: bool = True, collnet: bool = False, mnnvl: bool = True, domain: int | None = None,
    extra_latency_us: float = 0.0,
) -> Setting | None:  # fmt: skip
    """All GPUs of `hosts` hosts of a platform; None where it has none. Hosts of one NVLink domain count as one node, unless
    `mnnvl` is false (NCCL_MNNVL_ENABLE=0); `domain` is the hosts of one, where the platform's own number does not hold."""
    shape = host_shape(platform, catalog, version, gdr=gdr)
    if shape is None or hosts < 1:
        return None
    together = min(hosts, domain or platform.nvlink_domain_hosts) if mnnvl else 1
    shape = domain_shape(shape, together)
    nodes = -(-hosts // together)
    return over(
        shape, nodes, version, catalog, cross_nic=cross_nic, collnet=collnet, extra_latency_us=extra_latency_us
    )  # fmt: skip


def over(
    shape: HostShape, nodes: int, version: str, catalog: Catalog, *,
    cross_nic: bool = True, collnet: bool = False, extra_latency_us: float = 0.0,
) -> Setting:  # fmt: skip
    """A communicator over `nodes` nodes of one shape."""
    table = tuning_table(catalog, shape.sm, version)
    graph = search_inside(shape, table) if nodes == 1 else search(shape, table, cross_nic=cross_nic)
    return setting(graph, nodes, version, catalog, collnet=collnet, extra_latency_us=extra_latency_us)


def collective(
    s: Setting, operation: Operation, size_bytes: int, *, fabric_gbs: float | None = None, tree_gbs: float | None = None,
    algorithm: str | None = None,
) -> Collective:  # fmt: skip
    """One operation. `fabric_gbs` is what the fabric carries per node and direction; None: the adapters' line rate. `tree_gbs`:
    what it carries where nodes talk in trees; None: the same.
    `algorithm` forces one, as NCCL_ALGO does; one that does not apply is ignored, as NCCL ignores it."""
    if s.ranks <= 1:
        return Collective(operation, s.nodes, s.ranks, size_bytes, "ring", "Simple", 0.0, 0.0, 0.0, "nccl")
    if operation in ("alltoall", "sendrecv"):
        return _p2p(s, operation, size_bytes, fabric_gbs)
    every = tuple(choices(s, operation))
    some = tuple(c for c in every if c.algorithm == algorithm) or every
    best = min(some, key=lambda c: time_us(s, operation, c, size_bytes))
    free = time_us(s, operation, best, size_bytes)
    held = replace(
        best,
        algbw_gbs=min(
            best.algbw_gbs,
            _through(s, operation, best, tree_gbs if tree_gbs is not None and best.algorithm in TREES else fabric_gbs),
        ),
    )
    time = max(free, time_us(s, operation, held, size_bytes))
    return _made(s, operation, size_bytes, best.algorithm, best.protocol, time, "fabric" if time > free else "nccl")


def curve(
    s: Setting, operation: Operation, sizes: Sequence[int] = SIZES, *, fabric_gbs: float | None = None,
    tree_gbs: float | None = None,
) -> CollectiveCurve:  # fmt: skip
    """One operation over sizes."""
    points = tuple(collective(s, operation, n, fabric_gbs=fabric_gbs, tree_gbs=tree_gbs) for n in sizes)
    line = s.graph.shape.line_gbs if s.nodes > 1 else 0.0
    return CollectiveCurve(operation, s.nodes, s.ranks, s.version, line, fabric_gbs, points)


def _through(s: Setting, operation: Operation, choice: Choice, fabric_gbs: float | None) -> float:
    """The most algorithm bandwidth the network allows: rate of a node over the bytes it sends for each byte reduced."""
    if s.nodes == 1:
        return float("inf")
    rate = min(s.graph.shape.line_gbs, fabric_gbs if fabric_gbs is not None else float("inf"))
    if choice.algorithm in TREES:
        return rate / (1 if s.nodes == 2 else 2)  # a node in the middle sends up and down
    if choice.algorithm == "ring":
        return rate / bus_factor(operation, s.ranks)
    return rate


def _p2p(s: Setting, operation: Operation, size_bytes: int, fabric_gbs: float | None) -> Collective:
    """Plain sends. alltoall: every rank sends size/ranks to every other, network and NVLink at once; sendrecv: to the next."""
    shape, ranks = s.graph.shape, s.ranks
    usable = shape.units * shape.nic_gbs
    rate = min(usable, fabric_gbs if fabric_gbs is not None else usable)
    latency = _P2P_US + s.extra_latency_us if s.nodes > 1 else 8.4 + 3.4
    if operation == "sendrecv":
        one = rate / max(1, shape.units) if s.nodes > 1 else shape.nvlink_gbs
        seconds = size_bytes / (1000 * one) if one else float("inf")
    else:
        outside = shape.gpus * (ranks - shape.gpus) * size_bytes / ranks
        inside = (shape.gpus - 1) * size_bytes / ranks
        wire = outside / (1000 * rate) if outside and rate else (float("inf") if outside else 0.0)
        seconds = max(wire, inside / (1000 * shape.nvlink_gbs) if inside else 0.0)
        latency += _PEER_US * (ranks - 1)
    limit = "fabric" if s.nodes > 1 and rate < usable else "nccl"
    return _made(s, operation, size_bytes, "p2p", "Simple", latency + seconds, limit)


def _made(
    s: Setting, operation: Operation, size: int, algorithm: str, protocol: Protocol, time: float, limit: str
) -> Collective:
    algbw = size / (1000 * time) if time else 0.0
    busbw = algbw * bus_factor(operation, s.ranks)
    return Collective(operation, s.nodes, s.ranks, size, algorithm, protocol, time, algbw, busbw, limit)
