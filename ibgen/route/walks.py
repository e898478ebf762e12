"""Following tables hop by hop, for many pairs at once.

Takes `Routes` and pairs of a source switch and a destination endpoint. Gives, per hop, the pairs that are still under way with
the directed link they take. Pairs that arrive, or end anywhere else, drop out, so that a step costs what is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .graph import Graph, Rows
from .routes import MAX_HOPS, Routes

Bools = npt.NDArray[np.bool_]
PAIRS = 1 << 22
"""Pairs walked at once: a few arrays of 32 MB."""


@dataclass(frozen=True)
class Step:
    """One hop of the pairs that take it. All [N]."""

    pair: Rows  # index into the pairs given
    link: Rows  # directed link they take: switch * width + port
    before: Rows  # the link they came by; -1 at the first switch
    arrives: Bools  # whether it ends at the destination
    ends: Bools  # whether it ends anywhere: at the destination, at another endpoint, or nowhere


def steps(routes: Routes, sources: Rows, destinations: Rows) -> Iterator[Step]:
    """Hops of pairs (source switch, destination endpoint). Where a switch has no route, `link` is its port 0."""
    g = routes.graph
    pair = np.flatnonzero(g.leaf[destinations] >= 0)
    at, before = sources[pair].astype(np.int64), np.full(len(pair), -1, np.int64)
    for _ in range(MAX_HOPS):
        if not len(pair):
            return
        target = destinations[pair]
        port = routes.lft[target, at].astype(np.int64)
        port[port == routes.none] = 0
        nearer = g.peer[at, port]
        link = at * g.width + port
        yield Step(pair, link, before, g.endpoint[at, port] == target, nearer < 0)
        going = nearer >= 0
        pair, at, before = pair[going], nearer[going].astype(np.int64), link[going]


def pair_blocks(graph: Graph) -> Iterator[tuple[Rows, Rows]]:
    """All pairs of a leaf and an endpoint, destination by destination: (source switches, destination endpoints)."""
    leaves = np.flatnonzero(graph.host_links)
    size = max(1, PAIRS // max(1, len(leaves)))
    for first in range(0, len(graph.plugged), size):
        targets = graph.plugged[first : first + size]
        yield np.tile(leaves, len(targets)), np.repeat(targets, len(leaves))


def layer_of(routes: Routes, sources: Rows, destinations: Rows) -> npt.NDArray[np.uint8]:
    """The virtual layer of each pair."""
    if routes.layers is None:
        return np.zeros(len(sources), np.uint8)
    return routes.layers[destinations, sources]
