"""One subnet under traffic: loads, rates, bounds, rank order, and what that leaves collectives and the training step.

Takes `ClusterSpec`, `Fabric`, `Targets`, `Catalog`, a row of `fabric.subnets`, and tables where real ones are known. Gives a
`Study`: facts only. Models: counting on static tables; max-min fair rates; a fluid as the bound of adaptive routing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ibgen.catalog import Catalog
from ibgen.fabric import ACTIVE, Fabric, Subnet
from ibgen.hostlist import fold
from ibgen.route import Graph, Removed, Routes, graph
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.service_levels import class_of

from .attached import Attached, attached
from .bounding import bounds, declared_slowest, group_detours
from .engines import TablesOf, adaptive, engine_of, tables
from .fabric_rates import held_collectives, ratings, training_outcomes, workload_rates
from .group_shift import NAME as GROUP_SHIFT
from .group_shift import group_shift
from .halves import halves
from .heat import heat
from .jobs import compute_rows, place_of, trees
from .link_tiers import tier_links
from .loads import Loads, flow_loads
from .measures import every_pair, random_patterns, rank_trees, share_among, shift_set, single_rings
from .multipath import multipath
from .named import WorstCable, groups_of, worst_cables
from .order import order_advice
from .patterns import Flows, Rows
from .rates import Rates, capacities, max_min
from .reach import joined_hosts, widest
from .results import DEFAULTS, FabricRate, Options, PatternResult, RateResult, Study, counted
from .storage import NAME as INCAST
from .storage import sides
from .traffic import named_flows
from .uneven import by_rate
from .walking import Tables

__all__ = ["Options", "Study", "study"]

STATIC = "static tables"
MAX_MIN = "max-min fair, static tables"


@dataclass(frozen=True)
class _Ground:
    """What every part of a study stands on."""

    spec: ClusterSpec
    fabric: Fabric
    subnet: Subnet
    graph: Graph
    tables: Tables
    options: Options
    jobs: Rows  # compute endpoints
    place: Rows  # [H]
    links: Rates
    injected: Rates

    def loads(self, flows: Flows) -> Loads:
        return flow_loads(self.tables, flows, self.options.fast)


def study(
    spec: ClusterSpec, fabric: Fabric, targets: Targets, catalog: Catalog, subnet: int, routes: Routes | None = None,
    options: Options = DEFAULTS, *, without: Removed | None = None,
) -> Study:  # fmt: skip
    """`routes` win over computed tables. `without`: what is out of service."""
    s = fabric.subnets[subnet]
    g = routes.graph if routes is not None else graph(s, without)
    if engine_of(spec, s) == "ecmp" and routes is None:
        return multipath(spec, fabric, targets, catalog, s, g, options)
    options.progress(f"routing {s.name}")
    made, origin = tables(spec, fabric, targets, s, g, routes, exact=options.exact, fast=options.fast)
    links, injected = capacities(s, g)
    ground = _Ground(
        spec, fabric, s, g, made, options, compute_rows(s, g), place_of(fabric, options.order), links, injected
    )  # fmt: skip
    return _study(ground, targets, catalog, origin)


def _study(x: _Ground, targets: Targets, catalog: Catalog, origin: TablesOf) -> Study:
    x.options.progress(f"patterns on {x.subnet.name}")
    found = [shift_set(x.tables, STATIC, x.options.fast)]
    found += random_patterns(x.tables, x.graph.plugged, STATIC, x.options)
    x.options.progress(f"all-to-all on {x.subnet.name}")
    every, links, injected = every_pair(x.tables, STATIC, x.options.fast)
    found.append(every)
    named = named_flows(x.spec, x.fabric, x.subnet, x.graph, x.jobs, x.place, x.options.seed)
    loads = {name: x.loads(flows) for name, flows in named.items()}
    if len(x.jobs) > 1:
        found += single_rings(x.tables, x.jobs, x.place, x.subnet.ports.host.astype(np.intp), STATIC, x.options)
        found.append(rank_trees(x.tables, trees(x.fabric, x.subnet, x.jobs, x.place), STATIC, x.options.fast))
    between = group_shift(x.subnet, x.graph)
    remarks = {GROUP_SHIFT: between.note} if between is not None else {}
    single = [name for name in named if name != "permutation"]
    found += [counted(name, STATIC, loads[name], remarks.get(name, ""), named[name][0]) for name in single]
    groups = groups_of(x.subnet)
    tiers = tier_links(x.graph, "permutation", loads["permutation"].links, loads["permutation"].injected, groups)
    tiers += tier_links(x.graph, "all-to-all", links, injected, groups)
    x.options.progress(f"rates on {x.subnet.name}")
    rates = {name: max_min(loads[name], flows[0], x.links, x.injected) for name, flows in named.items()}
    bounded = bounds(x.spec, x.subnet, x.graph, catalog, named, loads, x.links, x.injected, every.share)
    held = attached(targets)
    most = declared_slowest(x.spec, x.subnet, x.graph, catalog, x.links, x.injected)
    ring = named.get("rail rings"), rates.get("rail rings")
    trees_share = next((p.share for p in found if p.name == "rail trees"), None)
    rated = ratings(x.fabric, x.subnet, x.jobs, ring, trees_share, _every_by_pool(x, every.share), bounded, held, most)
    carried = workload_rates(x.spec, x.fabric, x.subnet, named, rates, held, most)
    filled = by_rate(links, x.links, _line(x)) if x.graph.speed is not None else links
    more = x.options.collectives
    return Study(
        x.subnet.name, x.subnet.fabric, x.options.seed, len(x.graph.plugged), _hosts(x), int(x.graph.linked.sum()), _line(x),
        origin, tuple(found), tiers, _worst(x, named, loads), tuple(_rated(x, named, loads, rates)), bounded,
        order_advice(x.tables, x.fabric, x.subnet, x.jobs, x.place, x.options.seed, x.options.fast), rated,
        held_collectives(x.spec, x.fabric, targets, catalog, rated) if more else (),
        training_outcomes(x.spec, x.fabric, catalog, rated, carried) if more else (),
        (*_notes(x, found, origin), *_apart(x, rated), *_short(x, held)), heat(x.tables, x.fabric, x.subnet, filled, STATIC),
        halves(x.graph, x.links, x.injected, x.subnet.switches.pod.astype(np.intp)),
        group_detours(x.subnet, x.graph, named, loads, x.links, x.injected), sides(named.get(INCAST), x.injected),
    )  # fmt: skip


def _every_by_pool(x: _Ground, share: float) -> dict[int, float]:
    """Share of line rate of an all-to-all within each pool. Where all links have one rate the whole fabric's stands for it."""
    pool = x.fabric.hosts.pool[x.subnet.ports.host[x.jobs]]
    if x.graph.speed is None:
        return dict.fromkeys(np.unique(pool).tolist(), share)
    return {p: share_among(x.tables, x.jobs[pool == p], x.options.fast) for p in np.unique(pool).tolist()}


