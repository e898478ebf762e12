"""What a failure costs: parts by name, several at once. `sweeps` takes every single cable or switch in turn.

Takes a subnet and its parts. Gives a `FailureStudy`. Destinations whose way used the part get new ways, all others keep theirs;
where the engine is computed entry by entry (minhop, updn, ftree) everything is computed anew, as the manager does it. Survivors
are compared with themselves: the same patterns before and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ibgen.fabric import Fabric, Subnet
from ibgen.route import Graph, NotRouted, Removed, Routes, compute, graph
from ibgen.spec import ClusterSpec
from ibgen.targets.opensm_routing import roots_of

from .jobs import compute_rows, place_of, rings
from .loads import Counts, Loads, flow_loads
from .lost_hosts import FewerAdapters, LostHosts, endpoints_folded, lost_hosts
from .measures import patterns_drawn
from .parts import Part
from .patterns import Flows, bisection
from .rates import GBS
from .reroute import Rerouted, reroute
from .results import DEFAULTS, Options, PatternResult
from .stacked import every_before, every_share, judge, lost_share, stack, surviving
from .sweeps import ANEW, Sweep, SweepRow, sweep
from .tables import EVEN, EVEN_NOTE, laid, whole_table

__all__ = ["FailureStudy", "FewerAdapters", "LostHosts", "Outcome", "Sweep", "SweepRow", "fail", "sweep"]

STATIC = "static tables"
SURVIVORS = "Losses are of the flows between endpoints that are left."
INCREMENTAL = "only the destinations whose way used the part"
WHOLE = "all tables computed anew"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Before or after. Shares of line rate on static tables; `fabric_gbs`: what an all-to-all leaves each endpoint.
    `ring_share`: of the slowest hop of each rail's ring, rails averaged; None where there are no rings."""

    bisection: PatternResult
    all_to_all_share: float
    all_to_all_max: int
    ring_share: float | None
    fabric_gbs: float


@dataclass(frozen=True, slots=True)
class FailureStudy:
    """Losses are 1 - after/before, of the flows between survivors. `cut`: all endpoints that nobody reaches, by adapter,
    `dgx-[01-33]/mlx5_4`; `apart`: those that reach one another and not the most; `hosts`: who is left with fewer adapters,
    which no loss of survivors shows."""

    subnet: str
    parts: tuple[str, ...]
    engine: str
    method: str
    rerouted: int
    endpoints: int
    cut_pairs: int
    pairs: int
    cut: tuple[str, ...]
    apart: tuple[str, ...]
    hosts: LostHosts
    before: Outcome
    after: Outcome
    ebb_loss: float
    collective_loss: float
    ring_loss: float | None
    note: str


def fail(
    spec: ClusterSpec, fabric: Fabric, subnet: int, parts: Sequence[Part], options: Options = DEFAULTS,
    routes: Routes | None = None, *, gone: Mapping[int, Removed] | None = None, alike: Sequence[int] = (),
) -> FailureStudy:  # fmt: skip
    """Several parts at once; those of other subnets are passed over. `gone`: what has failed in every subnet, for a host's
    adapters are counted over all of them; `alike`: subnets of the same shape that lose the same."""
    s = fabric.subnets[subnet]
    mine = [p for p in parts if p.subnet == subnet]
    damaged = graph(s, merged(mine))
    whole, engine = whole_table(spec, s, routes, options)
    options.progress(f"{s.name} without {len(mine)} parts")
    changed, method = _changed(whole, damaged, engine, s, routes is None, options)
    alive = np.flatnonzero(damaged.leaf >= 0)
    flows = [bisection(alive, options.seed, k) for k in range(patterns_drawn(options, len(alive)))]
    made = stack(whole, flows, options.fast)
    verdict = judge(made, damaged, changed, options.fast)
    after_routes = laid(whole, damaged, changed)
    model = EVEN if engine == EVEN else STATIC
    every = every_before(made, damaged, options.fast)
    survivors = surviving(whole, damaged)
    before = _outcome(s, fabric, survivors, damaged, every, (verdict.before, verdict.max_before), flows, options, model)
    after = _outcome(s, fabric, after_routes, damaged, verdict.every, (verdict.share, verdict.max_load), flows, options, model)
    count = len(whole.graph.plugged)
    hosts = lost_hosts(fabric, _lost(fabric, gone or {}, (subnet, *alike), verdict.cut), (subnet, *alike))
    return FailureStudy(
        s.name, tuple(p.name for p in mine), engine, method, len(changed.rows), count, verdict.cut_pairs, count * (count - 1),
        endpoints_folded(fabric, s, verdict.cut), endpoints_folded(fabric, s, _apart(whole.graph, damaged, verdict.cut)), hosts,
        before, after,
        lost_share(before.bisection.share, after.bisection.share), lost_share(before.all_to_all_share, after.all_to_all_share),
        None if before.ring_share is None or after.ring_share is None else lost_share(before.ring_share, after.ring_share),
        " ".join(([SURVIVORS] if len(alive) < count else []) + ([EVEN_NOTE] if engine == EVEN else [])),
    )  # fmt: skip


