"""What NCCL's tuning model and graph search are made of: rates by GPU generation, latencies by algorithm.

Takes the catalog and a compute capability or a release, gives `TuningTable` and `AlgorithmLatency`. GB/s are 1e9 byte/s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .fact import Amount, Fact
from .nccl import release

if TYPE_CHECKING:
    from .catalog import Catalog

TABLES = "tuning"
LATENCIES = "latency"

Algorithm = Literal["ring", "tree", "collnet-direct", "collnet-chain", "nvls", "nvls-tree", "pat"]
ByNodes = tuple[Amount, Amount, Amount]
"""For one node, two nodes, more nodes."""

ByProtocol = tuple[Amount, Amount, Amount]
"""For LL, LL128, Simple."""


class TuningTable(Fact):
    """One GPU generation. `*_gbs` are ceilings of one channel but for `ll_single_gbs` (all channels, one node) and
    `nvlink_link_gbs` (one NVLink, one direction, as NCCL counts it). `gemm_efficiency` is a share of dense peak."""

    sm: int
    generation: str
    nvlink_link_gbs: Amount
    speeds_inter: tuple[Amount, ...]
    speeds_intra: tuple[Amount, ...]
    nvls_efficiency: Amount
    ll_single_gbs: Amount
    ring_ll128_gbs: ByNodes
    tree_ll128_gbs: ByNodes
    tree_gbs: ByNodes
    nvls_tree_gbs: ByNodes
    gemm_efficiency: Amount


class AlgorithmLatency(Fact):
    """One algorithm from the release `since` on: once, and per step over NVLink, PCIe and the network."""

    algorithm: Algorithm
    since: str
    base_us: ByProtocol
    nvlink_us: ByProtocol
    pci_us: ByProtocol
    net_us: ByProtocol


def tuning_table(catalog: Catalog, sm: int | None) -> TuningTable:
    """The row of a compute capability; newer and unknown ones take the newest row below, or the oldest there is."""
    rows = sorted((r for r in catalog.rows(TABLES) if isinstance(r, TuningTable)), key=lambda r: r.sm)
    return max((r for r in rows if r.sm <= (sm or 0)), key=lambda r: r.sm, default=rows[0])


def latencies(catalog: Catalog, version: str) -> dict[Algorithm, AlgorithmLatency]:
    """By algorithm, those the release has."""
    found: dict[Algorithm, AlgorithmLatency] = {}
    rows = (r for r in catalog.rows(LATENCIES) if isinstance(r, AlgorithmLatency))
    for row in sorted(rows, key=lambda r: release(r.since)):
        if release(row.since) <= release(version):
            found[row.algorithm] = row
    return found
