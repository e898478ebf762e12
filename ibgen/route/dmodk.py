"""D-mod-k: the closed form for regular fat trees. Going up, the port is the destination's number divided by the parents below,
modulo the ports; going down there is one way (Zahavi, JPDC 2012).

Takes a `Graph`. Gives `Routes`, or destination blocks one after another so that no whole table has to be in memory. Numbers
are those by which OpenSM's ftree deals destinations (`Regular.numbers`), so that loads are equal where hosts are missing too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .graph import Graph, Rows
from .regular import Regular, regular
from .routes import Routes, Table, empty

BLOCK = 256
"""Destinations of a block: 1.3 MB at 5,120 switches, so that a block stays in the cache while it is put together."""


@dataclass(frozen=True)
class DModK:
    """The closed form of one graph: tables of a few kilobytes that every row is put together from."""

    graph: Graph
    tree: Regular
    leaf_rows: Table  # [w * p, L]
    spine_rows: Table  # [w * p, D * W]
    core_rows: Table  # [p * D * W, C]
    leaf_index: Rows  # [S]
    columns: tuple[npt.NDArray[np.intp] | slice, ...]  # of leaves, spines, cores in a row
    whole: bool  # whether those are all columns

    def fill(self, rows: Rows, out: Table) -> None:
        """Writes the rows of the table for these endpoints. out: [B, S]"""
        g, t = self.graph, self.tree
        leaf = self.leaf_index[np.maximum(g.leaf[rows], 0)]
        number = t.numbers[rows]
        per_pod = t.spines.shape[1]
        if not self.whole:
            out.fill(np.iinfo(out.dtype).max)
        if per_pod:
            turn = number % t.leaf_up.shape[1]
            _gather(self.leaf_rows, turn, out, self.columns[0])
            if len(t.cores):
                self._upper(out, number, leaf)
            own = t.spines[t.pod[leaf]]
            out[np.arange(len(rows))[:, None], own] = t.leaf_down[turn // per_pod, leaf]
        out[np.arange(len(rows)), g.leaf[rows]] = g.leaf_port[rows]
        out[g.leaf[rows] < 0] = np.iinfo(out.dtype).max

    def _upper(self, out: Table, number: Rows, leaf: Rows) -> None:
        t = self.tree
        pods, per_pod = t.spines.shape
        turn = number // per_pod % t.spine_up.shape[2]
        width = t.spine_up.shape[2] // t.core_down.shape[0]
        _gather(self.spine_rows, turn, out, self.columns[1])
        down = (turn // width * pods + t.pod[leaf]) * per_pod + number % per_pod
        _gather(self.core_rows, down, out, self.columns[2])

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[int, Table]]:
        """(first row, block) for all endpoints in order. A block is overwritten by the next one."""
        buffer = empty(self.graph, size)
        for first in range(0, self.graph.endpoints, size):
            rows = np.arange(first, min(first + size, self.graph.endpoints))
            self.fill(rows, buffer[: len(rows)])
            yield first, buffer[: len(rows)]


def _gather(table: Table, rows: Rows, out: Table, columns: npt.NDArray[np.intp] | slice) -> None:
    """out[:, columns] = table[rows], without a copy in between where the columns are neighbours."""
    if isinstance(columns, slice):
        np.take(table, rows, axis=0, out=out[:, columns], mode="clip")
    else:
        out[:, columns] = table[rows]


def closed_form(graph: Graph) -> DModK:
    """Raises `NotRouted` where the graph is no regular fat tree."""
    t = regular(graph)
    kind = empty(graph, 0).dtype
    index = np.zeros(graph.switches, np.intp)
    index[t.leaves] = np.arange(len(t.leaves))
    spine_rows = t.spine_up.reshape(t.spines.size, t.spine_up.shape[2]).T
    core_rows = t.core_down.reshape(-1, len(t.cores)) if len(t.cores) else np.zeros((0, 0), np.uint16)
    tables: list[Table] = [np.ascontiguousarray(table).astype(kind) for table in (t.leaf_up.T, spine_rows, core_rows)]
    columns = tuple(_columns(rows) for rows in (t.leaves, t.spines.ravel(), t.cores))
    whole = len(t.leaves) + t.spines.size + len(t.cores) == graph.switches
    return DModK(graph, t, tables[0], tables[1], tables[2], index, columns, whole)


def _columns(rows: Rows) -> npt.NDArray[np.intp] | slice:
    """Neighbouring rows as a slice: a copy of bytes instead of a gather."""
    run = len(rows) and (np.diff(rows) == 1).all()
    return slice(int(rows[0]), int(rows[-1]) + 1) if run else rows


def dmodk(graph: Graph) -> Routes:
    """The whole table. Raises `NotRouted`."""
    form = closed_form(graph)
    lft: Table = np.empty((graph.endpoints, graph.switches), empty(graph, 0).dtype)
    for first in range(0, graph.endpoints, BLOCK):
        rows = np.arange(first, min(first + BLOCK, graph.endpoints))
        form.fill(rows, lft[first : first + len(rows)])
    return Routes("dmodk", graph, lft)
