"""Following flows along forwarding tables: the directed links each of them takes.

Takes tables (`Routes`, or the closed form `Pointwise`) and flows. Gives `Ways`: channels per flow, and who arrives. Compiled
where asked for; else numpy, flows in the order of their destinations, which is how the tables lie in memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.route import Graph, Routes
from ibgen.route.fast import compiled, compiles
from ibgen.route.pointwise import Pointwise
from ibgen.route.routes import MAX_HOPS

from .kernels import walk_flows
from .patterns import Flows, Rows

Tables = Routes | Pointwise
Bools = npt.NDArray[np.bool_]

SHORT = 8
"""Hops that the first walk has room for: a three-tier tree needs five, a dragonfly with detours up to eight."""


@dataclass(frozen=True)
class Ways:
    """F flows of at most H hops. A flow to itself has no channel and counts as arrived; so do no others without a channel."""

    channels: npt.NDArray[np.int32]  # [F, H] directed links in order of travel, -1 behind the end; each hop lies together
    moving: Bools  # [F] not to itself
    arrived: Bools  # [F]


def walk(tables: Tables, flows: Flows, fast: bool | None = None) -> Ways:
    """The ways of flows. `fast`: compiled; None: where numba is installed and the fabric is large."""
    g = tables.graph
    sources, destinations = flows
    if fast is None:
        fast = isinstance(tables, Routes) and compiles(g.endpoints * g.switches)
    if fast and isinstance(tables, Routes):
        channels = _compiled(tables, sources, destinations)
    else:
        channels = _stepped(tables, sources, destinations)
    return ways(g, channels, flows)


def ways(graph: Graph, channels: npt.NDArray[np.int32], flows: Flows) -> Ways:
    """Channels found by whomever, with who arrives: whose last link leads to its destination."""
    sources, destinations = flows
    moving = sources != destinations
    end = np.full(len(sources), -1, np.int32)
    for column in channels.T:
        end = np.where(column >= 0, column, end)
    met = np.where(end >= 0, graph.endpoint.ravel()[end], -1)
    return Ways(channels, moving, ~moving | (met == destinations))


def _compiled(routes: Routes, sources: Rows, destinations: Rows) -> npt.NDArray[np.int32]:
    g = routes.graph
    (kernel,) = compiled(walk_flows)
    most = SHORT
    while True:
        channels = np.full((most, len(sources)), -1, np.int32)
        first, order, at = (np.zeros(n, np.int32) for n in (g.endpoints + 1, len(sources), len(sources)))
        depth = kernel(routes.lft, g.peer, g.leaf, sources, destinations, routes.none, most, first, order, at, channels)
        if depth <= most or most >= MAX_HOPS:
            return channels[: min(depth, most)].T
        most = MAX_HOPS


def _stepped(tables: Tables, sources: Rows, destinations: Rows) -> npt.NDArray[np.int32]:
    g = tables.graph
    order = np.argsort(destinations, kind="stable") if isinstance(tables, Routes) else np.arange(len(sources))
    order = order[(sources[order] != destinations[order]) & (g.leaf[destinations[order]] >= 0) & (g.leaf[sources[order]] >= 0)]
    peer = g.peer.ravel()
    to, at = destinations[order], g.leaf[sources[order]].astype(np.intp)
    columns: list[npt.NDArray[np.int32]] = []
    while len(order) and len(columns) < MAX_HOPS:
        port = _ports(tables, to, at)
        going = port > 0
        if not going.all():
            order, to, at, port = order[going], to[going], at[going], port[going]
        link = at * g.width + port
        column = np.full(len(sources), -1, np.int32)
        column[order] = link
        columns.append(column)
        after = peer[link]
        on = after >= 0
        order, to, at = order[on], to[on], after[on].astype(np.intp)
    return np.stack(columns).T if columns else np.empty((len(sources), 0), np.int32)


def _ports(tables: Tables, to: Rows, at: Rows) -> npt.NDArray[np.int32]:
    """Ports, 0 or below: no way on."""
    if isinstance(tables, Pointwise):
        return tables.ports(to, at)
    port: npt.NDArray[np.int32] = tables.lft.ravel()[to * tables.graph.switches + at].astype(np.int32)
    port[port == tables.none] = 0
    return port
