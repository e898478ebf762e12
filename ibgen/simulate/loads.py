"""Flows on forwarding tables: how many flows every directed link carries, and what that leaves each flow.

Takes tables and flows. A directed link is `switch * width + port` (`Graph.width`); the link from an endpoint to its leaf
is the endpoint's own row. Counts are exact. Model: static tables, every flow the same size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ibgen.route import Graph
from ibgen.route.fast import compiled, compiles

from .kernels import count_loads
from .patterns import Flows, Rows
from .walking import Bools, Tables, Ways, walk

Counts = npt.NDArray[np.int64]
Crowds = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Loads:
    """One pattern on one set of tables. F flows, H hops at most. A flow that does not arrive loads nothing.

    Where links differ in rate, `largest` counts the flows of the sender's own rate that would fill the link as much.
    """

    channels: npt.NDArray[np.int32]  # [F, H] directed links in order of travel, -1 behind the end
    links: Counts  # [S * width] flows per directed link
    injected: Counts  # [E] flows per link from an endpoint to its leaf
    largest: Counts | Crowds  # [F] the largest load on the flow's way, its own injection included; 1 for a flow to itself
    arrived: Bools  # [F] whether there is a way

    @property
    def max(self) -> int:
        """The largest load of any link."""
        return int(max(self.links.max(initial=0), self.injected.max(initial=0)))

    @property
    def efficiency(self) -> float:
        """Mean over flows of 1 / (largest load on the way); 0 for a flow that does not arrive."""
        return float(np.where(self.arrived, 1.0 / self.largest, 0.0).mean()) if len(self.largest) else 0.0

    @property
    def unrouted(self) -> int:
        """Flows without a way."""
        return int(len(self.arrived) - np.count_nonzero(self.arrived))

    def histogram(self) -> Counts:
        """[max + 1] how many links between switches or to hosts carry 1, 2, .. flows; entry 0 is always 0."""
        used = self.links[self.links > 0]
        return np.bincount(used)


def flow_loads(tables: Tables, flows: Flows, fast: bool | None = None) -> Loads:
    """Walks every flow and counts. `fast`: compiled; None: where numba is installed and the fabric is large."""
    return loads_of(tables.graph, walk(tables, flows, fast), flows, fast)


def loads_of(graph: Graph, found: Ways, flows: Flows, fast: bool | None = None) -> Loads:
    """Counts ways that were found, by tables or otherwise."""
    sources, _ = flows
    channels, going = found.channels, found.moving & found.arrived
    if not (going | ~found.moving).all():
        channels = np.where(going[:, None], channels, np.int32(-1))
    size, largest = graph.switches * graph.width, np.ones(len(sources), np.int64)
    if graph.speed is not None:
        links = np.bincount(channels[channels >= 0], minlength=size)
        injected = np.bincount(sources[going], minlength=graph.endpoints)
        largest_of = _largest(graph, channels, links, injected[sources], going, sources)
        return Loads(channels, links, injected, largest_of, found.arrived)
    if fast if fast is not None else compiles(graph.endpoints * graph.switches):
        links, injected = np.zeros(size, np.int64), np.zeros(graph.endpoints, np.int64)
        compiled(count_loads)[0](channels.T, sources, going, links, injected, largest)
    else:
        links = np.bincount(channels.T[channels.T >= 0], minlength=size)
        injected = np.bincount(sources[going], minlength=graph.endpoints)
        largest[going] = injected[sources[going]]
        for column in channels.T:
            np.maximum(largest, np.where(column >= 0, links[column], 1), out=largest)
    return Loads(channels, links, injected, largest, found.arrived)


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
    unrouted: int = 0


TOGETHER = 1 << 15
"""Flows that are walked at once: patterns of small fabrics are taken many at a time, since each array call costs as much."""


def estimate(tables: Tables, pattern: str, flows: Iterable[Flows], seed: int, fast: bool | None = None) -> Estimate:
    """Mean efficiency (effective bandwidth as a share of line rate) over the patterns, in their order."""
    values: list[float] = []
    count, largest, lost = 0, 0, 0
    for some in _together(flows):
        count = len(some[-1][0])
        for share, most, unrouted in _judged(tables, some, fast):
            values.append(share)
            largest = max(largest, most)
            lost += unrouted
    spread = np.array(values)
    error = float(spread.std(ddof=1) / np.sqrt(len(spread))) if len(spread) > 1 else 0.0
    return Estimate(pattern, float(spread.mean()) if len(spread) else 0.0, error, len(spread), count, largest, seed, lost)


def _together(flows: Iterable[Flows]) -> Iterator[list[Flows]]:
    """Patterns in their order, as many as `TOGETHER` allows."""
    some: list[Flows] = []
    held = 0
    for pair in flows:
        some.append(pair)
        held += len(pair[0])
        if held + len(pair[0]) > TOGETHER:
            yield some
            some, held = [], 0
    if some:
        yield some


def _judged(tables: Tables, some: list[Flows], fast: bool | None) -> Iterator[tuple[float, int, int]]:
    """(efficiency, largest load, flows without a way) of each pattern, as `flow_loads` has them one by one."""
    if len(some) == 1:
        loads = flow_loads(tables, some[0], fast)
        yield loads.efficiency, loads.max, loads.unrouted
        return
    graph, lengths = tables.graph, [len(pair[0]) for pair in some]
    sources, destinations = (np.concatenate([pair[end] for pair in some]) for end in (0, 1))
    found = walk(tables, (sources, destinations), fast)
    going = found.moving & found.arrived
    number = np.repeat(np.arange(len(some)), lengths)
    size = graph.switches * graph.width
    keys = np.where(going[:, None] & (found.channels >= 0), found.channels + number[:, None] * size, -1)
    links = np.bincount(keys.T[keys.T >= 0], minlength=size * len(some))
    own = number * graph.endpoints + sources
    injected = np.bincount(own[going], minlength=graph.endpoints * len(some))
    most = np.maximum(
        links.reshape(len(some), -1).max(axis=1, initial=0), injected.reshape(len(some), -1).max(axis=1, initial=0)
    )
    largest = _largest(graph, keys, links, injected[own], going, sources)
    shares = np.where(found.arrived, 1.0 / largest, 0.0)
    ends = np.cumsum(lengths)
    for k, (end, length) in enumerate(zip(ends.tolist(), lengths, strict=True)):
        part = slice(end - length, end)
        lost = length - int(np.count_nonzero(found.arrived[part]))
        yield float(shares[part].mean()) if length else 0.0, int(most[k]), lost


def _largest(
    graph: Graph, keys: npt.NDArray[np.signedinteger[Any]], links: Counts, sent: Counts, going: Bools, sources: Rows
) -> Counts | Crowds:
    """[F] as in `Loads`; `keys` are links numbered pattern by pattern, `sent` what the sender's own link carries."""
    if graph.speed is None:
        largest = np.where(going, sent, 1)
        for column in keys.T:
            np.maximum(largest, np.where(column >= 0, links[column], 1), out=largest)
        return largest
    size = graph.switches * graph.width
    room = np.tile(graph.speed[:size], len(links) // size)
    fill = np.divide(links, room, out=np.zeros(len(links)), where=room > 0)
    own = graph.speed[size + sources]
    slowest = np.where(going, sent / own, 0.0)
    for column in keys.T:
        np.maximum(slowest, np.where(column >= 0, fill[column], 0.0), out=slowest)
    return np.where(going, np.maximum(slowest * own, 1.0), 1.0)


def link_tiers(graph: Graph) -> npt.NDArray[np.int8]:
    """[S * width] what a directed link is: -1 none, 0 to a host, 1 up, 2 down, 3 between switches of one tier."""
    g = graph
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
