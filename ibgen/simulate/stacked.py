"""Many patterns at once on one set of tables, so that a failure is judged by what it changes: the flows to a few destinations.

Takes tables and patterns. Gives a `Stack`, which tells the effective bandwidth after new rows were laid over the tables, and
the loads of an all-to-all, each by taking away what those destinations carried and adding what they carry now.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ibgen.route import Graph, Routes
from ibgen.route.routes import Table

from .loads import Counts, Crowds
from .measures import arrivals
from .patterns import Flows, Rows
from .reroute import Rerouted
from .trees import all_to_all, count
from .uneven import slowest_share
from .walking import walk


@dataclass(frozen=True)
class Stack:
    """P patterns of F flows. A link of pattern p is `p * (S * width) + link`."""

    routes: Routes
    number: int
    sources: Rows  # [P * F]
    destinations: Rows  # [P * F]
    channels: npt.NDArray[np.intp]  # [H, P * F] numbered by pattern; -1 behind the end
    arrived: npt.NDArray[np.bool_]  # [P * F]
    links: Counts  # [P * S * width + 1]; the last stands for -1 and is 0
    worst: Crowds  # [P * F] the largest load on each flow's way, in flows of the usual rate of endpoints
    shares: npt.NDArray[np.float64]  # [P * F] of line rate; 0 where a flow does not arrive
    every: Counts  # [S * width] of an all-to-all


@dataclass(frozen=True, slots=True)
class Verdict:
    """After a failure. `share`: of the flows between survivors; `before`: what the same flows had. `max_load`: of any
    link in any pattern."""

    share: float
    before: float
    max_load: int
    max_before: int
    every: Counts
    cut_pairs: int
    cut: tuple[int, ...]  # endpoints that nobody reaches any more


def stack(routes: Routes, patterns: list[Flows], fast: bool | None = None) -> Stack:
    """Walks every pattern once."""
    g = routes.graph
    size = g.switches * g.width
    sources = np.concatenate([f[0] for f in patterns])
    destinations = np.concatenate([f[1] for f in patterns])
    first = np.repeat(np.arange(len(patterns)) * size, [len(f[0]) for f in patterns])
    found = walk(routes, (sources, destinations), fast)
    channels = np.where(found.channels.T >= 0, found.channels.T + first, -1)
    channels[:, ~found.arrived] = -1
    links = np.bincount(channels[channels >= 0], minlength=size * len(patterns) + 1)
    every, _ = all_to_all(routes, fast=fast)
    worst = _worst(channels, links, g)
    shares = np.where(found.arrived, 1.0 / worst, 0.0)
    return Stack(routes, len(patterns), sources, destinations, channels, found.arrived, links, worst, shares, every)


def judge(s: Stack, damaged: Graph, changed: Rerouted, fast: bool | None = None) -> Verdict:
    """What new rows make of the patterns and of the all-to-all."""
    g = s.routes.graph
    size = g.switches * g.width
    affected = np.zeros(g.endpoints, bool)
    affected[changed.rows] = True
    alive = damaged.leaf >= 0
    living = alive[s.sources] & alive[s.destinations]
    touched = np.flatnonzero(affected[s.destinations] | ~alive[s.sources])
    links = s.links.copy()
    old = s.channels[:, touched]
    np.subtract.at(links, old[old >= 0], 1)
    fresh, arrived = _walk_again(s, damaged, changed, touched, size)
    np.add.at(links, fresh[fresh >= 0], 1)
    reached = s.arrived.copy()
    reached[touched] = arrived
    worst = _worst(s.channels, links, g)
    worst[touched] = _worst(fresh, links, g)
    share = _mean(np.where(reached, 1.0 / worst, 0.0), living)
    before = _mean(s.shares, living)
    every, cut_pairs, cut = _every(s, damaged, changed, fast)
    return Verdict(share, before, int(links.max(initial=0)), int(s.links.max(initial=0)), every, cut_pairs, cut)


def every_before(s: Stack, damaged: Graph, fast: bool | None = None) -> Counts:
    """The all-to-all of the survivors on the tables as they were. [S * width]"""
    if len(damaged.plugged) == len(s.routes.graph.plugged):
        return s.every
    return all_to_all(surviving(s.routes, damaged), fast=fast)[0]


def surviving(whole: Routes, damaged: Graph) -> Routes:
    """The tables before the failure, without the endpoints that do not survive it."""
    alive, g = damaged.leaf >= 0, whole.graph
    leaf, port = np.where(alive, g.leaf, np.int32(-1)), np.where(alive, g.leaf_port, np.int32(0))
    return Routes(whole.engine, replace(g, leaf=leaf, leaf_port=port), whole.lft)


def every_share(damaged: Graph, every: Counts) -> float:
    """Share of line rate that an all-to-all of the survivors has; 0 where not all of them reach each other."""
    alive = damaged.plugged
    senders = max(0, len(alive) - 1)
    if arrivals(damaged, every) < len(alive) * senders:
        return 0.0
    injected = np.zeros(damaged.endpoints, np.int64)
    injected[alive] = senders
    return slowest_share(damaged, every, injected)


def lost_share(before: float, after: float) -> float:
    """1 - after / before, no gain counted; 0 where there was nothing to lose."""
    return max(0.0, 1 - after / before) if before else 0.0


def _mean(values: npt.NDArray[np.float64], living: npt.NDArray[np.bool_]) -> float:
    return float(values[living].mean()) if living.any() else 0.0


def _worst(channels: npt.NDArray[np.intp], links: Counts, graph: Graph) -> Crowds:
    """Largest load on every flow's way, 1 at least (its own injection: the patterns send once from each endpoint)."""
    crowd: Counts | Crowds = links
    if graph.slots is not None:
        crowd = links * np.append(np.tile(graph.slots, len(links) // max(1, len(graph.slots))), 0.0)
    most = np.ones(channels.shape[1], crowd.dtype)
    for column in channels:
        np.maximum(most, crowd[column], out=most)
    return most.astype(np.float64)


def _walk_again(
    s: Stack, damaged: Graph, changed: Rerouted, touched: Rows, size: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Channels [H, T] of the flows that change, numbered by pattern, and whether they arrive."""
    row = np.zeros(damaged.endpoints, np.intp)
    row[changed.rows] = np.arange(len(changed.rows))
    sources, destinations = s.sources[touched], s.destinations[touched]
    there = (damaged.leaf[sources] >= 0) & (damaged.leaf[destinations] >= 0)
    per_pattern = max(1, len(s.sources) // s.number)
    first = touched // per_pattern * size
    # rows of the changed destinations; a flow whose source is gone goes nowhere
    mini = Routes("rerouted", damaged, changed.lft)
    columns: list[npt.NDArray[np.intp]] = []
    at = np.where(there & (sources != destinations), damaged.leaf[sources], -1).astype(np.intp)
    met = np.full(len(touched), -1, np.int64)
    for _ in range(damaged.switches):
        on = np.flatnonzero(at >= 0)
        if not len(on):
            break
        port = mini.lft[row[destinations[on]], at[on]].astype(np.intp)
        going = (port != mini.none) & (port > 0)
        link = at[on] * damaged.width + np.where(going, port, 0)
        column = np.full(len(touched), -1, np.intp)
        column[on[going]] = link[going] + first[on[going]]
        columns.append(column)
        met[on[going]] = damaged.endpoint.ravel()[link[going]]
        at[on] = np.where(going, damaged.peer.ravel()[link], -1)
    arrived = (met == destinations) | ((sources == destinations) & there)
    found = np.stack(columns) if columns else np.empty((0, len(touched)), np.intp)
    found[:, ~arrived] = -1
    return found, arrived


def _every(s: Stack, damaged: Graph, changed: Rerouted, fast: bool | None) -> tuple[Counts, int, tuple[int, ...]]:
    """The all-to-all without what is gone: changed in-trees are counted anew; all of them where sources are unplugged."""
    g = s.routes.graph
    before = len(g.plugged)
    same_hosts = len(damaged.plugged) == before
    links = s.every.copy() if same_hosts else np.zeros(len(s.every), np.int64)
    if same_hosts:
        links -= _trees(g, changed.rows, s.routes.lft[changed.rows], fast)
        links += _trees(damaged, changed.rows, changed.lft, fast)
    else:  # a source less changes every in-tree: all of them again
        lft = s.routes.lft.copy()
        lft[changed.rows] = changed.lft
        links, _ = all_to_all(Routes("rerouted", damaged, lft), fast=fast)
    reached = np.where(damaged.endpoint.ravel() >= 0, links, 0)
    cut_pairs = before * (before - 1) - int(reached.sum())
    into = np.zeros(g.endpoints, np.int64)
    doors = np.flatnonzero(damaged.endpoint.ravel() >= 0)
    into[damaged.endpoint.ravel()[doors]] = links[doors]
    cut = np.flatnonzero((g.leaf >= 0) & (into == 0)) if before > 1 else np.zeros(0, np.intp)
    return links, cut_pairs, tuple(cut.tolist())


def _trees(graph: Graph, rows: Rows, lft: Table, fast: bool | None) -> Counts:
    """In-trees of some destinations only."""
    return count(graph, [(rows, lft)], fast)
