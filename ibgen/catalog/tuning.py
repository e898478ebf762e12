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

OLDEST = (2, 18)
"""Older releases are taken for this one: their models were not looked at."""

Algorithm = Literal["ring", "tree", "collnet-direct", "collnet-chain", "nvls", "nvls-tree", "pat"]
ByNodes = tuple[Amount, Amount, Amount]
"""For one node, two nodes, more nodes."""

ByProtocol = tuple[Amount, Amount, Amount]
"""For LL, LL128, Simple."""


class TuningTable(Fact):
    """One GPU generation. `*_gbs` are ceilings of one channel but for `ll_single_gbs` (all channels, one node) and
    `nvlink_link_gbs` (one NVLink, one direction, as NCCL counts it). `gemm_efficiency` is a share of dense peak."""

    sm: int
    since: str
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


def tuning_table(catalog: Catalog, sm: int | None, version: str) -> TuningTable:
    """The row of a compute capability in a release; newer GPUs take the newest row, unknown ones the oldest."""
    rows = [r for r in catalog.rows(TABLES) if isinstance(r, TuningTable) and release(r.since) <= _at(version)]
    rows.sort(key=lambda r: (r.sm, release(r.since)))
    return next((r for r in reversed(rows) if r.sm <= (sm or 0)), rows[0])


def _at(version: str) -> tuple[int, ...]:
    return max(release(version), OLDEST)


def latencies(catalog: Catalog, version: str) -> dict[Algorithm, AlgorithmLatency]:
    """By algorithm, those that the release has."""
    found: dict[Algorithm, AlgorithmLatency] = {}
    rows = (r for r in catalog.rows(LATENCIES) if isinstance(r, AlgorithmLatency))
    for row in sorted(rows, key=lambda r: release(r.since)):
        if release(row.since) <= _at(version):
            found[row.algorithm] = row
    return found
