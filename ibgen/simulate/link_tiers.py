"""How loads lie over the tiers: a histogram per kind of link, of one pattern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.fabric import Ints
from ibgen.route import Graph

from .loads import Counts
from .named import tier_name

MOST_BARS = 16
"""More different loads than these are put into as many bins of equal width."""


@dataclass(frozen=True, slots=True)
class TierLinks:
    """One kind of link under one pattern. `counts` links carry `loads` flows, or up to that many where they are binned."""

    pattern: str
    tier: str
    links: int
    idle: int
    loads: tuple[int, ...]
    counts: tuple[int, ...]
    max_load: int
    mean_load: float


def tier_links(
    graph: Graph, pattern: str, links: Counts, injected: Counts, groups: Ints | None = None
) -> tuple[TierLinks, ...]:
    """Every kind of link there is, from the hosts up and down again. Links: [S * width] and [E]; `groups` [S] of switches."""
    peer, door = graph.peer.ravel(), graph.endpoint.ravel()
    wired = np.flatnonzero((peer >= 0) | (door >= 0))
    near, far = wired // graph.width, peer[wired]
    upper = np.where(far >= 0, graph.tier[np.maximum(far, 0)], -1)
    apart = np.zeros(len(wired), np.int32) if groups is None else (groups[near] != groups[np.maximum(far, 0)]) & (far >= 0)
    kinds = np.stack([graph.tier[near], upper, apart], axis=1)
    found = [_histogram(pattern, "from hosts", injected[graph.plugged])]
    for here, there, far_away in sorted(np.unique(kinds, axis=0).tolist(), key=_place):
        mine = wired[(kinds == (here, there, far_away)).all(axis=1)]
        name = tier_name(graph, int(mine[0]) // graph.width, int(peer[mine[0]]), groups)
        found.append(_histogram(pattern, name, links[mine]))
    return tuple(found)


def _place(kind: list[int]) -> tuple[int, int, int]:
    """Up from the leaves, across (local, then global), down to the leaves, to the hosts."""
    here, there, apart = kind
    if there > here:
        return 0, here, apart
    if there == here:
        return 1, here, apart
    return (2, -here, apart) if there >= 0 else (3, here, apart)


def _histogram(pattern: str, tier: str, loads: Counts) -> TierLinks:
    used, counts = np.unique(loads[loads > 0], return_counts=True)
    if len(used) > MOST_BARS:
        edges = np.linspace(0, int(used[-1]), MOST_BARS + 1)
        counts = np.histogram(loads[loads > 0], edges)[0]
        used = np.ceil(edges[1:]).astype(np.int64)
    idle = int((loads == 0).sum())
    mean = float(loads.mean()) if len(loads) else 0.0
    most = int(loads.max(initial=0))
    return TierLinks(pattern, tier, len(loads), idle, tuple(used.tolist()), tuple(counts.tolist()), most, mean)
