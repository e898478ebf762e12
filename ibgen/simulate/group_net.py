"""Groups joined to each other as a network of links with capacities: what detours are reckoned on.

Takes a `Graph`, the group of every switch, capacities. Gives a `GroupNet`, router by router, or with every group drawn together
into one node: then only the links between groups are left, and what is reckoned bounds the real thing from above.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ibgen.route import Graph

from .patterns import Flows, Rows
from .rates import Rates


@dataclass(frozen=True)
class GroupNet:
    """N nodes in G groups of up to A. Links: first the local ones, `(group * A + place) * A + place`, whether they are there or
    not, then E from group to group in the order of their groups. Parallel cables are one link."""

    node: Rows  # [S] of every switch
    group: Rows  # [N]
    place: Rows  # [N] within its group, from 0
    start: Rows  # [E] node
    end: Rows  # [E] node
    room: Rates  # [G * A * A + E] GB/s; 0: no such link
    trees: npt.NDArray[np.bool_] | None = None  # [G, G, G] of a dragonfly+: whether a way i, k, j must go down to a leaf in k

    @cached_property
    def groups(self) -> int:
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def size(self) -> int:
        """Nodes of the largest group."""
        return int(self.place.max(initial=0)) + 1

    @cached_property
    def local(self) -> int:
        """Where the links between groups begin."""
        return self.groups * self.size * self.size

    @cached_property
    def pairs(self) -> Rows:
        """[E] from which group to which, `from * G + to`, ascending."""
        return self.group[self.start] * self.groups + self.group[self.end]

    @cached_property
    def counts(self) -> Rows:
        """[G, G] links from group to group."""
        return np.bincount(self.pairs, minlength=self.groups**2).reshape(self.groups, self.groups)

    @cached_property
    def members(self) -> Rows:
        """[G] nodes of each group."""
        return np.bincount(self.group, minlength=self.groups)

    @cached_property
    def beside(self) -> npt.NDArray[np.bool_]:
        """[G, A, A] whether two places are of different nodes of the group, which a local link should join."""
        there = np.arange(self.size) < self.members[:, None]
        return there[:, :, None] & there[:, None, :] & ~np.eye(self.size, dtype=bool)

    def inside(self, x: Rows, y: Rows) -> Rows:
        """The local links from nodes to nodes of the same groups; one behind the last link where both are the same."""
        return np.where(x == y, len(self.room), (self.group[x] * self.size + self.place[x]) * self.size + self.place[y])

    def demands(self, graph: Graph, flows: Flows, line: float) -> tuple[Rows, Rows, Rates]:
        """(from, to, GB/s) of the flows between different nodes, each pair of nodes once. A flow is of `line` GB/s."""
        sources, destinations = flows
        x, y = self.node[graph.leaf[sources]], self.node[graph.leaf[destinations]]
        pairs, count = np.unique((x * len(self.group) + y)[x != y], return_counts=True)
        return pairs // len(self.group), pairs % len(self.group), np.asarray(count * line, np.float64)


def group_net(graph: Graph, group: Rows, links: Rates, *, together: bool = False, trees: bool = False) -> GroupNet:
    """`group`: [S] of every switch; `links`: [S * width] GB/s; `together`: one node per group; `trees`: so, and each node has
    a link to itself: all cables inside its group, both ways, which what leaves or enters a leaf passes once."""
    together = together or trees
    compact = np.unique(group, return_inverse=True)[1]
    if together:
        node, of = compact, np.arange(int(compact.max(initial=-1)) + 1)
        place = np.zeros(len(of), np.intp)
    else:
        node, of = np.arange(graph.switches), compact
        order = np.argsort(of, kind="stable")
        place = np.empty(len(of), np.intp)
        place[order] = np.arange(len(of)) - np.searchsorted(of[order], of[order])
    switch, port = np.nonzero(graph.peer >= 0)
    x, y = node[switch], node[graph.peer[switch, port]]
    room = links.reshape(graph.switches, graph.width)[switch, port]
    out = of[x] != of[y]
    count, size, groups = len(of), int(place.max(initial=0)) + 1, int(of.max(initial=-1)) + 1
    own = ~out & ((x != y) | trees)
    inner = np.bincount((of[x] * size + place[x])[own] * size + place[y][own], room[own], groups * size * size)
    key = ((of[x] * groups + of[y]) * count + x) * count + y
    key, same = np.unique(key[out], return_inverse=True)
    outer = np.bincount(same, room[out], len(key))
    forced = _forced(compact, switch[out], compact[graph.peer[switch[out], port[out]]]) if trees else None
    return GroupNet(node, of, place, key // count % count, key % count, np.concatenate([inner, outer]), forced)


def _forced(group: Rows, switch: Rows, far: Rows) -> npt.NDArray[np.bool_]:
    """[G, G, G] where no switch of group k has cables both to i and to j, from the cables (switch, group at the far end)."""
    groups = int(group.max(initial=-1)) + 1
    reach = np.zeros((len(group), groups), np.float32)
    reach[switch, far] = 1
    forced = np.empty((groups, groups, groups), bool)
    for k in range(groups):
        mine = reach[group == k]
        forced[:, k, :] = mine.T @ mine == 0
    return forced
