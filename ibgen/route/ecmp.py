"""Equal-cost multipath, as Ethernet fabrics spread traffic: every queue pair falls, ball by ball, into one of the equal ways.

Takes a `Graph` and flows between endpoints. Gives the links that each queue pair takes under one seed, and what many seeds come
to. The choice at each switch is a raw Philox word scaled by our own code, so it is the same on every machine and numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .graph import Graph, Ints, Rows
from .hops import FAR, Hops, distances


@dataclass(frozen=True)
class Spread:
    """Balls in bins over D draws. A link's load counts flows: a queue pair of a connection of Q is 1/Q of a flow."""

    seeds: tuple[int, ...]
    load: npt.NDArray[np.float64]  # [S * width] mean load of every directed link
    largest: npt.NDArray[np.float64]  # [D] the largest load of each draw
    share: npt.NDArray[np.float64]  # [D] mean over flows of 1 / (largest load on the way), queue pairs averaged

    @property
    def mean(self) -> float:
        """Mean of `share` over the draws."""
        return float(self.share.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation of `share` from draw to draw; 0 for a single one."""
        return float(self.share.std(ddof=1)) if len(self.share) > 1 else 0.0


def ecmp(
    graph: Graph, sources: Rows, destinations: Rows, queue_pairs: int = 1, seed: int = 0, hops: Hops | None = None
) -> Ints:
    """Directed links (`switch * width + port`) of every queue pair, in order of travel, padded with -1. [F, Q, H]

    The link to the destination is the last one; a flow without a way has none. `hops`: distances, where they are known.
    """
    hops = distances(graph) if hops is None else hops
    near, far = graph.leaf[sources], graph.leaf[destinations]
    there = (near >= 0) & (far >= 0) & (hops[near, far] < FAR)
    depth = int(hops[near[there], far[there]].max(initial=0))
    words = np.random.Philox(key=seed).random_raw(len(sources) * queue_pairs * max(depth, 1)) >> np.uint64(32)
    draws = words.reshape(len(sources), queue_pairs, -1)
    links = np.full((len(sources), queue_pairs, depth + 1), -1, np.int32)
    rows = np.flatnonzero(there)
    rows = rows[np.argsort(far[rows], kind="stable")]
    cuts = [0, *(np.flatnonzero(np.diff(far[rows])) + 1).tolist(), len(rows)] if len(rows) else [0, 0]
    for a, b in pairwise(cuts):
        if b > a:
            flows = rows[a:b]
            links[flows] = _toward(graph, hops[far[flows[0]]], near[flows], destinations[flows], draws[flows], depth)
    return links


def _toward(
    graph: Graph, hops: Hops, start: Ints, destinations: Rows, draws: npt.NDArray[np.uint64], depth: int
) -> npt.NDArray[np.int64]:
    """Links of flows that share their last switch. [F, Q, H]"""
    far = hops.astype(np.int64)
    peer = np.maximum(graph.peer, 0)
    nearer = (graph.peer >= 0) & (far[peer] == far[:, None] - 1)
    number, ports = nearer.sum(axis=1), np.argsort(~nearer, axis=1, kind="stable")
    at = np.repeat(start[:, None].astype(np.int64), draws.shape[1], axis=1)
    links = np.full((*at.shape, depth + 1), -1, np.int64)
    last = graph.leaf_port[destinations][:, None]
    arrived = np.zeros(at.shape, bool)
    for step in range(depth + 1):
        moving = ~arrived & (far[at] > 0)
        port = np.broadcast_to(last, at.shape)
        if moving.any():
            turn = draws[:, :, step] * number[at].astype(np.uint64) >> np.uint64(32)
            port = np.where(moving, ports[at, turn.astype(np.int64)], last)
        links[:, :, step] = np.where(arrived, -1, at * graph.width + port)
        arrived |= ~moving
        at = np.where(moving, graph.peer[at, port], at)
    return links


def spread(graph: Graph, sources: Rows, destinations: Rows, queue_pairs: int, seeds: tuple[int, ...]) -> Spread:
    """What the draws of `seeds` come to."""
    hops = distances(graph)
    size = graph.switches * graph.width
    slots = 1.0 if graph.slots is None else graph.slots
    total, largest, share = np.zeros(size), [], []
    for seed in seeds:
        links = ecmp(graph, sources, destinations, queue_pairs, seed, hops)
        load = np.bincount(links[links >= 0], minlength=size) / queue_pairs * slots
        worst = np.where(links >= 0, load[links], 0).max(axis=2, initial=0)
        routed = worst > 0
        rate = np.divide(1.0, np.maximum(worst, 1.0), where=routed, out=np.zeros(worst.shape))
        total += load
        largest.append(load.max(initial=0))
        share.append(rate.mean() if rate.size else 0.0)
    return Spread(seeds, total / max(1, len(seeds)), np.array(largest), np.array(share))
