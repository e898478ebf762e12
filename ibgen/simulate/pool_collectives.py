"""Collectives of the pools a spec declares, with the NCCL it declares and what that NCCL is told.

Takes `ClusterSpec`, `Fabric`, `Targets`, `Catalog`. Gives `PoolCollectives` per pool with GPUs: curves over its active
hosts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ibgen.catalog import Catalog
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

from .collectives import DEFAULT_VERSION, SIZES, CollectiveCurve, communicator, curve
from .reach import joined_hosts, widest
from .tuning import Operation

USUAL: tuple[Operation, ...] = ("all_reduce", "all_gather", "reduce_scatter", "alltoall")


@dataclass(frozen=True, slots=True)
class PoolCollectives:
    """One pool. `hosts`: as many of its active ones as cables join; `settings`: what of its nccl.conf the model heeds."""

    pool: int  # row of `spec.pools`
    hosts: int
    settings: tuple[tuple[str, str], ...]
    curves: tuple[CollectiveCurve, ...]


def pool_collectives(
    spec: ClusterSpec, fabric: Fabric, targets: Targets, catalog: Catalog, *,
    operations: Sequence[Operation] = USUAL, sizes: Sequence[int] = SIZES, fabric_gbs: Mapping[int, float] | None = None,
    tree_gbs: Mapping[int, float] | None = None, pools: Sequence[int] | None = None,
) -> tuple[PoolCollectives, ...]:  # fmt: skip
    """`fabric_gbs`: what the fabric carries per host and direction, GB/s, by pool; line rate for others; `tree_gbs` what it
    carries of trees. `pools`: only these. A job takes as many hosts as cables join. Pools without an active host, and single
    GPUs, have nothing to talk about and are left out."""
    found = []
    version = spec.nccl.version if spec.nccl else DEFAULT_VERSION
    joined = joined_hosts(fabric)
    for row, platform in enumerate(fabric.hosts.platforms):
        if not platform.gpus or (pools is not None and row not in pools):
            continue
        hosts = widest(fabric, row, joined)
        told = _told(targets, row)
        s = communicator(
            platform, catalog, hosts, version, cross_nic=told.get("NCCL_CROSS_NIC") != "0",
            collnet=told.get("NCCL_COLLNET_ENABLE") == "1", mnnvl=told.get("NCCL_MNNVL_ENABLE") != "0",
            domain=spec.pools[row].domain,
        )  # fmt: skip
        if s is None or s.ranks < 2:
            continue
        carried = (fabric_gbs or {}).get(row)
        share = carried * s.graph.shape.hosts if carried is not None else None
        tree = (tree_gbs or {}).get(row)
        trees = tree * s.graph.shape.hosts if tree is not None else None
        curves = tuple(curve(s, operation, sizes, fabric_gbs=share, tree_gbs=trees) for operation in operations)
        found.append(PoolCollectives(row, hosts, tuple(sorted(told.items())), curves))
    return tuple(found)


HEEDED = ("NCCL_COLLNET_ENABLE", "NCCL_CROSS_NIC", "NCCL_MNNVL_ENABLE")


def _told(targets: Targets, pool: int) -> dict[str, str]:
    """The pool's first class of hosts speaks for it: classes differ by adapters, not by these."""
    profile = next((p for p in targets.nccl if p.pool == pool), None)
    return {s.name: s.value for s in profile.settings if s.name in HEEDED} if profile else {}
