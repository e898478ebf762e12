"""All-to-all, exact: one unit per ordered pair of endpoints, counted tree by tree and never pair by pair.

Takes tables, whole or in blocks of destinations. Gives flows per directed link. A destination's routes are an in-tree, so what
passes a link is the number of endpoints behind it: O(switches) per destination.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ibgen.route import Graph, Routes
from ibgen.route.fast import compiled, compiles
from ibgen.route.pointwise import Pointwise
from ibgen.route.routes import MAX_HOPS, Table

from .kernels import count_trees
from .loads import Counts
from .patterns import Rows
from .walking import Tables

CELLS = 1 << 15
"""Pairs of a switch with endpoints and a destination that are counted at once: their arrays of 256 KB stay in the cache."""


def all_to_all(
    tables: Tables, block: int = 0, fast: bool | None = None, among: Graph | None = None
) -> tuple[Counts, Counts]:  # fmt: skip
    """([S * width] flows per directed link, [E] per injection link). The closed form is counted without a whole table.
    `block`: destinations at a time; 0: as many as suit the cache. `among`: the same graph with fewer endpoints, which then are
    all that send and hear."""
    g = among or tables.graph
    block = block or max(1, CELLS // max(1, int(np.count_nonzero(g.host_links))))
    if isinstance(tables, Pointwise):
        blocks: Iterable[tuple[int | Rows, Table]] = tables.form.blocks(block)
    else:
        blocks = _blocks(tables, block)
    links = count(g, blocks, fast)
    injected = np.zeros(g.endpoints, np.int64)
    injected[g.plugged] = max(0, len(g.plugged) - 1)
    return links, injected


def _blocks(routes: Routes, block: int) -> Iterator[tuple[int | Rows, Table]]:
    for first in range(0, routes.graph.endpoints, block):
        yield first, routes.lft[first : first + block]


def count(graph: Graph, blocks: Iterable[tuple[int | Rows, Table]], fast: bool | None = None) -> Counts:
    """What flows from everyone to the destinations of the blocks put on every link. Blocks: (first destination,
    or all of them, and their rows of the table)."""
    if fast is None:
        fast = compiles(graph.endpoints * graph.switches)
    links = np.zeros(graph.switches * graph.width, np.int64)
    hosts = graph.host_links.astype(np.int64)
    starts = np.flatnonzero(hosts)
    work = tuple(np.zeros(graph.switches, np.int64) for _ in range(4))
    for first, rows in blocks:
        targets = np.arange(first, first + len(rows)) if isinstance(first, int) else first
        there = graph.leaf[targets] >= 0
        if not there.all():
            targets, rows = targets[there], rows[there]
        if not len(targets):
            continue
        if fast:
            (kernel,) = compiled(count_trees)
            none = int(np.iinfo(rows.dtype).max)
            kernel(rows, graph.peer, hosts, starts, targets, graph.leaf, none, MAX_HOPS, links, *work)
        else:
            _count(graph, rows, targets, hosts, starts, links)
    return links


def _count(graph: Graph, lft: Table, targets: Rows, hosts: Counts, starts: Rows, links: Counts) -> None:
    """Hop by hop for all destinations of a block: what stands at (destination, switch) moves on together."""
    none, size, width = np.iinfo(lft.dtype).max, graph.switches, graph.width
    peer = graph.peer.ravel()
    cell = np.repeat(np.arange(0, len(targets) * size, size), len(starts))  # destination x switches, where its row begins
    at = np.tile(starts, len(targets))
    weight = np.tile(hosts[starts], len(targets))
    own = np.searchsorted(starts, graph.leaf[targets]) + np.arange(0, len(at), len(starts))
    weight[own] -= 1  # nobody sends to itself
    port = lft[:, starts].ravel().astype(np.intp)
    for _ in range(MAX_HOPS):
        going = (port != none) & (port > 0) & (weight > 0)
        if not going.all():
            cell, at, weight, port = cell[going], at[going], weight[going], port[going]
        link = at * width + port
        np.add.at(links, link, weight)
        after = peer[link]
        on = np.flatnonzero(after >= 0)
        if not len(on):
            return
        key = cell[on] + after[on]
        merged = np.bincount(key, weight[on], len(targets) * size)
        key = np.flatnonzero(merged)
        at, weight = key % size, merged[key].astype(np.int64)
        cell = key - at
        port = lft.ravel()[key].astype(np.intp)