def _rated(x: _Ground, named: dict[str, Flows], loads: dict[str, Loads], rates: dict[str, Rates]) -> list[RateResult]:
    line = _line(x)
    found = []
    for name, values in rates.items():
        found.append(_rate(name, named[name], values, line, (), x.options.seed))
    for class_name, share in background(x.spec, x.subnet):
        for name in [n for n in ("rail rings",) if n in named] or ["permutation"]:
            values = max_min(loads[name], named[name][0], x.links, x.injected, share)
            found.append(_rate(name, named[name], values, line, ((class_name, share),), x.options.seed))
    return found


def _rate(name: str, flows: Flows, values: Rates, line: float, held: tuple[tuple[str, float], ...], seed: int) -> RateResult:
    moving = values[flows[0] != flows[1]]
    least, mean = (float(moving.min()), float(moving.mean())) if len(moving) else (line, line)
    return RateResult(name, least, mean, line, len(moving), held, MAX_MIN, 0, seed if name == "permutation" else None)


def background(spec: ClusterSpec, subnet: Subnet) -> tuple[tuple[str, float], ...]:
    """Classes that may take their turns beside the jobs' traffic, each with its share of a link that both fill: by the weights
    of the arbitration tables. Nothing where the fabric has no classes."""
    declared = spec.fabrics[subnet.fabric]
    own = class_of(declared, "nccl")
    if declared.qos is None or own is None:
        return ()
    others = [c for c in declared.qos.classes if c is not own and c.use == "storage"]
    return tuple((c.name, c.weight / (c.weight + own.weight)) for c in others)


