"""A subnet as routing sees it: what is plugged into every switch port, and the order in which a subnet manager meets things.

Takes a `Subnet`, and what has failed (`Removed`). Gives a `Graph`: frozen arrays whose rows are those of the subnet, so that
tables of different failures can be laid over one another. What is gone keeps its row and has no cable.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ibgen.fabric import ACTIVE, DOWN, HOST_CABLE, Subnet

Ints = npt.NDArray[np.int32]
Rows = npt.NDArray[np.intp]
Guids = npt.NDArray[np.uint64]
Speeds = npt.NDArray[np.float64]

NONE = -1
"""No peer, no endpoint, not plugged in."""


@dataclass(frozen=True)
class Removed:
    """What is out of service: rows of the subnet's switches, cables and endpoints (ports)."""

    switches: tuple[int, ...] = ()
    cables: tuple[int, ...] = ()
    endpoints: tuple[int, ...] = ()


@dataclass(frozen=True)
class Graph:
    """S switches of up to P ports, E endpoints. Column 0 of the port tables is the switch's own port 0 and always empty."""

    names: tuple[str, ...]  # [S]
    guid: Guids  # [S] node GUID
    tier: Ints  # [S] LEAF, SPINE, CORE
    peer: Ints  # [S, P + 1] switch at the other end; -1 none
    peer_port: Ints  # [S, P + 1] its port; 0 none
    endpoint: Ints  # [S, P + 1] endpoint at the other end; -1 none
    leaf: Ints  # [E] switch; -1: not plugged in
    leaf_port: Ints  # [E] port number there; 0: not plugged in
    node_guid: Guids  # [E] of the adapter
    port_guid: Guids  # [E]
    port: Ints = field(repr=False)  # [E] port number on the adapter, from 1
    speed: Speeds | None = field(default=None, repr=False)
    """[S * (P + 1) + E] Gb/s of the directed links, then of the endpoints' own; None: all of one rate."""

    @property
    def switches(self) -> int:
        return len(self.guid)

    @property
    def endpoints(self) -> int:
        return len(self.leaf)

    @property
    def width(self) -> int:
        """Columns of the port tables: the highest port number and one more. A directed link is `switch * width + port`."""
        return int(self.peer.shape[1])

    @cached_property
    def usual(self) -> float:
        """Gb/s of the middle endpoint, where links differ in rate; 0 where nothing is plugged in, or all have one rate."""
        if self.speed is None or not len(self.plugged):
            return 0.0
        return float(np.median(self.speed[self.switches * self.width :][self.plugged]))

    @cached_property
    def slots(self) -> Speeds | None:
        """[S * (P + 1)] what one flow of the usual rate takes of a directed link; None: 1 of all of them."""
        if self.speed is None:
            return None
        links = self.speed[: self.switches * self.width]
        return np.divide(self.usual, links, out=np.zeros(len(links)), where=links > 0)

    @cached_property
    def order(self) -> Rows:
        """Switches as OpenSM walks them: it keeps GUIDs in network byte order and compares them as the machine's integers,
        so on the little-endian machines it runs on the last byte of a GUID decides first."""
        return np.argsort(self.guid.byteswap(), kind="stable")

    @cached_property
    def plugged(self) -> Rows:
        """Rows of the endpoints that are there."""
        return np.flatnonzero(self.leaf >= 0)

    @cached_property
    def host_links(self) -> Rows:
        """Endpoints per switch. [S]"""
        return np.bincount(self.leaf[self.plugged], minlength=self.switches)

    @cached_property
    def linked(self) -> npt.NDArray[np.bool_]:
        """Whether a switch has any cable: without one a subnet manager never meets it. [S]"""
        return np.asarray((self.peer >= 0).any(axis=1) | (self.host_links > 0))

    @cached_property
    def by_leaf(self) -> tuple[Rows, Rows]:
        """Endpoints sorted by switch and port, and where each switch's begin: those of s are `rows[at[s]:at[s + 1]]`."""
        rows = self.plugged[np.lexsort((self.leaf_port[self.plugged], self.leaf[self.plugged]))]
        return rows, np.concatenate([[0], np.cumsum(self.host_links)])

    def at_leaf(self, switch: int) -> Rows:
        """Endpoints of one switch in the order of its ports."""
        rows, at = self.by_leaf
        return rows[at[switch] : at[switch + 1]]

    def lids(self, manager: int) -> tuple[Ints, Ints]:
        """LIDs that OpenSM gives a fresh fabric when it runs on endpoint `manager`: 1 to its own port, then the port GUIDs in
        network byte order. Of the endpoints [E] and of the switches [S]; 0: none."""
        there, known = self.plugged, np.flatnonzero(self.linked)
        order = np.argsort(np.concatenate([self.port_guid[there], self.guid[known]]).byteswap(), kind="stable")
        rows = np.concatenate([there, self.endpoints + known])[order]
        result = np.zeros(self.endpoints + self.switches, np.int32)
        result[rows[rows != manager]] = np.arange(2, len(rows) + 1)
        result[manager] = 1
        return result[: self.endpoints], result[self.endpoints :]


