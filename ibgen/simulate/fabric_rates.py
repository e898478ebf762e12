"""What the fabric leaves collectives and training: the slowest hop of the rings, the fullest link of an all-to-all.

Takes a study's results. Gives `FabricRate`s, and curves and steps held to them. A ring is as fast as its slowest hop; one host
has as many rings as adapters, so a host's rate is the sum of its rails'. Subnets of one fabric are taken to be alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ibgen.catalog import Catalog
from ibgen.fabric import Fabric, Subnet
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

from .patterns import Flows, Rows
from .pool_collectives import PoolCollectives, pool_collectives
from .rates import GBS, Rates
from .results import BoundsResult, FabricRate
from .training import TrainingOutcome, run
from .tuning import Operation

RINGS: tuple[Operation, ...] = ("all_reduce", "all_gather", "reduce_scatter")


def ratings(
    spec: ClusterSpec, fabric: Fabric, subnet: Subnet, jobs: Rows, rings: Rates | None, every: Mapping[int, float],
    bounded: tuple[BoundsResult, ...], named: Mapping[str, Flows],
) -> tuple[FabricRate, ...]:  # fmt: skip
    """Two per pool with GPUs whose hosts are on this subnet; nothing where there are no rings. `every`: share of line rate of
    an all-to-all, by pool."""
    if rings is None:
        return ()
    declared = {b.pattern: b.fluid * b.efficiency for b in bounded if b.active and b.efficiency is not None}
    found = []
    for pool, platform in enumerate(fabric.hosts.platforms):
        mine = jobs[fabric.hosts.pool[subnet.ports.host[jobs]] == pool]
        if not platform.gpus or not len(mine):
            continue
        line = sum(h.total_gbps for h in platform.hcas if h.role == "compute") / GBS
        share = _slowest(subnet, mine, rings, named["rail rings"][0])
        found.append(_rated(pool, "ring", share, declared.get("rail rings"), line, "rail rings", "max-min fair, static tables"))
        found.append(_rated(pool, "alltoall", every[pool], declared.get("all-to-all"), line, "all-to-all", "static tables"))
    return tuple(found)


def _rated(
    pool: int, operation: str, share: float, declared: float | None, line: float, pattern: str, model: str
) -> FabricRate:
    """The share of the tables, or the declared one of adaptive routing where that is more."""
    if declared is not None and declared > share:
        share, model = declared, "declared efficiency of adaptive routing"
    return FabricRate(pool, operation, share, share * line, line, pattern, model)


def _slowest(subnet: Subnet, mine: Rows, rates: Rates, sources: Rows) -> float:
    """Share of line rate: per rail the slowest hop of its ring, rails summed."""
    inside = np.isin(sources, mine)
    rail = subnet.ports.rail[sources[inside]]
    line = subnet.ports.rate_gbps[sources[inside]] / GBS
    rails = np.unique(rail)
    least = sum(float(rates[inside][rail == r].min()) for r in rails)
    return min(1.0, least / sum(float(line[rail == r].max()) for r in rails))


def held_collectives(
    spec: ClusterSpec, fabric: Fabric, targets: Targets, catalog: Catalog, rated: tuple[FabricRate, ...]
) -> tuple[PoolCollectives, ...]:
    """Curves of every pool that has a rate, each operation held to the rate of its kind; none where a hop has no way."""
    found: dict[int, PoolCollectives] = {}
    for rate in (r for r in rated if r.gbs > 0):
        operations: tuple[Operation, ...] = RINGS if rate.operation == "ring" else ("alltoall",)
        every = pool_collectives(spec, fabric, targets, catalog, operations=operations, fabric_gbs=rate.gbs, pools=(rate.pool,))
        for made in every:
            earlier = found.get(made.pool)
            found[made.pool] = made if earlier is None else replace(earlier, curves=earlier.curves + made.curves)
    return tuple(found[pool] for pool in sorted(found))


def training_outcomes(
    spec: ClusterSpec, fabric: Fabric, catalog: Catalog, rated: tuple[FabricRate, ...]
) -> tuple[TrainingOutcome, ...]:
    """Every workload, held to the rate of its pool's rings; at line rate where the pool has none here."""
    if not spec.workloads:
        return ()
    slowest = {r.pool: r.gbs for r in rated if r.operation == "ring"}
    return run(spec, fabric, catalog, fabric_gbs=slowest, worse=True)
