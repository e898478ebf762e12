"""Max-min fair rates: what flows get when all rise together and the fullest link stops its own first (progressive filling).

Takes loads and capacities. Gives GB/s per flow. Model: fluid flows on static tables; background classes take their share first.
Sums are taken in a fixed order; results hold to 1e-9 relative on any machine.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ibgen.fabric import HOST_CABLE, Subnet
from ibgen.route import Graph

from .loads import Loads
from .patterns import Rows

Rates = npt.NDArray[np.float64]

GBS = 8.0
"""Gb/s of one GB/s."""


def capacities(subnet: Subnet, graph: Graph) -> tuple[Rates, Rates]:
    """GB/s of every directed link [S * width] and of every injection link [E], from the cables' rates."""
    c = subnet.cables
    links = np.zeros(graph.switches * graph.width)
    rate = c.rate_gbps / GBS
    links[c.upper.astype(np.intp) * graph.width + c.upper_port] = rate
    between = c.kind != HOST_CABLE
    links[c.lower[between].astype(np.intp) * graph.width + c.lower_port[between]] = rate[between]
    return links, subnet.ports.rate_gbps / GBS


def max_min(loads: Loads, sources: Rows, links: Rates, injected: Rates, background: float = 0.0) -> Rates:
    """[F] GB/s per flow. `background`: share of every link that other classes hold, 0 to 1. A flow to itself gets its port's
    rate, one without a route nothing."""
    size = len(links)
    ways = np.concatenate([loads.channels, (size + sources)[:, None]], axis=1)
    capacity = np.concatenate([links, injected]) * (1.0 - background)
    moving = loads.channels.max(axis=1, initial=-1) >= 0
    rates = np.where(moving, 0.0, np.where(loads.injected[sources] > 0, 0.0, injected[sources]))
    # links that carry nothing drop out: what is left is numbered anew, a slot of infinite room stands for `no link`
    used, compact = np.unique(ways[moving], return_inverse=True)
    compact = compact.reshape(-1, ways.shape[1])
    room = np.where(used < 0, np.inf, capacity[np.maximum(used, 0)])
    active = np.flatnonzero(moving)
    while len(active):
        crowd = np.bincount(compact.ravel(), minlength=len(room)).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(crowd > 0, room / crowd, np.inf)
        least = share.min()
        full = share <= least * (1 + 1e-12)
        stopped = full[compact].any(axis=1)
        rates[active] += least
        room = np.where(np.isinf(room), room, np.maximum(room - least * crowd, 0.0))
        active, compact = active[~stopped], compact[~stopped]
    return rates
