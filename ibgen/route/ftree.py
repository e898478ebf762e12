"""OpenSM's fat tree engine: each destination gets a way of its own down the tree; dummies keep the pattern where hosts miss.

Takes a `Graph` and what the root, compute node and I/O node files name. Gives `Routes` equal to OpenSM 3.3.23 on a fresh
fabric, entry by entry. Not reproduced: adapters above the leaves and cables between leaves, where OpenSM sorts adapters among
switches by whatever lies in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .fast import compiled, compiles, sequence
from .ftree_index import Indexed, indexed
from .ftree_walk import KERNELS, Walk, up_walk
from .graph import Graph, Rows
from .routes import Routes, Table, empty

_UNSET = 255


def ftree(
    graph: Graph,
    roots: Sequence[int] | Rows | None = None,
    compute_ports: Sequence[int] | None = None,
    io_ports: Sequence[int] | None = None,
    *,
    max_reverse_hops: int = 0,
    switches: bool = False,
    fast: bool | None = None,
) -> Routes:
    """Rows of switches and endpoints; None: no such file. `fast`: compiled or not; None: as it pays. Raises `NotRouted`."""
    tree = indexed(graph, roots, compute_ports, io_ports)
    if fast is None:
        fast = compiles(graph.endpoints * graph.switches)
    router = _router(graph, tree, fast)
    lft = empty(graph, graph.endpoints)
    for leaf, rows, missing in tree.targets.compute:
        for e in rows:
            router.endpoint(lft, e, 0)
        for _ in range(missing):
            router.dummy(leaf)
    for e, io in tree.targets.other:
        router.endpoint(lft, e, max_reverse_hops if io else 0)
    if not switches:
        return Routes("ftree", graph, lft)
    own = empty(graph, graph.switches)
    for s in graph.order[graph.linked[graph.order]].tolist():
        router.switch(own, s)
    return Routes("ftree", graph, lft, own)


@dataclass(frozen=True)
class _Router:
    graph: Graph
    walk: Walk
    climb: Callable[..., Any]
    blank: tuple[Any, Any, Any]

    def _start(self, s: int, port: int, hops: int) -> Walk:
        w = self.walk
        w.row[:], w.hops[:], w.walked[:] = self.blank
        w.row[s], w.hops[s] = port, hops
        return w

    def _keep(self, table: Table, row: int) -> None:
        found = np.array(self.walk.row)
        table[row] = np.where(found < 0, np.iinfo(table.dtype).max, found)

    def endpoint(self, table: Table, e: int, credit: int) -> None:
        s = int(self.graph.leaf[e])
        self.climb(self._start(s, int(self.graph.leaf_port[e]), 1), s, -1, True, True, credit, 1)
        self._keep(table, e)

    def switch(self, table: Table, s: int) -> None:
        self.climb(self._start(s, 0, 0), s, -1, True, False, 0, 0)
        self._keep(table, s)

    def dummy(self, leaf: int) -> None:
        self.climb(self._start(leaf, -1, 1), leaf, -1, False, True, 0, 1)


def _router(graph: Graph, tree: Indexed, fast: bool) -> _Router:
    g, count = tree.groups, graph.switches
    members: list[int] = []
    start = [0]
    for s in range(count):
        for part in (g.down[s], g.level[s], g.up[s]):
            members += part
            start.append(len(members))
    twin, classes = _twins(tree, count)
    values: dict[str, Any] = {
        "remote": g.remote, "first": g.first, "group_up": [0] * len(g.remote), "group_down": [0] * len(g.remote),
        "tie": tree.place[np.array(g.remote, np.intp)], "remote_port": g.remote_port, "port_up": [0] * len(g.port),
        "port_down": [0] * len(g.port), "groups": members, "start": start, "rank": tree.rank,
        "has_hosts": graph.host_links > 0, "is_leaf": tree.leaves, "unsorted": [0] * count, "turn": [0] * count, "twin": twin,
        "walked": [_UNSET] * classes, "row": [-1] * count, "hops": [_UNSET] * count,
    }  # fmt: skip
    walk = Walk(**{name: sequence(value, fast) for name, value in values.items()})
    blank = tuple(sequence(values[name], fast) for name in ("row", "hops", "walked"))
    return _Router(graph, walk, compiled(*KERNELS)[-1] if fast else up_walk, (blank[0], blank[1], blank[2]))


def _twins(tree: Indexed, count: int) -> tuple[list[int], int]:
    """Classes of switches with the same switches below them and none beside them. Leaves have none below: no class."""
    classes: dict[tuple[int, ...], int] = {}
    result = [-1] * count
    for s in range(count):
        below = tree.groups.down[s]
        if below and not tree.groups.level[s]:
            result[s] = classes.setdefault(tuple(sorted(tree.groups.remote[g] for g in below)), len(classes))
    return result, max(1, len(classes))
