"""Distance of every switch from the roots of a tree, and the roots that OpenSM's updn finds for itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .graph import Graph, Ints, Rows
from .hops import FAR, Hops, distances, neighbours

UNRANKED = np.iinfo(np.int32).max // 2


class NotRouted(Exception):
    """An engine cannot route this graph. OpenSM would take the next engine of its list, or minhop; the text says why."""


def ranks(graph: Graph, roots: Rows) -> Ints:
    """Hops from the nearest root; `UNRANKED` where no root can be reached. [S]"""
    near = neighbours(graph)
    rank = np.full(graph.switches, UNRANKED, np.int32)
    rank[roots] = 0
    while True:
        better = np.minimum(rank, rank[near].min(axis=1, initial=UNRANKED) + 1)
        if (better == rank).all():
            return rank
        rank = np.minimum(better, UNRANKED).astype(np.int32)


def given_roots(graph: Graph, roots: Sequence[int] | Rows) -> Rows:
    """The roots that are there: OpenSM passes over a GUID it does not meet."""
    rows = np.unique(np.asarray(roots, np.intp))
    return rows[graph.linked[rows]]


def found_roots(graph: Graph, hops: Hops | None = None) -> Rows:
    """The switches from which more than 90 % of the endpoints are at one hop count and no other count holds over 5 %
    (osm_ucast_updn.c). On large fabrics that is every switch: opensm.md, fact 4."""
    hops = distances(graph) if hops is None else hops
    leaves = np.flatnonzero(graph.host_links)
    total = int(graph.host_links.sum())
    most, over = (np.zeros(graph.switches, int) for _ in range(2))
    far = hops[:, leaves]
    for value in np.unique(far[far < FAR]).tolist():
        held = (far == value) @ graph.host_links[leaves]
        most += held > total * 0.9
        over += held > total * 0.05
    return np.flatnonzero((most == 1) & (over == 1) & graph.linked)
