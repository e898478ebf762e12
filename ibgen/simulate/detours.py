"""Ways through groups joined to each other: straight to the other group, or through one group between.

Takes a `GroupNet` and pairs of nodes. Gives `Detours`: every way of every pair, and what weights on them put on the links.
Ways: local, global, local (`MINIMAL`); local, global, local, global, local through a third group (`GROUP`); the same with a
random router of that group in between (`ROUTER`). Inside one group: the link, or a random router between. All are fluids.
Source: Kim, Dally, Scott, Abts, ISCA 2008 (minimal and Valiant routing of dragonflies).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .group_net import GroupNet
from .patterns import Rows
from .rates import Rates

MINIMAL, GROUP, ROUTER = 0, 1, 2
"""Kinds of ways: straight, through a third group, and with a random router in between."""


@dataclass(frozen=True)
class Detours:
    """W ways of P pairs, those of a pair together."""

    net: GroupNet
    pair: Rows  # [W]
    first: Rows  # [P] where the ways of each pair begin
    kind: Rows  # [W] MINIMAL, GROUP, ROUTER
    links: Rows  # [5, W] local, global, local, global, local; behind the last link: none. Of trees [6, W]: down and up again
    spread: Rows  # [2, W] nodes between which a random router of their group lies; behind the last node: none

    @property
    def random(self) -> bool:
        """Whether some ways pass a random router."""
        return bool((self.spread[0] < len(self.net.group)).any())

    def loads(self, weights: Rates) -> Rates:
        """[links] what the ways put on every link, for GB/s per way."""
        net = self.net
        found: Rates = np.bincount(self.links.ravel(), np.tile(weights, len(self.links)), len(net.room) + 1)[:-1].astype(
            np.float64
        )
        if self.random:
            out, back = (np.zeros((net.groups, net.size)) for _ in range(2))
            out[net.group, net.place] = np.bincount(self.spread[0], weights, len(net.group) + 1)[:-1]
            back[net.group, net.place] = np.bincount(self.spread[1], weights, len(net.group) + 1)[:-1]
            inner = (out[:, :, None] + back[:, None, :]) / net.members[:, None, None]
            inner[:, np.arange(net.size), np.arange(net.size)] = 0.0
            found[: net.local] += inner.ravel()
        return found

    def lengths(self, links: Rates) -> Rates:
        """[W] the length of every way, for lengths of the links; infinite ones are not there."""
        net = self.net
        found: Rates = np.append(links, 0.0)[self.links].sum(axis=0)
        if self.random:
            inner = np.where(net.beside, _inner(net, links), 0.0)
            for nodes, axis in ((self.spread[0], 2), (self.spread[1], 1)):
                mean = inner.sum(axis=axis)[net.group, net.place] / net.members[net.group]
                found += np.append(mean, 0.0)[nodes]
        return found

    def nearest(self, links: Rates) -> Rates:
        """[P] the length of the shortest way of every pair, where a local step may also pass one other router."""
        net = self.net
        if net.trees is not None:
            near: Rates = np.minimum.reduceat(self.lengths(links), self.first)
            return near
        inner = _inner(net, links)
        best = np.array([np.min(one[:, :, None] + one[None, :, :], axis=1) for one in inner])
        found: Rates = np.concatenate([best.ravel(), links[net.local :], [0.0]])[self.links].sum(axis=0)
        least: Rates = np.minimum.reduceat(np.where(self.kind == ROUTER, np.inf, found), self.first)
        return least


def _inner(net: GroupNet, links: Rates) -> Rates:
    """[G, A, A] lengths of local links, none from a node to itself."""
    inner = links[: net.local].reshape(net.groups, net.size, net.size).copy()
    inner[:, np.arange(net.size), np.arange(net.size)] = 0.0
    return inner


def ways_count(net: GroupNet, start: Rows, end: Rows) -> int:
    """How many ways the pairs have at most."""
    i, j, counts = net.group[start], net.group[end], net.counts
    kinds = 2 if net.size > 2 else 1
    return int((kinds * (counts @ counts)[i, j] + counts[i, j] + kinds).sum())


def joined(net: GroupNet, start: Rows, end: Rows) -> npt.NDArray[np.bool_]:
    """[P] which pairs have a way: in one group, straight, or through a third group."""
    i, j, counts = net.group[start], net.group[end], net.counts
    joint: npt.NDArray[np.bool_] = (i == j) | (counts[i, j] > 0) | ((counts @ counts)[i, j] > 0)
    return joint


def detours(net: GroupNet, start: Rows, end: Rows) -> Detours:
    """All ways between pairs of nodes, [P] and [P], which must be `joined`."""
    groups, of = np.unique(net.group[start] * net.groups + net.group[end], return_inverse=True)
    chain, one, two, kind = _chains(net, groups)
    begin = np.searchsorted(chain, np.arange(len(groups)))
    count = (np.searchsorted(chain, np.arange(len(groups)), side="right") - begin)[of]
    pair = np.repeat(np.arange(len(start)), count)
    way = _ranges(begin[of], count)
    one, two, kind = one[way], two[way], kind[way]
    x, y = start[pair], end[pair]
    links = np.full((5, len(way)), len(net.room), np.intp)
    out, on = one >= 0, two >= 0
    links[0, out], links[1, out] = net.inside(x[out], net.start[one[out]]), net.local + one[out]
    last = np.where(on, two, one)
    links[3, on] = net.local + two[on]
    links[4, out] = net.inside(net.end[last[out]], y[out])
    a, b = np.where(on, net.end[one], x), np.where(on, net.start[two], y)
    middle = on | ~out
    random = kind == ROUTER
    links[2, middle & ~random] = net.inside(a, b)[middle & ~random]
    spread = np.where(random, np.stack([a, b]), len(net.group))
    if net.trees is not None:
        links = _in_trees(net, net.trees, links, x, y, one)
    return Detours(net, pair, np.cumsum(count) - count, kind, links, spread)


def _in_trees(net: GroupNet, trees: npt.NDArray[np.bool_], links: Rows, x: Rows, y: Rows, one: Rows) -> Rows:
    """[6, W] the links with the cables inside groups: up at first, down at last; between, where no spine has both cables, down
    and up. Nodes are groups, and so are the links to themselves."""
    third = net.end[one]
    passing = (links[3] < len(net.room)) & trees[x, third, y]
    middle = np.where(passing, third, len(net.room))
    return np.concatenate([[x, links[1], middle, links[3], y, middle]])


def _chains(net: GroupNet, groups: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """(pair of groups, first global link, second, kind) of all ways, pair by pair; -1: no such link."""
    i, j = np.divmod(groups, net.groups)
    first = np.searchsorted(net.pairs, i * net.groups)
    count = np.searchsorted(net.pairs, (i + 1) * net.groups) - first
    chain, one = np.repeat(np.arange(len(groups)), count), _ranges(first, count)
    third = net.group[net.end[one]]
    straight = (third == j[chain]) & (i != j)[chain]
    found = [(chain[straight], one[straight], np.full(int(straight.sum()), -1), MINIMAL)]
    beyond = ~straight & (third != j[chain])
    chain, one, third = chain[beyond], one[beyond], third[beyond]
    first = np.searchsorted(net.pairs, third * net.groups + j[chain])
    count = np.searchsorted(net.pairs, third * net.groups + j[chain], side="right") - first
    chain, one, two = np.repeat(chain, count), np.repeat(one, count), _ranges(first, count)
    own = np.flatnonzero(i == j)
    none = np.full(len(own), -1)
    found += [(own, none, none, MINIMAL), (chain, one, two, GROUP)]
    if net.size > 2:
        found += [(own, none, none, ROUTER), (chain, one, two, ROUTER)]
    table = [np.concatenate([f[k] for f in found]) for k in range(3)]
    kind = np.concatenate([np.full(len(f[0]), f[3]) for f in found])
    order = np.argsort(table[0], kind="stable")
    return table[0][order], table[1][order], table[2][order], kind[order]


def _ranges(first: Rows, count: Rows) -> Rows:
    """first[0], first[0] + 1, .. as many as count[0], then those of the next."""
    return np.repeat(first - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
