"""Virtual layers: as many copies of the lanes as it takes for no layer's dependency graph to have a cycle.

Takes tables. Gives a layer for every way from a leaf to an endpoint. As in DFSSSP (Domke, Hoefler and Nagel, IPDPS 2011):
search for a cycle, move the ways over its least used dependency one layer up, search on; then the same for the ways that moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from .dependencies import core, dependencies, dependency_keys, edges_of
from .graph import Rows
from .ranks import NotRouted
from .routes import Routes
from .walks import pair_blocks, steps

MOST = 8
"""Virtual lanes for data that InfiniBand switches commonly have (VL0-7; OpenSM max_op_vls 4)."""

Pairs = tuple[Rows, Rows]


def layered(routes: Routes, most: int = MOST) -> Routes:
    """The same ports with layers. Raises `NotRouted` where `most` layers are too few."""
    g = routes.graph
    if not core(dependencies(replace(routes, layers=None))[0]).any():
        return replace(routes, layers=None)
    layers = np.zeros((g.endpoints, g.switches), np.uint8)
    blocks = list(pair_blocks(g))
    sources, targets = (np.concatenate([b[i] for b in blocks]) for i in range(2))
    for layer in range(most):
        moved = _moved(routes, (sources, targets))
        if not len(moved):
            return replace(routes, layers=layers)
        sources, targets = sources[moved], targets[moved]
        if layer + 1 < most:
            layers[targets, sources] = layer + 1
    raise NotRouted(f"{most} virtual lanes are too few: ways still close a credit loop")


def _moved(routes: Routes, pairs: Pairs) -> Rows:
    """The pairs that have to leave the layer that all of them are in."""
    pair, key = (np.concatenate(part) for part in zip(*_uses(routes, pairs), strict=True))
    keys, edge = np.unique(key, return_inverse=True)
    edges = edges_of(routes.graph, keys)
    keep = core(edges)
    if not keep.any():
        return np.empty(0, np.intp)
    number = np.cumsum(keep) - 1
    inside = keep[edge]
    uses = _Uses.of(pair[inside], number[edge[inside]], len(pairs[0]), int(keep.sum()))
    _search(edges[0][keep], edges[1][keep], uses)
    return np.flatnonzero(uses.gone)


def _uses(routes: Routes, pairs: Pairs) -> Iterator[Pairs]:
    """(pair, dependency) for every dependency on every way."""
    yield np.empty(0, np.intp), np.empty(0, np.intp)
    for step in steps(routes, *pairs):
        inside = (step.before >= 0) & ~step.ends
        yield step.pair[inside], dependency_keys(routes.graph, step.before[inside], step.link[inside])


@dataclass
class _Uses:
    """Which ways use which dependencies, both ways round, and how many of each are left."""

    count: npt.NDArray[np.int64]  # [edges] ways left
    pairs: Rows  # sorted by edge
    first_pair: Rows  # [edges + 1]
    edges: Rows  # sorted by pair
    first_edge: Rows  # [pairs + 1]
    gone: npt.NDArray[np.bool_] = field(repr=False)  # [pairs]

    @staticmethod
    def of(pair: Rows, edge: Rows, pairs: int, edges: int) -> _Uses:
        by_edge, by_pair = np.argsort(edge, kind="stable"), np.argsort(pair, kind="stable")
        count = np.bincount(edge, minlength=edges)
        first_pair = np.concatenate([[0], np.cumsum(count)])
        first_edge = np.concatenate([[0], np.cumsum(np.bincount(pair, minlength=pairs))])
        return _Uses(count, pair[by_edge], first_pair, edge[by_pair], first_edge, np.zeros(pairs, bool))

    def remove(self, edge: int) -> None:
        """Takes away every way over this dependency."""
        ways = self.pairs[self.first_pair[edge] : self.first_pair[edge + 1]]
        ways = ways[~self.gone[ways]]
        self.gone[ways] = True
        lengths = self.first_edge[ways + 1] - self.first_edge[ways]
        offset = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        self.count -= np.bincount(self.edges[np.repeat(self.first_edge[ways], lengths) + offset], minlength=len(self.count))


def _search(tail: Rows, head: Rows, uses: _Uses) -> None:
    """Depth-first over the dependencies; every cycle that is met loses its least used one, the first among equals."""
    order = np.lexsort((head, tail))
    after: dict[int, list[int]] = {}
    for edge in order.tolist():
        after.setdefault(int(tail[edge]), []).append(edge)
    heads = head.tolist()
    done: set[int] = set()
    for root in after:
        path, place = [root], {root: 0}
        taken: list[int] = []
        rest = [iter(after[root])] if root not in done else []
        while rest:
            edge = next(rest[-1], None)
            if edge is None:
                rest.pop()
                node = path.pop()
                done.add(node)
                del place[node]
                if taken:
                    taken.pop()
            elif uses.count[edge] and heads[edge] not in done:
                node = heads[edge]
                if node not in place:
                    place[node] = len(path)
                    path.append(node)
                    taken.append(edge)
                    rest.append(iter(after.get(node, ())))
                    continue
                uses.remove(min([*taken[place[node] :], edge], key=lambda e: (int(uses.count[e]), e)))
                broken = next((i for i, e in enumerate(taken) if not uses.count[e]), len(taken))
                for _ in range(len(taken) - broken):
                    rest.pop()
                    taken.pop()
                    del place[path.pop()]
                rest[-1] = iter(after[path[-1]])
