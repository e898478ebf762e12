"""New ways for the destinations whose tables used a part that is gone; all others keep theirs.

Takes tables and the damaged graph. Gives the rows that change and their new ports. A switch keeps its port where that still
lies on a shortest way; else it takes, of n ports that do, number d mod n for destination d: what D-mod-k would deal. A subnet
manager computes everything anew and may move more; `compute` on the damaged graph is what it would do, entry by entry.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.route import Graph, Routes
from ibgen.route.hops import FAR, Hops, distances, neighbours
from ibgen.route.routes import Table

from .patterns import Rows


@dataclass(frozen=True)
class Rerouted:
    """Destinations that change [R], their rows of the table [R, S] (no route where none is left), and the hops to them."""

    rows: Rows
    lft: Table
    hops: npt.NDArray[np.uint8]  # [R, S]; 255: no way


@dataclass(frozen=True)
class Intact:
    """The graph without a failure and the hops between its switches [S, S]: what many failures have in common."""

    graph: Graph
    hops: Hops


def intact(graph: Graph) -> Intact:
    """Worth its time from a few failures on."""
    return Intact(graph, distances(graph))


def used_by(routes: Routes, damaged: Graph) -> Rows:
    """Destinations whose in-tree used a link that is gone, and those that are unplugged now."""
    g = routes.graph
    affected = (g.leaf >= 0) & (damaged.leaf < 0)
    lost = (g.peer >= 0) & (damaged.peer < 0) & damaged.linked[:, None]  # nobody asks a switch that is gone
    for switch in np.flatnonzero(lost.any(axis=1)).tolist():
        ports = np.zeros(int(np.iinfo(routes.lft.dtype).max) + 1, bool)
        ports[np.flatnonzero(lost[switch])] = True
        affected |= ports[routes.lft[:, switch]]
    return np.flatnonzero(affected)


def reroute(routes: Routes, damaged: Graph, before: Intact | None = None) -> Rerouted:
    """The rows that change. `routes` are those of the whole graph; `before` saves a search for most of them."""
    rows = used_by(routes, damaged)
    lft = routes.lft[rows]
    none = routes.none
    homes, home = np.unique(damaged.leaf[rows].astype(np.intp), return_inverse=True)
    hops = (_hops(damaged, homes) if before is None else _hops_after(before, damaged, homes))[home]
    peer = damaged.peer
    valid = (lft != none) & (lft.astype(np.intp) < damaged.width)
    at = np.arange(damaged.switches)[None, :]
    port = np.where(valid, lft, 0).astype(np.intp)
    after = peer[at, port]
    step = hops[np.arange(len(rows))[:, None], np.maximum(after, 0)].astype(np.int16)
    keeps = valid & (after >= 0) & (step == hops.astype(np.int16) - 1) & (hops < FAR)
    lft[~keeps] = none
    own = damaged.leaf[rows]
    there = np.flatnonzero(own >= 0)
    lft[there, own[there]] = damaged.leaf_port[rows[there]]
    _choose(routes.graph, damaged, rows, lft, hops, ~keeps & (hops > 0) & (hops < FAR))
    return Rerouted(rows, lft, hops)


def _choose(
    whole: Graph, damaged: Graph, rows: Rows, lft: Table, hops: npt.NDArray[np.uint8], open_: npt.NDArray[np.bool_]
) -> None:
    """Fills the entries that are open, each with one of the ports on a shortest way."""
    target, switch = np.nonzero(open_)
    if not len(target):
        return
    number = np.zeros(whole.endpoints, np.intp)
    number[whole.by_leaf[0]] = np.arange(len(whole.plugged))
    peers = damaged.peer[switch]
    near = hops[target[:, None], np.maximum(peers, 0)].astype(np.int16)
    good = (peers >= 0) & (near == hops[target, switch].astype(np.int16)[:, None] - 1)
    turn = number[rows[target]] % good.sum(axis=1)
    lft[target, switch] = (good.cumsum(axis=1) == turn[:, None] + 1).argmax(axis=1)


def _hops_after(before: Intact, damaged: Graph, homes: Rows) -> npt.NDArray[np.uint8]:
    """What `_hops` gives. Ways only grow longer by a failure, and none does while every switch that lost a cable has a
    neighbour left that was one hop nearer; where one has not, the search is done again. [T, S]"""
    hops: npt.NDArray[np.uint8] = np.where((homes >= 0)[:, None], before.hops[homes], FAR).astype(np.uint8)
    hops[:, ~damaged.linked] = FAR
    ends = np.flatnonzero(((before.graph.peer >= 0) & (damaged.peer < 0)).any(axis=1) & damaged.linked)
    peers = damaged.peer[ends]
    nearest = np.where(peers >= 0, hops[:, np.maximum(peers, 0)], FAR).min(axis=2).astype(np.int16)  # [T, ends]
    mine = hops[:, ends].astype(np.int16)
    again = np.flatnonzero(((mine > 0) & (mine < FAR) & (nearest != mine - 1)).any(axis=1))
    if len(again):
        hops[again] = _hops(damaged, homes[again])
    return hops


def _hops(graph: Graph, homes: Rows) -> npt.NDArray[np.uint8]:
    """Hops from every switch to each of `homes` (-1: unplugged, no way). [T, S]"""
    hops = np.full((graph.switches, len(homes)), FAR, np.uint8)  # by switch: a neighbour's row is one piece of memory
    there = np.flatnonzero(homes >= 0)
    hops[homes[there], there] = 0
    near = neighbours(graph)
    for level in range(1, FAR):
        best = hops.copy()
        for column in near.T:
            np.minimum(best, hops[column], out=best)
        fresh = (best == level - 1) & (hops == FAR)
        if not fresh.any():
            break
        hops[fresh] = level
    return np.ascontiguousarray(hops.T)
