"""All-to-all where links differ in rate: uplinks of 400 Gb/s above split host ports of 200 carry two flows at a host's rate.

Takes counts of flows on a graph. Gives the share of line rate that the slowest link leaves, and the loads by rate. Where all
links have one rate, counts say the same.
"""

from __future__ import annotations

import numpy as np

from ibgen.route import Graph

from .loads import Counts
from .rates import Rates


def slowest_share(graph: Graph, counts: Counts, injected: Counts) -> float:
    """Share of its own line that the slowest pair of an all-to-all has, every pair being as fast: that of the fullest link by
    its rate, for the endpoint of the usual rate. [S * width] and [E]"""
    senders = int(injected.max(initial=0))
    most = max(int(counts.max(initial=0)), senders)
    if graph.speed is None or not len(graph.plugged):
        return senders / most if most else 1.0
    crowd = np.concatenate([counts, injected])
    used = (crowd > 0) & (graph.speed > 0)
    if not used.any():
        return 1.0
    return min(1.0, float((graph.speed[used] / crowd[used]).min()) * senders / graph.usual)


def by_rate(counts: Counts, links: Rates, line: float) -> Counts:
    """Flows that would fill a link of line rate as much as these fill their own, rounded up. [S * width]"""
    slots = np.divide(counts * line, links, out=np.zeros(len(counts)), where=links > 0)
    return np.asarray(np.ceil(slots - 1e-9), np.int64)
