"""Adaptive routing as a pair of bounds: what static tables give, and what a fluid that may use every way could give.

Takes the graph and flows; of groups joined to each other also their `GroupNet`. Between the two lies a declared efficiency with
a source; it is a parameter, never a result.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ibgen.route import Graph

from .detours import detours, joined, ways_count
from .group_net import GroupNet
from .patterns import Flows
from .rates import Rates
from .splits import best_split

MOST_WAYS = 1_000_000
"""Ways up to which a net is taken: about half a gigabyte of arrays, two seconds."""


def fluid_bound(graph: Graph, flows: Flows, links: Rates, injected: Rates, nets: Sequence[GroupNet] = ()) -> float:
    """The largest mean share of line rate, flows spread over all ways and no cut over-full; a flow to itself counts with 1.

    Cuts: each endpoint's own link both ways, each leaf's uplinks both ways, each pod's upward links both ways. `nets`: of
    groups joined to each other, the finest first; there each router and each group is a cut, and what no split over the ways
    straight and through one other group passes (`splits`), on the first net that is not too large for the flows.
    """
    total = len(flows[0])
    moving = flows[0] != flows[1]
    whole = _groups(graph, int(graph.tier.max(initial=0)))
    apart = whole[graph.leaf[flows[0]]] != whole[graph.leaf[flows[1]]]  # no cable joins them: nothing passes
    total_apart = int(apart.sum())
    sources, destinations = flows[0][moving & ~apart], flows[1][moving & ~apart]
    if not len(sources):
        return 1.0 - (total_apart / total if total else 0.0)
    line = float(injected[sources].min())
    most = float(len(sources))  # sum of their shares
    for side in (sources, destinations):
        most = min(most, float(np.minimum(np.bincount(side, minlength=graph.endpoints), injected / line).sum()))
    for group, room in _cuts(graph, links) + _group_cuts(graph, links, nets):
        a, b = group[graph.leaf[sources]], group[graph.leaf[destinations]]
        for side in (a, b):
            crossing = np.bincount(side[(a != b) & (side >= 0)], minlength=len(room))
            most = min(most, float(len(sources) - crossing.sum() + np.minimum(crossing, room / line).sum()))
    most = min(most, _detour_bound(graph, (sources, destinations), line, nets))
    return (total - total_apart - len(sources) + most) / total


def fluid_slowest(graph: Graph, flows: Flows, links: Rates, injected: Rates, nets: Sequence[GroupNet] = ()) -> float:
    """The largest share of their senders' rates that all flows can have at once with no cut over-full: what the slowest is
    left, and so a ring. The cuts of `fluid_bound`, without its search for ways. 0 where cables leave some apart."""
    moving = flows[0] != flows[1]
    sources, destinations = flows[0][moving], flows[1][moving]
    if not len(sources):
        return 1.0
    a, b = graph.leaf[sources], graph.leaf[destinations]
    whole = _groups(graph, int(graph.tier.max(initial=0)))
    if (whole[a] != whole[b]).any():
        return 0.0
    asked = injected[sources] / np.bincount(sources, minlength=graph.endpoints)[sources]  # a sender's flows share its line
    share = float((injected / np.maximum(np.bincount(destinations, asked, graph.endpoints), 1e-12)).min())
    for group, room in _cuts(graph, links) + _group_cuts(graph, links, nets):
        near, far = group[a], group[b]
        for side in (near, far):
            crossing = (near != far) & (side >= 0)
            demand = np.bincount(side[crossing], asked[crossing], len(room))
            if (demand > 0).any():
                share = min(share, float((room[demand > 0] / demand[demand > 0]).min()))
    return min(1.0, share)


def fluid_all_to_all(graph: Graph, links: Rates, injected: Rates, nets: Sequence[GroupNet] = ()) -> float:
    """The largest share of the usual line rate at which everyone sends to everyone alike and no cut is over-full: what crosses
    a cut of n of N endpoints is n (N - n) / (N - 1) lines. 0 where cables leave some apart."""
    count = len(graph.plugged)
    if count < 2:
        return 1.0
    line = float(np.median(injected[graph.plugged]))
    share = min(1.0, float(injected[graph.plugged].min()) / line)
    whole = _groups(graph, int(graph.tier.max(initial=0)))
    if len(np.unique(whole[graph.leaf[graph.plugged]])) > 1:
        return 0.0
    for group, room in _cuts(graph, links) + _group_cuts(graph, links, nets):
        inside = np.bincount(group[group >= 0], graph.host_links[group >= 0], len(room))
        crossing = inside * (count - inside) / (count - 1) * line
        cut = crossing > 0
        if cut.any():
            share = min(share, float((room[cut] / crossing[cut]).min()))
    return share


def _detour_bound(graph: Graph, flows: Flows, line: float, nets: Sequence[GroupNet]) -> float:
    """Sum of shares. Flows inside a node, and those without a way through one other group at most, count with 1."""
    count = len(flows[0])
    for net in nets:
        start, end, demand = net.demands(graph, flows, line)
        here = joined(net, start, end)
        start, end, demand = start[here], end[here], demand[here]
        if not len(start):
            break
        if ways_count(net, start, end) <= MOST_WAYS:
            bound = best_split(detours(net, start, end), demand, 1.0).mean
            return count - (1 - min(1.0, bound)) * float(demand.sum()) / line
    return count


def _group_cuts(graph: Graph, links: Rates, nets: Sequence[GroupNet]) -> list[tuple[np.ndarray, Rates]]:
    """(group of every switch, GB/s of the links out of it): every switch by itself, and every group."""
    if not nets:
        return []
    capacity = links.reshape(graph.switches, graph.width)
    group = nets[0].group[nets[0].node]
    out = (graph.peer >= 0) & (group[np.maximum(graph.peer, 0)] != group[:, None])
    return [
        (np.arange(graph.switches), np.where(graph.peer >= 0, capacity, 0.0).sum(axis=1)),
        (group, np.bincount(group, np.where(out, capacity, 0.0).sum(axis=1), nets[0].groups)),
    ]


def _cuts(graph: Graph, links: Rates) -> list[tuple[np.ndarray, Rates]]:
    """(group of every switch, GB/s of the links that leave each group upward), tier by tier."""
    capacity = links.reshape(graph.switches, graph.width)
    top = int(graph.tier.max(initial=0))
    cuts = []
    for tier in range(top):
        group = _groups(graph, tier)
        leaving = (graph.peer >= 0) & (group[:, None] >= 0) & (group[np.maximum(graph.peer, 0)] != group[:, None])
        room = np.zeros(graph.switches)
        np.add.at(room, group[group >= 0], np.where(leaving, capacity, 0.0).sum(axis=1)[group >= 0])
        cuts.append((group, room))
    return cuts


def _groups(graph: Graph, tier: int) -> np.ndarray:
    """Switches up to a tier that are joined below it share a number; switches above it have -1."""
    inside = graph.tier <= tier
    group = np.where(inside, np.arange(graph.switches), graph.switches)
    peer = np.where((graph.peer >= 0) & inside[:, None] & inside[np.maximum(graph.peer, 0)], graph.peer, -1)
    own = np.arange(graph.switches)[:, None]
    while True:
        least = np.minimum(group, group[np.where(peer >= 0, peer, own)].min(axis=1))
        if (least == group).all():
            return np.where(inside, group, -1)
        group = least
