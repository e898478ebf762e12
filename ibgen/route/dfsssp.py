"""Shortest ways with balanced weights, free of deadlock by virtual layers.

Takes a `Graph`. Gives `Routes` with layers. After Hoefler, Schneider and Lumsdaine (Hot Interconnects 2009) and Domke, Hoefler
and Nagel (IPDPS 2011): destination by destination, among the shortest ways that with the least weight, where a link weighs as
many ways as it already carries. Not OpenSM's dfsssp entry by entry.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .graph import Graph, Ints, Rows
from .greedy import leaf_order
from .hops import FAR, Hops, distances
from .layers import MOST, layered
from .routes import Routes, Table, empty

Level = tuple[Rows, Rows, Ints, npt.NDArray[np.int64]]
"""Switches [R], their candidate ports [R, K], the peers there, and what is added where there is no candidate."""

_NEVER = np.int64(1) << 60


def dfsssp(graph: Graph, lanes: int = MOST) -> Routes:
    """Raises `NotRouted` where `lanes` virtual lanes are too few."""
    hops = distances(graph)
    weight = np.zeros(graph.peer.shape, np.int64)
    lft = empty(graph, graph.endpoints)
    for leaf in leaf_order(graph).tolist():
        levels = list(_levels(graph, hops, leaf))
        for e in graph.at_leaf(leaf).tolist():
            _route(graph, levels, weight, lft[e])
            lft[e, leaf] = graph.leaf_port[e]
    return layered(Routes("dfsssp", graph, lft), lanes)


def _levels(graph: Graph, hops: Hops, leaf: int) -> Iterator[Level]:
    """Switches by distance from the leaf, nearest first."""
    far = hops[leaf].astype(np.int64)
    for distance in range(1, int(far[far < FAR].max(initial=0)) + 1):
        rows = np.flatnonzero(far == distance)
        peer = graph.peer[rows]
        near = (peer >= 0) & (far[np.maximum(peer, 0)] == distance - 1)
        width = int(near.sum(axis=1).max())
        ports = np.argsort(~near, axis=1, kind="stable")[:, :width]
        penalty = np.where(np.take_along_axis(near, ports, 1), np.int64(0), _NEVER)
        yield rows, ports, peer[np.arange(len(rows))[:, None], ports], penalty


def _route(graph: Graph, levels: list[Level], weight: npt.NDArray[np.int64], row: Table) -> None:
    cost = np.zeros(graph.switches, np.int64)
    taken = []
    for rows, ports, peers, penalty in levels:
        sums = weight[rows[:, None], ports] + cost[peers] + penalty
        best = sums.argmin(axis=1)
        line = np.arange(len(rows))
        cost[rows] = sums[line, best]
        row[rows] = ports[line, best]
        taken.append((rows, ports[line, best], peers[line, best]))
    ways = graph.host_links.astype(np.int64)
    for rows, port, peer in reversed(taken):
        weight[rows, port] += ways[rows]
        ways += np.bincount(peer, ways[rows], len(ways)).astype(np.int64)
