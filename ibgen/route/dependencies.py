"""Which link waits for which: the channel dependency graph of tables, and whether it has a cycle.

Takes `Routes`. Gives, per virtual layer, the pairs of directed links that follow one another on some way. Tables are free of
credit loops if and only if that graph has no cycle (Dally and Seitz, IEEE Transactions on Computers, 1987).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .graph import Graph, Rows
from .routes import Routes
from .walks import layer_of, pair_blocks, steps

Edges = tuple[Rows, Rows]
"""Directed links, and the links that follow them."""


def dependency_keys(graph: Graph, before: Rows, link: Rows) -> Rows:
    """One number per dependency: the link and the port that follows it."""
    return before * graph.width + link % graph.width


def dependencies(routes: Routes) -> list[Edges]:
    """The dependency graph of every layer. Links to endpoints wait for nothing and are left out."""
    g = routes.graph
    found = [np.zeros(g.switches * g.width * g.width, bool) for _ in range(routes.layer_count)]
    for sources, targets in pair_blocks(g):
        layer = layer_of(routes, sources, targets)
        for step in steps(routes, sources, targets):
            inside = (step.before >= 0) & ~step.ends
            keys = dependency_keys(g, step.before[inside], step.link[inside])
            for i, marks in enumerate(found):
                marks[keys if len(found) == 1 else keys[layer[step.pair[inside]] == i]] = True
    return [edges_of(g, np.flatnonzero(marks)) for marks in found]


def edges_of(graph: Graph, keys: Rows) -> Edges:
    """Dependencies from their numbers."""
    before, port = keys // graph.width, keys % graph.width
    at = graph.peer.ravel()[before].astype(np.int64)
    return before, at * graph.width + port


def core(edges: Edges) -> npt.NDArray[np.bool_]:
    """Which dependencies are left when links without one before or behind them are taken away until none is: those on cycles
    and between them. [edges]"""
    tail, head = edges
    size = int(max(tail.max(initial=0), head.max(initial=0))) + 1
    alive = np.arange(len(tail))
    while len(alive):
        entered, left = np.zeros(size, bool), np.zeros(size, bool)
        entered[head[alive]] = True
        left[tail[alive]] = True
        keep = entered[tail[alive]] & left[head[alive]]
        if keep.all():
            break
        alive = alive[keep]
    result = np.zeros(len(tail), bool)
    result[alive] = True
    return result


def cycle(edges: Edges) -> tuple[int, ...]:
    """One cycle of links, from its lowest; () where there is none."""
    keep = core(edges)
    tail, head = edges[0][keep], edges[1][keep]
    if not len(tail):
        return ()
    order = np.argsort(tail, kind="stable")
    after = dict(zip(tail[order][::-1].tolist(), head[order][::-1].tolist(), strict=True))  # the first of each
    seen: dict[int, int] = {}
    at = int(tail.min())
    while at not in seen:
        seen[at] = len(seen)
        at = after[at]
    ring = list(seen)[seen[at] :]
    start = ring.index(min(ring))
    return tuple(ring[start:] + ring[:start])
