"""Flows on forwarding tables: how many flows every directed link carries, and what that leaves each flow.

Takes `Routes` and flows. A directed link is `switch * width + port` (`Graph.width`); the link from an endpoint to its leaf
is the endpoint's own row. Counts are exact. Model: static tables, every flow the same size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.route import Routes

from .patterns import Flows

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Loads:
    """One pattern on one set of tables. F flows, H hops at most."""

    channels: npt.NDArray[np.int32]  # [F, H] directed links in order of travel, -1 behind the end
    links: Counts  # [S * width] flows per directed link
    injected: Counts  # [E] flows per link from an endpoint to its leaf
    largest: Counts  # [F] the largest load on the flow's way, its own injection included; 1 for a flow to itself

    @property
    def max(self) -> int:
        """The largest load of any link."""
        return int(max(self.links.max(initial=0), self.injected.max(initial=0)))

    @property
    def efficiency(self) -> float:
        """Mean over flows of 1 / (largest load on the way)."""
        return float((1.0 / self.largest).mean()) if len(self.largest) else 0.0

    def histogram(self) -> Counts:
        """[max + 1] how many links between switches or to hosts carry 1, 2, .. flows; entry 0 is always 0."""
        used = self.links[self.links > 0]
        return np.bincount(used)


def flow_loads(routes: Routes, flows: Flows) -> Loads:
    """Walks every flow and counts. Flows are taken in the order of their destinations, which the tables are laid out in."""
    sources, destinations = flows
    order = np.argsort(destinations, kind="stable")
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    moving = sources != destinations
    channels = routes.channels(sources[order], destinations[order])[back]
    channels[~moving] = -1
    size = routes.graph.switches * routes.graph.width
    links = np.bincount(channels[channels >= 0], minlength=size)
    injected = np.bincount(sources[moving], minlength=routes.graph.endpoints)
    along = np.where(channels >= 0, links[np.maximum(channels, 0)], 0)
    largest = np.maximum(along.max(axis=1, initial=1), np.where(moving, injected[sources], 1))
    return Loads(channels, links, injected, largest)


def all_to_all(routes: Routes, block: int = 1024) -> tuple[Counts, Counts]:
    """One unit per ordered pair of endpoints: ([S * width] flows per directed link, [E] per injection link), exact.

    A destination's routes are an in-tree: what passes a link is the number of endpoints behind it. Counted tree by tree, never
    pair by pair.
    """
    g = routes.graph
    there = g.plugged
    hosts = g.host_links.astype(np.int64)
    size = g.switches * g.width
    links = np.zeros(size, np.int64)
    for first in range(0, len(there), block):
        rows = there[first : first + block]
        waiting_row, waiting_at = np.nonzero(np.broadcast_to(hosts > 0, (len(rows), g.switches)))
        weight = hosts[waiting_at]
        weight = weight - (waiting_at == g.leaf[rows[waiting_row]])  # nobody sends to itself
        while len(waiting_row):
            port = routes.lft[rows[waiting_row], waiting_at].astype(np.int64)
            going = (port != routes.none) & (port > 0) & (weight > 0)
            waiting_row, port, weight, at = waiting_row[going], port[going], weight[going], waiting_at[going]
            channel = at * g.width + port
            links += np.bincount(channel, weight, size).astype(np.int64)
            after = g.peer[at, port]
            on = after >= 0
            merged = np.bincount(waiting_row[on] * g.switches + after[on], weight[on], len(rows) * g.switches)
            key = np.flatnonzero(merged)
            waiting_row, waiting_at, weight = key // g.switches, key % g.switches, merged[key].astype(np.int64)
    injected = np.zeros(g.endpoints, np.int64)
    injected[there] = len(there) - 1
    return links, injected


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over random patterns. Print it with its pattern, flows, number of patterns, seed and standard error."""

    pattern: str
    mean: float
    standard_error: float
    patterns: int
    flows: int
    max_load: int
    seed: int


def estimate(routes: Routes, pattern: str, flows: Iterable[Flows], seed: int) -> Estimate:
    """Mean efficiency (effective bandwidth as a share of line rate) over the patterns, in their order."""
    values, count, largest = [], 0, 0
    for pair in flows:
        loads = flow_loads(routes, pair)
        values.append(loads.efficiency)
        count = len(pair[0])
        largest = max(largest, loads.max)
    spread = np.array(values)
    error = float(spread.std(ddof=1) / np.sqrt(len(spread))) if len(spread) > 1 else 0.0
    return Estimate(pattern, float(spread.mean()) if len(spread) else 0.0, error, len(spread), count, largest, seed)


def link_tiers(routes: Routes) -> npt.NDArray[np.int8]:
    """[S * width] what a directed link is: -1 none, 0 to a host, 1 up, 2 down, 3 between switches of one tier."""
    g = routes.graph
    kind = np.full((g.switches, g.width), -1, np.int8)
    kind[g.endpoint >= 0] = 0
    peer = g.peer
    there = peer >= 0
    mine = np.broadcast_to(g.tier[:, None], peer.shape)
    other = g.tier[np.maximum(peer, 0)]
    kind[there & (other > mine)] = 1
    kind[there & (other < mine)] = 2
    kind[there & (other == mine)] = 3
    return kind.ravel()
