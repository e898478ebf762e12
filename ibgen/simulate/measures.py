"""The patterns of a study, one after another: shifts, random ones, all-to-all, rings.

Takes tables and endpoint rows. Gives `PatternResult`s. Endpoints are taken in leaf order for the shift set, as D-mod-k counts
them: there it is the pattern that a full tree carries without any conflict.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ibgen.route import Graph
from ibgen.units import ordinal

from .jobs import MOST_FLOWS
from .loads import Counts, estimate, flow_loads
from .patterns import Flows, Rows, bisection, permutation, ring, shift, shuffled
from .results import Options, PatternResult, counted, estimated
from .trees import all_to_all
from .uneven import slowest_share
from .walking import Tables

SMALL, FEW, MANY = 8192, 20, 100


def patterns_drawn(options: Options, endpoints: int) -> int:
    """Random patterns of an estimate."""
    return options.patterns or (MANY if endpoints <= SMALL else FEW)


def shift_set(tables: Tables, model: str, fast: bool | None) -> PatternResult:
    """All shifts in leaf order, or evenly chosen ones where they would be too many flows."""
    rows, _ = tables.graph.by_leaf
    count = len(rows)
    step = max(1, -(-(count - 1) * count // MOST_FLOWS))
    distances = range(1, count, step)
    values, most, lost = [], 0, 0
    for k in distances:
        loads = flow_loads(tables, shift(rows, k), fast)
        values.append(loads.efficiency)
        most, lost = max(most, loads.max), lost + loads.unrouted
    note = "all shifts in leaf order" if step == 1 else f"every {ordinal(step)} of {count - 1:,} shifts in leaf order"
    share = float(np.mean(values)) if values else 1.0
    return PatternResult("shift set", model, count, len(values), None, share, None, most, lost, note)


def random_patterns(tables: Tables, rows: Rows, model: str, options: Options) -> list[PatternResult]:
    """Permutation and bisection: effective bandwidth."""
    drawn, seed, fast = patterns_drawn(options, len(rows)), options.seed, options.fast
    first = estimate(tables, "permutation", (permutation(rows, seed, k) for k in range(drawn)), seed, fast)
    second = estimate(tables, "bisection", (bisection(rows, seed, k) for k in range(drawn)), seed, fast)
    return [estimated(first, model), estimated(second, model, "one way, N/2 flows, as ORCS draws them")]


def every_pair(tables: Tables, model: str, fast: bool | None) -> tuple[PatternResult, Counts, Counts]:
    """Exact all-to-all, with its loads [S * width] and [E]."""
    g = tables.graph
    links, injected = all_to_all(tables, fast=fast)
    count = len(g.plugged)
    most = int(max(links.max(initial=0), injected.max(initial=0)))
    lost = count * (count - 1) - arrivals(g, links)
    share = 0.0 if lost else slowest_share(g, links, injected)
    how = "= (N - 1) / flows on the fullest link" if g.speed is None else "by the rate of the fullest link, for its flows"
    note = f"exact; share {how}"
    return PatternResult("all-to-all", model, count * (count - 1), 1, None, share, None, most, lost, note), links, injected


def share_among(tables: Tables, rows: Rows, fast: bool | None) -> float:
    """The share of `every_pair` where only these endpoints send and hear."""
    g = tables.graph
    leaf = np.full(g.endpoints, -1, np.int32)
    leaf[rows] = g.leaf[rows]
    part = replace(g, leaf=leaf)
    links, injected = all_to_all(tables, fast=fast, among=part)
    count = len(part.plugged)
    return slowest_share(part, links, injected) if arrivals(g, links) == count * (count - 1) else 0.0


def arrivals(graph: Graph, links: Counts) -> int:
    """Flows of an all-to-all that reach an endpoint."""
    return int(links[graph.endpoint.ravel() >= 0].sum())


def single_rings(tables: Tables, rows: Rows, place: Rows, host: Rows, model: str, options: Options) -> list[PatternResult]:
    """One ring through every endpoint, host by host in rank order, and in random order: no rail is kept."""
    ordered = rows[np.lexsort((rows, place[host[rows]]))]
    given = counted("ring, host order", model, flow_loads(tables, ring(ordered), options.fast), "all endpoints, host by host")
    drawn, seed = patterns_drawn(options, len(rows)), options.seed
    mixed = (ring(shuffled(rows, seed, k)) for k in range(drawn))
    return [given, estimated(estimate(tables, "ring, random order", mixed, seed, options.fast), model)]


def rank_trees(tables: Tables, flows: Flows, model: str, fast: bool | None) -> PatternResult:
    """Trees have adapters with several flows: they are held against the busiest of them, not against one flow per adapter."""
    loads = flow_loads(tables, flows, fast)
    share = 0.0 if loads.unrouted else slowest_share(tables.graph, loads.links, loads.injected)
    note = "NCCL's double tree, in host order; share = flows of the busiest adapter / flows on the fullest link"
    return PatternResult("rail trees", model, len(flows[0]), 1, None, share, None, loads.max, loads.unrouted, note)
