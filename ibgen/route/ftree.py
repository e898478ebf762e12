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
from .ftree_walk import (
    DOWN,
    END,
    FIRST,
    FRAME,
    FRAMES,
    GROUP,
    HAS_HOSTS,
    HOPS,
    IS_LEAF,
    KERNELS,
    LAST,
    LEVEL,
    PORT,
    RANK,
    REMOTE,
    REMOTE_PORT,
    ROW,
    SINGLE,
    STEP,
    SWITCH,
    TIE,
    TWIN,
    UP,
    up_walk,
)
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
    """The tables of a fabric with their counters, and the kernel. Records are laid out as `ftree_walk` says."""

    graph: Graph
    switches: Any
    groups: Any
    ports: Any
    order: Any  # group numbers, switch by switch
    walked: Any  # per class of twins the hops at which one was walked down from
    stack: Any  # of the walk down, and of the walk up
    climb: Any
    blank: tuple[Any, Any, Any]  # rows, hops, walked before a destination
    route: Callable[..., Any]

    def _walk(self, s: int, port: int, real: bool, main: bool, credit: int, hops: int) -> None:
        self.switches[ROW::SWITCH], self.switches[HOPS::SWITCH], self.walked[:] = self.blank
        self.switches[s * SWITCH + ROW], self.switches[s * SWITCH + HOPS] = port, hops
        tables = (self.switches, self.groups, self.ports, self.order, self.walked, self.stack, self.climb)
        self.route(*tables, s, real, int(main), credit, hops)

    def _keep(self, table: Table, row: int) -> None:
        found = np.array(self.switches[ROW::SWITCH], np.int32)
        table[row] = np.where(found < 0, np.iinfo(table.dtype).max, found)

    def endpoint(self, table: Table, e: int, credit: int) -> None:
        self._walk(int(self.graph.leaf[e]), int(self.graph.leaf_port[e]), True, True, credit, 1)
        self._keep(table, e)

    def switch(self, table: Table, s: int) -> None:
        self._walk(s, 0, True, False, 0, 0)
        self._keep(table, s)

    def dummy(self, leaf: int) -> None:
        self._walk(leaf, -1, False, True, 0, 1)


def _router(graph: Graph, tree: Indexed, fast: bool) -> _Router:
    g, count = tree.groups, graph.switches
    order: list[int] = []
    switches = np.zeros((count, SWITCH), np.int32)
    for s in range(count):
        for field, part in ((DOWN, g.down[s]), (LEVEL, g.level[s]), (UP, g.up[s])):
            switches[s, field] = len(order)
            order += part
        switches[s, END] = len(order)
    twin, classes = _twins(tree, count)
    switches[:, RANK], switches[:, HAS_HOSTS] = tree.rank, graph.host_links > 0
    switches[:, IS_LEAF], switches[:, TWIN] = tree.leaves, twin
    groups = np.zeros((len(g.remote), GROUP), np.int32)
    remote = np.array(g.remote, np.intp)
    groups[:, REMOTE], groups[:, TIE] = remote, tree.place[remote]
    groups[:, FIRST], groups[:, LAST] = g.first[:-1], g.first[1:]
    ports = np.zeros((len(g.remote_port), PORT), np.int32)
    ports[:, REMOTE_PORT] = g.remote_port
    alone = groups[:, LAST] - groups[:, FIRST] == 1
    groups[alone, SINGLE] = ports[groups[alone, FIRST], REMOTE_PORT]
    blank = (np.full(count, -1, np.int32), np.full(count, _UNSET, np.int32), np.full(classes, _UNSET, np.int32))
    stacks = (np.zeros(FRAMES * FRAME, np.int32), np.zeros(FRAMES * STEP, np.int32))
    a, b, c, d, e, f, g_ = (sequence(t, fast) for t in (switches, groups, ports, order, blank[2].copy(), *stacks))
    unset = (sequence(blank[0], fast), sequence(blank[1], fast), sequence(blank[2], fast))
    return _Router(graph, a, b, c, d, e, f, g_, unset, compiled(*KERNELS)[-1] if fast else up_walk)


def _twins(tree: Indexed, count: int) -> tuple[list[int], int]:
    """Classes of switches with the same switches below them and none beside them. Leaves have none below: no class."""
    classes: dict[tuple[int, ...], int] = {}
    result = [-1] * count
    for s in range(count):
        below = tree.groups.down[s]
        if below and not tree.groups.level[s]:
            result[s] = classes.setdefault(tuple(sorted(tree.groups.remote[g] for g in below)), len(classes))
    return result, max(1, len(classes))
