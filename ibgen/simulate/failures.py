"""What a failure costs: parts by name, several at once. `sweeps` takes every single cable or switch in turn.

Takes a subnet and its parts. Gives a `FailureStudy`. Destinations whose way used the part get new ways, all others keep theirs;
where the engine is computed entry by entry (minhop, updn, ftree) everything is computed anew, as the manager does it. Survivors
are compared with themselves: the same patterns before and after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ibgen.fabric import Fabric, Subnet
from ibgen.route import Graph, NotRouted, Removed, Routes, compute, graph
from ibgen.spec import ClusterSpec
from ibgen.targets.opensm_routing import roots_of

from .jobs import compute_rows, place_of, rings
from .loads import Counts, flow_loads
from .measures import arrivals, patterns_drawn
from .named import endpoint_names
from .parts import Part
from .patterns import Flows, bisection
from .rates import GBS
from .reroute import Rerouted, reroute
from .results import DEFAULTS, Options, PatternResult
from .stacked import judge, stack
from .sweeps import Sweep, SweepRow, sweep
from .tables import EVEN, EVEN_NOTE, laid, whole_table
from .trees import all_to_all
from .uneven import slowest_share

__all__ = ["FailureStudy", "Outcome", "Sweep", "SweepRow", "fail", "sweep"]

NAMED = 20
"""Endpoints that are named among those nobody reaches."""

STATIC = "static tables"
SURVIVORS = "Losses are of the flows between endpoints that are left."
INCREMENTAL = "only the destinations whose way used the part"
WHOLE = "all tables computed anew"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Before or after. Shares of line rate on static tables; `fabric_gbs`: what an all-to-all leaves each endpoint."""

    bisection: PatternResult
    all_to_all_share: float
    all_to_all_max: int
    ring_share: float
    fabric_gbs: float


@dataclass(frozen=True, slots=True)
class FailureStudy:
    """Losses are 1 - after/before, of the flows between survivors."""

    subnet: str
    parts: tuple[str, ...]
    engine: str
    method: str
    rerouted: int
    endpoints: int
    cut_pairs: int
    pairs: int
    cut: tuple[str, ...]
    before: Outcome
    after: Outcome
    ebb_loss: float
    collective_loss: float
    ring_loss: float
    note: str


def fail(
    spec: ClusterSpec, fabric: Fabric, subnet: int, parts: Sequence[Part], options: Options = DEFAULTS,
    routes: Routes | None = None,
) -> FailureStudy:  # fmt: skip
    """Several parts at once; those of other subnets are passed over."""
    s = fabric.subnets[subnet]
    mine = [p for p in parts if p.subnet == subnet]
    damaged = graph(s, merged(mine))
    whole, engine = whole_table(spec, s, routes, options)
    options.progress(f"{s.name} without {len(mine)} parts")
    changed, method = _changed(whole, damaged, engine, s, routes is None, options)
    alive = np.flatnonzero(damaged.leaf >= 0)
    drawn = patterns_drawn(options, len(alive))
    flows = [bisection(alive, options.seed, k) for k in range(drawn)]
    made = stack(whole, flows, options.fast)
    verdict = judge(made, damaged, changed, options.fast)
    after_routes = laid(whole, damaged, changed)
    model = EVEN if engine == EVEN else STATIC
    survivors = Routes(whole.engine, _only(whole.graph, damaged), whole.lft)
    every = made.every if len(alive) == len(whole.graph.plugged) else all_to_all(survivors, fast=options.fast)[0]
    before = _outcome(s, fabric, survivors, damaged, every, (verdict.before, verdict.max_before), flows, options, model)
    after = _outcome(s, fabric, after_routes, damaged, verdict.every, (verdict.share, verdict.max_load), flows, options, model)
    count = len(whole.graph.plugged)
    names = endpoint_names(fabric, s, iter(verdict.cut[:NAMED]))
    return FailureStudy(
        s.name, tuple(p.name for p in mine), engine, method, len(changed.rows), count, verdict.cut_pairs, count * (count - 1),
        names, before, after, _loss(before.bisection.share, after.bisection.share),
        _loss(before.all_to_all_share, after.all_to_all_share), _loss(before.ring_share, after.ring_share),
        " ".join(([SURVIVORS] if len(alive) < count else []) + ([EVEN_NOTE] if engine == EVEN else [])),
    )  # fmt: skip


def _only(whole: Graph, damaged: Graph) -> Graph:
    """The graph before the failure, without the endpoints that do not survive it."""
    alive = damaged.leaf >= 0
    leaf, port = np.where(alive, whole.leaf, np.int32(-1)), np.where(alive, whole.leaf_port, np.int32(0))
    return replace(whole, leaf=leaf, leaf_port=port)


def merged(parts: Sequence[Part]) -> Removed:
    """Several parts as one."""
    rows = [p.removed for p in parts]
    switches, cables, endpoints = (
        tuple(sorted({x for r in rows for x in getattr(r, field)})) for field in ("switches", "cables", "endpoints")
    )
    return Removed(switches, cables, endpoints)


def _changed(whole: Routes, damaged: Graph, engine: str, s: Subnet, ours: bool, options: Options) -> tuple[Rerouted, str]:
    if not ours or engine not in ("minhop", "updn", "ftree"):
        return reroute(whole, damaged), INCREMENTAL
    try:
        anew = compute(damaged, engine, roots_of(s).tolist(), fast=options.fast)
    except NotRouted:
        return reroute(whole, damaged), INCREMENTAL
    rows = np.flatnonzero((anew.lft != whole.lft).any(axis=1))
    return Rerouted(rows, anew.lft[rows], np.zeros((len(rows), damaged.switches), np.uint8)), WHOLE


def _outcome(
    s: Subnet, fabric: Fabric, routes: Routes, damaged: Graph, every: Counts, found: tuple[float, int], flows: list[Flows],
    options: Options, model: str,
) -> Outcome:  # fmt: skip
    alive = damaged.plugged
    senders = len(alive) - 1
    lost = len(alive) * senders - arrivals(damaged, every)
    result = PatternResult(
        "bisection", model, len(flows[0][0]), len(flows), options.seed, found[0], None, found[1], 0,
        "the same flows before and after",
    )  # fmt: skip
    most = max(int(every.max(initial=0)), senders)
    rows = compute_rows(s, damaged)
    ring = rings(fabric, s, rows, place_of(fabric, options.order)) if len(rows) > 1 else (rows, rows)
    ring_share = flow_loads(routes, ring, options.fast).efficiency if len(rows) > 1 else 1.0
    injected = np.zeros(damaged.endpoints, np.int64)
    injected[alive] = max(0, senders)
    part = 0.0 if lost else slowest_share(damaged, every, injected)
    line = float(np.median(s.ports.rate_gbps[alive])) / GBS if len(alive) else 0.0
    return Outcome(result, part, most, ring_share, part * line)


def _loss(before: float, after: float) -> float:
    return max(0.0, 1 - after / before) if before else 0.0
