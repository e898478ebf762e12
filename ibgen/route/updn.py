"""OpenSM's up*/down*: shortest ways that never turn up again once they went down, dealt as minhop deals them.

Takes a `Graph` and the root switches. Gives `Routes` equal to OpenSM 3.3.23 on a fresh fabric, entry by entry.

Where every cable joins two neighbouring ranks (any tree with its roots), the ways of all switches are found at once. Elsewhere
OpenSM's own search is walked, because there its queue decides: a switch keeps the direction of the step that queued it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .graph import Graph, Ints, Rows
from .greedy import Allowed, deal
from .hops import FAR, neighbours, set_hops, spread, unit_bits
from .ranks import UNRANKED, NotRouted, found_roots, given_roots, ranks
from .routes import Routes


def updn(graph: Graph, roots: Sequence[int] | Rows | None = None, switches: bool = False, fast: bool | None = None) -> Routes:
    """`roots`: rows of switches; None: those that OpenSM would find for itself. `fast`: compiled or not; None: as it pays.
    Raises `NotRouted` without any root."""
    top = found_roots(graph) if roots is None else given_roots(graph, roots)
    if not len(top):
        raise NotRouted("updn has no root switch")
    rank = ranks(graph, top)
    wired = graph.peer >= 0
    step = np.where(wired, rank[graph.peer] - rank[:, None], 1)
    strict = bool((np.abs(step) == 1).all()) and bool((rank[graph.linked] < UNRANKED).all())
    allowed = _layered(graph, rank) if strict else _searched(graph, rank)
    return Routes("updn", graph, *deal(graph, allowed, switches, fast))


def _layered(graph: Graph, rank: Ints) -> Allowed:
    """Seen from the target: first only up, then only down. `up`: reached without a step down; that way is the shortest."""
    wired, peer = graph.peer >= 0, np.maximum(graph.peer, 0).astype(np.intp)
    below, above = wired & (rank[peer] > rank[:, None]), wired & (rank[peer] < rank[:, None])
    lower, upper = neighbours(graph, below), neighbours(graph, above)
    rising = unit_bits(graph.switches)
    falling, reached, climbed = np.zeros_like(rising), rising.copy(), rising.copy()
    hops = np.full((graph.switches, graph.switches), FAR, np.uint8)  # [at, target]
    np.fill_diagonal(hops, 0)
    for level in range(1, FAR):
        falling = spread(rising | falling, upper) & ~reached
        rising = spread(rising, lower) & ~reached
        fresh = rising | falling
        if not fresh.any():
            break
        set_hops(hops, fresh, level)
        reached |= fresh
        climbed |= rising
    toward = np.ascontiguousarray(hops.T)
    bit = climbed

    def allowed(target: int) -> npt.NDArray[np.bool_]:
        far = toward[target].astype(np.int16)
        far[far == FAR] = -2
        up = (bit[:, target >> 3] >> (7 - (target & 7)) & 1).astype(bool)
        nearer = (far[peer] == far[:, None] - 1) & (far >= 0)[:, None]
        mask: npt.NDArray[np.bool_] = nearer & ((below & up[peer] & up[:, None]) | (above & ~up[:, None]))
        return mask

    return allowed


def _searched(graph: Graph, rank: Ints) -> Allowed:
    """OpenSM's search, target by target. Up is toward the roots; among equal ranks toward the smaller GUID."""
    links = _links(graph, rank)

    def allowed(target: int) -> npt.NDArray[np.bool_]:
        hops = np.full(graph.peer.shape, FAR, np.uint8)
        least = [FAR] * graph.switches
        least[target] = 0
        rising, queued = [True] * graph.switches, [False] * graph.switches
        queue = deque([target])
        while queue:
            u = queue.popleft()
            queued[u] = False
            up, value = rising[u], least[u] + 1
            for v, port, goes_up in links[u]:
                if (not up and goes_up) or value >= hops[v, port]:
                    continue
                hops[v, port] = value
                least[v] = min(least[v], value)
                if not queued[v]:
                    queued[v], rising[v] = True, goes_up
                    queue.append(v)
        near = np.array(least, np.uint8)[:, None]
        mask: npt.NDArray[np.bool_] = (hops == near) & (near < FAR)
        return mask

    return allowed


def _links(graph: Graph, rank: Ints) -> list[list[tuple[int, int, bool]]]:
    """Per switch, ports ascending: the peer, its port, and whether the step there is up."""
    result: list[list[tuple[int, int, bool]]] = [[] for _ in range(graph.switches)]
    here, port = np.nonzero(graph.peer >= 0)
    there = graph.peer[here, port]
    up = (rank[here] > rank[there]) | ((rank[here] == rank[there]) & (graph.guid[here] > graph.guid[there]))
    up |= (rank[here] == 0) & (rank[there] == 0)
    far = graph.peer_port[here, port]
    for a, b, q, d in zip(here.tolist(), there.tolist(), far.tolist(), up.tolist(), strict=True):
        if a != b:
            result[a].append((b, q, d))
    return result