def graph(subnet: Subnet, without: Removed | None = None, *, planned: bool = False) -> Graph:
    """The graph of a subnet without what has failed. Endpoints that are out of service are not plugged in, nor are planned
    ones unless `planned`."""
    gone = without or Removed()
    s, p, c = subnet.switches, subnet.ports, subnet.cables
    dead = np.zeros(len(s.names), bool)
    dead[list(gone.switches)] = True
    cut = np.zeros(len(c.kind), bool)
    cut[list(gone.cables)] = True
    there = (p.state != DOWN) if planned else (p.state == ACTIVE)
    there = there & ~dead[p.leaf]
    there[list(gone.endpoints)] = False
    there[c.lower[cut & (c.kind == HOST_CABLE)]] = False
    wired = (c.kind != HOST_CABLE) & ~cut & ~dead[c.upper]
    wired[wired] &= ~dead[c.lower[wired]]
    up = np.flatnonzero(wired)
    leaf, port = np.where(there, p.leaf, NONE), np.where(there, p.leaf_port, 0)
    links = (c.lower[up], c.lower_port[up], c.upper[up], c.upper_port[up])
    peer, peer_port, endpoint = _tables(len(s.names), int(s.ports.max(initial=0)) + 1, links, leaf, port)
    return Graph(
        s.names, s.guid, s.tier, peer, peer_port, endpoint, leaf.astype(np.int32), port.astype(np.int32), p.node_guid,
        p.port_guid, p.port, _speeds(subnet, peer.shape[1]),
    )  # fmt: skip


def _speeds(subnet: Subnet, width: int) -> Speeds | None:
    c, own = subnet.cables, subnet.ports.rate_gbps.astype(np.float64)
    every = np.concatenate([c.rate_gbps, own])
    if not len(every) or every.min() == every.max():
        return None
    return np.concatenate([link_rates(subnet, width), own])


def link_rates(subnet: Subnet, width: int) -> Speeds:
    """[S * width] Gb/s of the directed links, from their cables; 0 where there is none."""
    c = subnet.cables
    links = np.zeros(len(subnet.switches.names) * width)
    links[c.upper.astype(np.intp) * width + c.upper_port] = c.rate_gbps
    between = c.kind != HOST_CABLE
    links[c.lower[between].astype(np.intp) * width + c.lower_port[between]] = c.rate_gbps[between]
    return links


def _tables(switches: int, width: int, links: tuple[Ints, ...], leaf: Rows, port: Rows) -> tuple[Ints, Ints, Ints]:
    low, low_port, high, high_port = links
    peer, endpoint = (np.full((switches, width), NONE, np.int32) for _ in range(2))
    peer_port = np.zeros((switches, width), np.int32)
    peer[low, low_port], peer[high, high_port] = high, low
    peer_port[low, low_port], peer_port[high, high_port] = high_port, low_port
    rows = np.flatnonzero(leaf >= 0)
    endpoint[leaf[rows], port[rows]] = rows
    return peer, peer_port, endpoint


def mainland(graph: Graph) -> Graph:
    """The island with the most endpoints (the lowest row among equals), the rest unplugged: all that a subnet manager on it
    would meet. The graph itself where it is of one piece."""
    island = np.arange(graph.switches)
    peer = np.where(graph.peer >= 0, graph.peer, np.arange(graph.switches)[:, None])
    while True:
        lower = np.minimum(island, island[peer].min(axis=1))
        lower = np.minimum(lower, lower[lower])
        if (lower == island).all():
            break
        island = lower
    weight = np.bincount(island, graph.host_links, graph.switches)
    home = island == weight.argmax()
    if not (graph.linked & ~home).any():
        return graph
    leaf = np.where((graph.leaf >= 0) & home[graph.leaf], graph.leaf, NONE).astype(np.int32)
    return replace(
        graph,
        peer=np.where(home[:, None], graph.peer, NONE).astype(np.int32),
        peer_port=np.where(home[:, None], graph.peer_port, 0).astype(np.int32),
        endpoint=np.where(home[:, None], graph.endpoint, NONE).astype(np.int32),
        leaf=leaf,
        leaf_port=np.where(leaf >= 0, graph.leaf_port, 0).astype(np.int32),
    )
