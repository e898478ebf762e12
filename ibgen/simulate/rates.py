"""Max-min fair rates: what flows get when all rise together and the fullest link stops its own first (progressive filling).

Takes loads and capacities. Gives GB/s per flow. Model: fluid flows on static tables; background classes take their share first.
Sums are taken in a fixed order; results hold to 1e-9 relative on any machine.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ibgen.fabric import Subnet
from ibgen.route import Graph
from ibgen.route.graph import link_rates

from .loads import Loads
from .patterns import Rows

Rates = npt.NDArray[np.float64]

GBS = 8.0
"""Gb/s of one GB/s."""

ALIKE = 1 + 1e-12
"""Links whose levels differ by less are full at the same time: they differ by rounding only."""


def capacities(subnet: Subnet, graph: Graph) -> tuple[Rates, Rates]:
    """GB/s of every directed link [S * width] and of every injection link [E], from the cables' rates."""
    return link_rates(subnet, graph.width) / GBS, subnet.ports.rate_gbps / GBS


def max_min(loads: Loads, sources: Rows, links: Rates, injected: Rates, background: float | Rates = 0.0) -> Rates:
    """[F] GB/s per flow. `background`: share of every link that other classes hold, 0 to 1; also per link [S * width + E]. A
    flow to itself gets its port's rate, one without a route nothing."""
    size = len(links)
    moving = loads.channels.max(axis=1, initial=-1) >= 0
    rates = np.where(moving | ~loads.arrived, 0.0, injected[sources])
    flows = np.flatnonzero(moving)
    ways = np.concatenate([loads.channels[flows], (size + sources[flows]).astype(np.int32)[:, None]], axis=1)
    room = np.concatenate([links, injected]) * (1.0 - background)
    crowd = np.concatenate([loads.links, loads.injected])
    # a link of one flow is that flow's own: it bounds it and concerns nobody else
    shared = crowd >= 2
    on = ways >= 0
    together = on & shared[ways]
    own = np.where(on & ~together, room[ways], np.inf).min(axis=1, initial=np.inf)
    number = np.cumsum(shared, dtype=np.int32) - 1
    ways = np.where(together, number[ways], np.int32(-1))
    rates[flows] = _filled(ways, crowd[shared], room[shared], own)
    return rates


def _filled(ways: npt.NDArray[np.int32], crowd: npt.NDArray[np.int64], room: Rates, own: Rates) -> Rates:
    """[F] rates. `ways` [F, H] shared links, -1 none; `crowd` flows of each, `room` its GB/s; `own` bounds each flow alone.

    A round looks for the least level at which something is full: a link's is what stopped flows leave of it, over the flows
    that still rise. Only links of flows that stopped are reckoned anew.
    """
    member, starts = _members(ways, len(crowd))
    left, active, rates = crowd.astype(np.int64), np.ones(len(own), bool), np.zeros(len(own))
    held = np.zeros(len(crowd))
    level = room / np.maximum(left, 1)
    by_own = np.argsort(own, kind="stable")
    ranked, at, rising = own[by_own], 0, len(own)
    while rising:
        while not active[by_own[at]]:
            at += 1
        least = min(float(level.min(initial=np.inf)), float(ranked[at]))
        full = np.flatnonzero(level <= least * ALIKE)
        alone = by_own[at : np.searchsorted(ranked, least * ALIKE, side="right")]
        stopped = np.concatenate([_segments(member, starts, full), alone])
        stopped = np.unique(stopped[active[stopped]])
        active[stopped] = False
        rates[stopped] = least
        rising -= len(stopped)
        touched = ways[stopped].ravel()
        touched, times = np.unique(touched[touched >= 0], return_counts=True)
        left[touched] -= times
        held[touched] += least * times
        open_ = left[touched] > 0
        level[touched] = np.where(open_, np.maximum(room[touched] - held[touched], 0.0) / np.maximum(left[touched], 1), np.inf)
        level[full] = np.inf  # everybody on them has stopped
    return rates


def _members(ways: npt.NDArray[np.int32], links: int) -> tuple[Rows, Rows]:
    """Flows link by link, and where each link's begin. Links as 16-bit halves, which numpy sorts by radix."""
    flow, column = np.nonzero(ways >= 0)
    link = ways[flow, column]
    order = np.argsort((link & 0xFFFF).astype(np.uint16), kind="stable")
    order = order[np.argsort((link[order] >> 16).astype(np.uint16), kind="stable")]
    return flow[order], np.concatenate([[0], np.cumsum(np.bincount(link, minlength=links))])


def _segments(member: Rows, starts: Rows, links: Rows) -> Rows:
    """Members of some links, one after another."""
    first, size = starts[links], starts[links + 1] - starts[links]
    offset = np.repeat(first - np.concatenate([[0], np.cumsum(size)[:-1]]), size) if len(links) else np.zeros(0, np.intp)
    return member[offset + np.arange(len(offset))]
