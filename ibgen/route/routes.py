"""Forwarding tables, destination-major: where every switch sends what is bound for an endpoint.

Takes what an engine computed. Gives `Routes`, with next hops and walks. Destination-major because a walk, a count of an in-tree
and a re-route after a failure all go destination by destination (one row is one in-tree).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .graph import Graph, Ints, Rows

Table = npt.NDArray[np.unsignedinteger[Any]]
"""uint8, or uint16 where switches have more than 254 ports."""

MAX_HOPS = 64
"""Switches a packet may pass before it counts as caught in a loop (IB_SUBNET_PATH_HOPS_MAX of OpenSM)."""


@dataclass(frozen=True)
class Routes:
    """What one engine decided. Port numbers; `none` where there is no route.

    The port toward the endpoint stands at the endpoint's own leaf, port 0 at a switch for itself.
    """

    engine: str
    graph: Graph = field(repr=False)
    lft: Table = field(repr=False)  # [E, S] by destination endpoint
    switch_lft: Table | None = field(default=None, repr=False)  # [S, S] by destination switch; None: not computed
    layers: npt.NDArray[np.uint8] | None = field(default=None, repr=False)
    """[E, S] virtual layer of the way from an endpoint of that switch; None: one layer."""

    @property
    def none(self) -> int:
        """The value that means no route: 255, or 65,535 where switches have more than 254 ports."""
        return int(np.iinfo(self.lft.dtype).max)

    @property
    def layer_count(self) -> int:
        return 1 if self.layers is None else int(self.layers.max(initial=0)) + 1

    def next_port(self, endpoint: Rows | Ints, switch: Rows | Ints) -> Ints:
        """Ports by which `switch` sends toward `endpoint` (broadcast); -1: no route."""
        port = self.lft[endpoint, switch].astype(np.int32)
        return np.where(port == self.none, -1, port).astype(np.int32)

    def next_switch(self, endpoint: Rows | Ints, switch: Rows | Ints) -> Ints:
        """Switches behind those ports; -1: no route, or the endpoint itself."""
        port = self.next_port(endpoint, switch)
        return np.where(port < 0, -1, self.graph.peer[switch, port]).astype(np.int32)

    def channels(self, sources: Rows, destinations: Rows) -> Ints:
        """The directed links (`switch * width + port`) of flows between endpoints, in order of travel, padded with -1. [F, H]

        The link from the source to its leaf is not among them, the one from the last leaf to the destination is. A flow that
        ends nowhere or goes round ends where it was after `MAX_HOPS`; `verify` says which do.
        """
        g = self.graph
        columns: list[Ints] = []
        at = g.leaf[sources].astype(np.int64)
        at[g.leaf[destinations] < 0] = -1
        while (at >= 0).any() and len(columns) < MAX_HOPS:
            port = self.lft[destinations, at].astype(np.int64)
            going = (at >= 0) & (port != self.none) & (port > 0)
            port = np.where(going, port, 0)
            columns.append(np.where(going, at * g.width + port, -1).astype(np.int32))
            at = np.where(going, g.peer[at, port], -1)
        return np.stack(columns, axis=1) if columns else np.empty((len(sources), 0), np.int32)


def empty(graph: Graph, rows: int) -> Table:
    """A table without routes, as narrow as the port numbers allow. [rows, S]"""
    if graph.width <= 255:
        return np.full((rows, graph.switches), 255, np.uint8)
    return np.full((rows, graph.switches), 65535, np.uint16)