def _worst(x: _Ground, named: dict[str, Flows], loads: dict[str, Loads]) -> tuple[WorstCable, ...]:
    """Of the jobs' own traffic where it meets anywhere, else of the permutation, else of storage; of storage first where no
    job has an adapter here."""
    candidates = [n for n in named if n not in ("permutation", INCAST, GROUP_SHIFT) and _crowding(loads[n]) > 1]
    name = max(candidates, key=lambda n: _crowding(loads[n])) if candidates else "permutation"
    if INCAST in named and (loads[name].max <= 1 or not len(x.jobs)):
        name = INCAST
    return worst_cables(
        x.fabric, x.subnet, x.tables, name, loads[name], named[name], x.links, x.options.worst, x.options.flows,
        adaptive(x.spec, x.subnet),
    )  # fmt: skip


def _crowding(loads: Loads) -> float:
    """Flows on the fullest link over those of the busiest sender."""
    return float(loads.links.max(initial=0) / max(1, loads.injected.max(initial=0)))


def _hosts(x: _Ground) -> int:
    return len(np.unique(x.subnet.ports.host[x.graph.plugged]))


def _line(x: _Ground) -> float:
    rates, count = np.unique(x.injected[x.graph.plugged], return_counts=True)
    return float(rates[count.argmax()]) if len(rates) else 0.0


def _short(x: _Ground, held: Mapping[int, Attached]) -> list[str]:
    """Of pools here with hosts that cannot use all compute adapters of their platform."""
    notes = []
    for pool in np.unique(x.fabric.hosts.pool[x.subnet.ports.host[x.jobs]]).tolist():
        a = held.get(pool)
        if a is not None and a.part < 1:
            name, have = x.spec.pools[pool].name, "has" if len(a.slowest) == 1 else "have"
            notes.append(
                f"{fold(a.slowest)} of {name} {have} {a.adapters} of {a.of} compute adapters attached and in service: jobs of "
                f"the pool are held to {a.least:g} of {a.whole:g} GB/s per host."
            )
    return notes


def _apart(x: _Ground, rated: tuple[FabricRate, ...]) -> list[str]:
    """Of pools whose jobs cannot span all of their hosts."""
    hosts, joined = x.fabric.hosts, joined_hosts(x.fabric)
    notes = []
    for pool in dict.fromkeys(r.pool for r in rated):
        name = x.spec.pools[pool].name
        whole, most = int(np.count_nonzero((hosts.pool == pool) & (hosts.state == ACTIVE))), widest(x.fabric, pool, joined)
        if most < whole:
            notes.append(f"No cable joins all hosts of {name}: its jobs are taken to stay within {most} of {whole} hosts.")
        if any(r.pool == pool and not r.gbs for r in rated):
            notes.append(f"Some hosts of {name} have no way to one another: its collectives never end.")
    return notes


def _notes(x: _Ground, found: list[PatternResult], origin: TablesOf) -> list[str]:
    notes = ["Every flow has the same size; switches and adapters are assumed to forward at the rate of their ports."]
    if x.graph.speed is not None:
        notes.append("Links differ in rate: a share is of the sender's own line, and a fast link carries more flows at it.")
    missing = len(x.graph.plugged) - len(x.tables.graph.plugged)
    if missing:
        notes.append(f"{missing} endpoints are on islands that the manager does not reach; flows to them count as unrouted.")
    if len(x.graph.plugged) < 2:
        notes.append("Fewer than two endpoints are in service: there is no traffic to simulate.")
    elif not len(x.jobs):
        notes.append("No host has a compute adapter here: there are no rings, and no collectives to hold back.")
    lost = [p.name for p in found if p.unrouted]
    if lost:
        notes.append(f"Some flows have no way ({', '.join(lost)}): they count with a share of 0.")
    if origin.why and origin.engine not in ("dmodk", origin.asked):
        notes.append(f"The manager is told {origin.asked}, these are tables of {origin.engine}: {origin.why}.")
    if adaptive(x.spec, x.subnet):
        notes.append("The manager routes adaptively: static figures are what it does at least, bounds what at most.")
    return notes
