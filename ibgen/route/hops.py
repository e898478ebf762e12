"""Distances between switches, all pairs at once: breadth-first search on rows of bits.

Takes neighbour lists. Gives hop counts as uint8, `FAR` where there is no way. At 5,120 switches a level is 64 gathers of 3 MB.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .graph import Graph, Ints

Hops = npt.NDArray[np.uint8]
Bits = npt.NDArray[np.uint8]

FAR = 255
"""No way there (OSM_NO_PATH of OpenSM)."""


def neighbours(graph: Graph, wanted: npt.NDArray[np.bool_] | None = None) -> Ints:
    """Distinct peers of every switch, filled up with the switch itself. `wanted`: ports that count. [S, K]"""
    own = np.arange(graph.switches, dtype=np.int32)[:, None]
    use = (graph.peer >= 0) if wanted is None else (graph.peer >= 0) & wanted
    table = np.sort(np.where(use, graph.peer, own), axis=1)
    again = np.zeros(table.shape, bool)
    again[:, 1:] = table[:, 1:] == table[:, :-1]
    table = np.sort(np.where(again | (table == own), graph.switches, table), axis=1)
    width = int((table < graph.switches).sum(axis=1).max(initial=0))
    return np.where(table == graph.switches, own, table)[:, :width].astype(np.int32)


def unit_bits(count: int) -> Bits:
    """Row i has only bit i. [count, ceil(count / 8)]"""
    return np.packbits(np.eye(count, dtype=bool), axis=1)


def spread(bits: Bits, near: Ints) -> Bits:
    """For every switch the union of its neighbours' rows (and its own, where `near` is filled up with it)."""
    out = np.zeros_like(bits)
    for column in near.T:
        out |= bits[column]
    return out


def set_hops(hops: Hops, fresh: Bits, value: int) -> None:
    """Writes `value` where the bits are set. hops: [S, S]"""
    hops[np.unpackbits(fresh, axis=1, count=hops.shape[1]).view(bool)] = value


def distances(graph: Graph) -> Hops:
    """Hops between every two switches over any links. Symmetric. [S, S]"""
    hops = np.full((graph.switches, graph.switches), FAR, np.uint8)
    np.fill_diagonal(hops, 0)
    near, reached = neighbours(graph), unit_bits(graph.switches)
    for level in range(1, FAR):
        fresh = spread(reached, near) & ~reached
        if not fresh.any():
            break
        set_hops(hops, fresh, level)
        reached |= fresh
    return hops