def _lost(
    fabric: Fabric, gone: Mapping[int, Removed], here: Sequence[int], cut: tuple[int, ...]
) -> dict[int, tuple[int, ...]]:  # fmt: skip
    """Endpoints by subnet: those nobody reaches in this one and its like, those that are unplugged in others."""
    elsewhere = {row: graph(fabric.subnets[row], removed) for row, removed in gone.items() if row not in here}
    lost = {
        row: tuple(np.flatnonzero((graph(fabric.subnets[row]).leaf >= 0) & (g.leaf < 0)).tolist())
        for row, g in elsewhere.items()
    }
    return lost | dict.fromkeys(here, cut)


def _apart(whole: Graph, damaged: Graph, cut: tuple[int, ...]) -> list[int]:
    """Endpoints whom the failure leaves on another piece of the fabric than most, but not alone."""
    lost = _off(damaged) & ~_off(whole)
    lost[list(cut)] = False
    return np.flatnonzero(lost).tolist()


def _off(g: Graph) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """[E] whether an endpoint is plugged into a piece of the switches that is not the one with the most endpoints."""
    label = np.arange(g.switches)
    while True:
        least = np.minimum(label, np.where(g.peer >= 0, label[g.peer], g.switches).min(axis=1, initial=g.switches))
        if (least == label).all():
            break
        label = least
    there = g.leaf >= 0
    most = np.bincount(label[g.leaf[there]], minlength=1).argmax()
    return np.asarray(there & (label[g.leaf] != most))


def merged(parts: Sequence[Part]) -> Removed:
    """Several parts as one."""
    rows = [p.removed for p in parts]
    switches, cables, endpoints = (
        tuple(sorted({x for r in rows for x in getattr(r, field)})) for field in ("switches", "cables", "endpoints")
    )
    return Removed(switches, cables, endpoints)


def _changed(whole: Routes, damaged: Graph, engine: str, s: Subnet, ours: bool, options: Options) -> tuple[Rerouted, str]:
    if not ours or engine not in ANEW:
        return reroute(whole, damaged), INCREMENTAL
    try:
        anew = compute(damaged, engine, roots_of(s).tolist(), fast=options.fast)
    except NotRouted:
        return reroute(whole, damaged), INCREMENTAL
    rows = np.flatnonzero((anew.lft != whole.lft).any(axis=1))
    return Rerouted(rows, anew.lft[rows], np.zeros((len(rows), damaged.switches), np.uint8)), WHOLE


def _slowest(s: Subnet, flows: Flows, loads: Loads) -> float:
    """Share of line rate that rings have: of every rail what its slowest hop is left, rails averaged. A hop without a way stops
    its ring."""
    left = np.where(loads.arrived, 1.0 / loads.largest, 0.0)
    rail = s.ports.rail[flows[0]]
    return float(np.mean([left[rail == r].min() for r in np.unique(rail)]))


def _outcome(
    s: Subnet, fabric: Fabric, routes: Routes, damaged: Graph, every: Counts, found: tuple[float, int], flows: list[Flows],
    options: Options, model: str,
) -> Outcome:  # fmt: skip
    alive = damaged.plugged
    result = PatternResult(
        "bisection", model, len(flows[0][0]), len(flows), options.seed, found[0], None, found[1], 0,
        "the same flows before and after",
    )  # fmt: skip
    most = max(int(every.max(initial=0)), len(alive) - 1)
    rows = compute_rows(s, damaged)
    ring_share = None
    if len(np.unique(s.ports.host[rows])) > 1:
        flows_of = rings(fabric, s, rows, place_of(fabric, options.order))
        ring_share = _slowest(s, flows_of, flow_loads(routes, flows_of, options.fast))
    part = every_share(damaged, every)
    line = float(np.median(s.ports.rate_gbps[alive])) / GBS if len(alive) else 0.0
    return Outcome(result, part, most, ring_share, part * line)
