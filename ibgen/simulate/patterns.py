"""Traffic: who sends to whom. Every pattern is two arrays of endpoint rows, [F] sources and [F] destinations.

Takes endpoint rows and a seed. Random patterns are drawn from raw Philox words mapped by our own code, so that they are equal
on any machine and with any numpy; the n-th pattern of a seed does not depend on which others were drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.intp]
Flows = tuple[Rows, Rows]


def shuffled(rows: Rows, seed: int, number: int) -> Rows:
    """The rows in the random order `number` of `seed`: sorted by one 64-bit Philox word each."""
    words = np.random.Philox(key=np.array([seed, number], dtype=np.uint64)).random_raw(len(rows))
    return rows[_order(words)]


def _order(words: npt.NDArray[np.uint64]) -> Rows:
    """np.argsort(words, kind="stable"), faster: a word's low bits are given up for its place, so that values can be sorted,
    unless two words agree in all others."""
    bits = np.uint64(max(1, (len(words) - 1).bit_length()))
    low = (np.uint64(1) << bits) - np.uint64(1)
    keys = np.sort((words & ~low) | np.arange(len(words), dtype=np.uint64))
    if (keys[1:] >> bits == keys[:-1] >> bits).any():
        return np.argsort(words, kind="stable")
    return (keys & low).astype(np.intp)


def permutation(rows: Rows, seed: int, number: int = 0) -> Flows:
    """Everyone sends to one and hears from one: N flows, a few of them to themselves."""
    return rows, shuffled(rows, seed, number)


def bisection(rows: Rows, seed: int, number: int = 0) -> Flows:
    """One half sends to the other, one way: N/2 flows (the `bisect` pattern of ORCS)."""
    mixed = shuffled(rows, seed, number)
    half = len(mixed) // 2
    return mixed[:half], mixed[half : 2 * half]


def shift(rows: Rows, distance: int) -> Flows:
    """Endpoint i sends to i + distance, modulo N."""
    return rows, np.roll(rows, -distance)


def shifts(rows: Rows) -> Iterator[Flows]:
    """All N - 1 of them: what an all-to-all in rounds does."""
    return (shift(rows, k) for k in range(1, len(rows)))


def ring(rows: Rows) -> Flows:
    """A ring in the given order: a shift by one."""
    return shift(rows, 1)


def rail_rings(host: Rows, rail: Rows, endpoints: Rows) -> Flows:
    """One ring per rail through the hosts in the given order: what NCCL's rings do between nodes.

    `host`, `rail`: [E] of the endpoints; negative rails (service ports) stand aside.
    """
    keep = rail >= 0
    rows = endpoints[keep][np.lexsort((host[keep], rail[keep]))]
    rails = np.sort(rail[keep], kind="stable")
    follower = np.roll(rows, -1)
    first = np.flatnonzero(np.r_[True, rails[1:] != rails[:-1]])
    last = np.r_[first[1:], len(rows)] - 1
    follower[last] = rows[first]
    return rows, follower


def double_tree(count: int) -> tuple[Rows, Rows]:
    """The two trees over which NCCL spreads an all-reduce, each with half of the data: [count] every rank's parent, -1 at the
    root. No rank has children in both (of an odd number of ranks one may), so none sends more than it would in a ring.
    Sanders, Speck, Traff 2009; src/graph/trees.cc."""
    rank = np.arange(count, dtype=np.intp)
    lowest = rank & -rank
    above = (rank ^ lowest) | (lowest << 1)
    parent = np.where(above < count, above, rank ^ lowest)
    parent[:1] = -1
    if count % 2:
        other = np.roll(np.where(parent >= 0, (parent + 1) % count, -1), 1)  # the same tree, one rank further on
    else:
        other = np.where(parent >= 0, count - 1 - parent, -1)[::-1]  # the same tree from the other end
    return parent, other


def rail_trees(host: Rows, rail: Rows, endpoints: Rows) -> Flows:
    """Both trees per rail over the hosts in the given order, from children to parents and back."""
    keep = rail >= 0
    rows = endpoints[keep][np.lexsort((host[keep], rail[keep]))]
    sources, destinations = [], []
    for members in np.split(rows, np.flatnonzero(np.diff(np.sort(rail[keep], kind="stable"))) + 1):
        for parent in double_tree(len(members)):
            child = np.flatnonzero(parent >= 0)
            sources += [members[child], members[parent[child]]]
            destinations += [members[parent[child]], members[child]]
    return np.concatenate(sources), np.concatenate(destinations)


def incast(sources: Rows, targets: Rows) -> Flows:
    """Every source sends to one of the targets, in turn: storage writes."""
    return sources, targets[np.arange(len(sources)) % len(targets)]
