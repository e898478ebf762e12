"""What the fabric leaves collectives and training: the slowest hop of the rings, the fullest link of an all-to-all.

Takes a study's results. Gives `FabricRate`s, and curves and steps held to them. A ring is as fast as its slowest hop; one host
has as many rings as adapters, so a host's rate is the sum of its rails'. Subnets of one fabric are taken to be alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ibgen.catalog import Catalog
from ibgen.fabric import Fabric, Subnet
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

from .attached import Attached, whole
from .patterns import Flows, Rows
from .pool_collectives import PoolCollectives, pool_collectives
from .rates import GBS, Rates
from .results import BoundsResult, FabricRate
from .training import TrainingOutcome, run
from .tuning import Operation

RINGS: tuple[Operation, ...] = ("all_reduce", "all_gather", "reduce_scatter")


Most = Callable[[Flows], float]
"""Share of line rate that adaptive routing is declared to leave the slowest of some flows."""

DECLARED = "declared efficiency of adaptive routing"
STATIC = "max-min fair, static tables"


def ratings(
    fabric: Fabric, subnet: Subnet, jobs: Rows, rings: tuple[Flows | None, Rates | None], trees: float | None,
    every: Mapping[int, float], bounded: tuple[BoundsResult, ...], held: Mapping[int, Attached], most: Most | None,
) -> tuple[FabricRate, ...]:  # fmt: skip
    """Three per pool with GPUs whose hosts are on this subnet; nothing where there are no rings. `trees`: share of the rail
    trees; `every`: of an all-to-all, by pool; `held`: the adapters that are attached and in service, by pool."""
    flows, rates = rings
    if flows is None or rates is None:
        return ()
    declared = {b.pattern: b.fluid * b.efficiency for b in bounded if b.active and b.efficiency is not None}
    found = []
    for pool, platform in enumerate(fabric.hosts.platforms):
        mine = jobs[fabric.hosts.pool[subnet.ports.host[jobs]] == pool]
        if not platform.gpus or not len(mine):
            continue
        own = held.get(pool) or whole(platform)
        inside = np.isin(flows[0], mine)
        ring = _slowest(subnet, mine, rates, flows[0])
        limit = most((flows[0][inside], flows[1][inside])) if most is not None else None
        found.append(_rated(pool, "ring", ring, limit, own, "rail rings", STATIC))
        if trees is not None:
            # adaptive routing spreads what meets on a tree's links as it does that of a ring
            found.append(_rated(pool, "tree", trees, limit, own, "rail trees", "static tables"))
        found.append(_rated(pool, "alltoall", every[pool], declared.get("all-to-all"), own, "all-to-all", "static tables"))
    return tuple(found)


def _rated(
    pool: int, operation: str, share: float, declared: float | None, own: Attached, pattern: str, model: str
) -> FabricRate:
    """The share of the tables, or the declared one of adaptive routing where that is more; of what the slowest host has."""
    if declared is not None and declared > share:
        share, model = declared, DECLARED
    if own.part < 1:
        model += f", {own.adapters} of {own.of} adapters"
    return FabricRate(pool, operation, share * own.part, share * own.least, own.whole, pattern, model)


def workload_rates(
    spec: ClusterSpec, fabric: Fabric, subnet: Subnet, named: Mapping[str, Flows], rates: Mapping[str, Rates],
    held: Mapping[int, Attached], most: Most | None,
) -> dict[int, dict[str, float]]:  # fmt: skip
    """GB/s per host that a workload's own traffic is left by its slowest flow, by row and operation: `alltoall` of its experts,
    `sendrecv` of its pipeline. Nothing where it has no such traffic here."""
    found: dict[int, dict[str, float]] = {}
    for row, workload in enumerate(spec.workloads):
        for operation, name in (("alltoall", f"experts {workload.name}"), ("sendrecv", f"pipeline {workload.name}")):
            if name not in named or not len(named[name][0]):
                continue
            sources, destinations = named[name]
            pool = int(fabric.hosts.pool[subnet.ports.host[sources[0]]])
            count = np.bincount(sources, minlength=len(subnet.ports.host))[sources]
            part = rates[name] * count / (subnet.ports.rate_gbps[sources] / GBS)
            share = min(1.0, float(part.min()))
            if most is not None:
                share = max(share, most((sources, destinations)))
            own = held.get(pool) or whole(fabric.hosts.platforms[pool])
            found.setdefault(row, {})[operation] = share * own.least
    return found


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
    trees = {r.pool: r.gbs for r in rated if r.operation == "tree"}
    for rate in (r for r in rated if r.gbs > 0 and r.operation != "tree"):
        operations: tuple[Operation, ...] = RINGS if rate.operation == "ring" else ("alltoall",)
        carried = {rate.pool: rate.gbs}
        every = pool_collectives(
            spec, fabric, targets, catalog, operations=operations, fabric_gbs=carried, tree_gbs=trees, pools=(rate.pool,)
        )
        for made in every:
            earlier = found.get(made.pool)
            found[made.pool] = made if earlier is None else replace(earlier, curves=earlier.curves + made.curves)
    return tuple(found[pool] for pool in sorted(found))


def training_outcomes(
    spec: ClusterSpec, fabric: Fabric, catalog: Catalog, rated: tuple[FabricRate, ...],
    carried: Mapping[int, Mapping[str, float]] | None = None,
) -> tuple[TrainingOutcome, ...]:  # fmt: skip
    """Every workload, held to the rates of its pool's rings and trees, and to those of its own traffic (`carried`, by row); at
    line rate where the pool has none here."""
    if not spec.workloads:
        return ()
    slowest = {r.pool: r.gbs for r in rated if r.operation == "ring"}
    trees = {r.pool: r.gbs for r in rated if r.operation == "tree"}
    return run(spec, fabric, catalog, fabric_gbs=slowest, tree_gbs=trees, carried=carried or {}, worse=True)
