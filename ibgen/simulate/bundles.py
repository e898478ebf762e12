"""The cables that could carry what one link carries: all uplinks of its leaf, all ways down to one, all cables of two groups.

Takes a subnet, its graph and a directed link. Gives a `Bundle`: which links, how many cables were planned, and where they
lie in the words of the spec.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ibgen import hostlist
from ibgen.diagnostics import Path
from ibgen.fabric import (
    HOST_CABLE,
    Fabric,
    GroupPlan,
    Subnet,
    path_of_cable,
    path_of_endpoint,
    path_of_subnet,
    path_of_switch,
)
from ibgen.route import Graph, Removed

from .patterns import Rows

Kind = Literal["to host", "up", "down", "between groups", "inside group", "across"]

MOST = 48
"""Letters that a list of hosts may take; of longer ones the first and the last are named."""


@dataclass(frozen=True)
class Bundle:
    """`links` [n]: directed links that are there; `planned`: how many the cabling has. `switch` sends to `peer`, -1: a host."""

    kind: Kind
    switch: int
    peer: int
    links: Rows
    planned: int
    place: str

    @property
    def lost(self) -> int:
        """Cables out of service."""
        return max(0, self.planned - len(self.links))


def bundle(fabric: Fabric, subnet: Subnet, graph: Graph, link: int) -> Bundle:
    """What lies beside one directed link, `switch * width + port`."""
    switch, port = divmod(link, graph.width)
    peer = int(graph.peer[switch, port])
    w, c = subnet.switches, subnet.cables
    between = c.kind != HOST_CABLE
    if peer < 0:
        return Bundle(
            "to host", switch, peer, np.array([link]), 1, f"the last cable to a host of {where(fabric, subnet, switch)}"
        )
    here, there = int(graph.tier[switch]), int(graph.tier[peer])
    if here != there:
        up = there > here
        lower = switch if up else peer
        ends = graph.peer[lower]
        ports = np.flatnonzero((ends >= 0) & (graph.tier[np.maximum(ends, 0)] > here if up else graph.tier[ends] > there))
        links = lower * graph.width + ports if up else ends[ports] * graph.width + graph.peer_port[lower, ports]
        planned = int((between & (c.lower == lower) & (w.tier[np.where(between, c.lower, 0)] < w.tier[c.upper])).sum())
        place = f"{'up from' if up else 'down to'} {where(fabric, subnet, lower)}"
        return Bundle("up" if up else "down", switch, peer, np.sort(links), planned, place)
    return _level(subnet, graph, switch, peer, between)


def _level(subnet: Subnet, graph: Graph, switch: int, peer: int, between: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Bundle:
    """Between switches of one tier: every cable of two groups, or of two switches."""
    w, c = subnet.switches, subnet.cables
    mine, other = int(w.pod[switch]), int(w.pod[peer])
    lower = np.where(between, c.lower, 0)
    grouped = isinstance(subnet.layout, GroupPlan)
    if grouped and mine != other:
        near, far = w.pod == mine, w.pod == other
        kind: Kind = "between groups"
        place = f"from group {mine} to group {other}"
    else:
        near, far = np.zeros(len(w.names), bool), np.zeros(len(w.names), bool)
        near[switch], far[peer] = True, True
        kind = "inside group" if grouped else "across"
        place = f"inside group {mine}" if grouped else f"between {w.names[switch]} and {w.names[peer]}"
    joined = near[:, None] & (graph.peer >= 0) & far[np.maximum(graph.peer, 0)]
    planned = int((between & ((near[lower] & far[c.upper]) | (far[lower] & near[c.upper]))).sum())
    return Bundle(kind, switch, peer, np.flatnonzero(joined.ravel()), planned, place)


def where(fabric: Fabric, subnet: Subnet, switch: int) -> str:
    """A switch as the spec speaks of it: `unit 1, rail 3 (dgx-[001-032])`, `pod 2`, `group 3`; else by its name."""
    w = subnet.switches
    words = []
    if w.unit[switch] > 0:
        words.append(f"unit {w.unit[switch]}")
    if w.rail[switch] >= 0:
        words.append(f"rail {w.rail[switch]}")
    if w.pod[switch] > 0 and (isinstance(subnet.layout, GroupPlan) or not words):
        words.insert(0, f"{'group' if isinstance(subnet.layout, GroupPlan) else 'pod'} {w.pod[switch]}")
    hosts = np.unique(subnet.ports.host[subnet.ports.leaf == switch])
    named = f" ({folded([fabric.hosts.names[h] for h in hosts.tolist()])})" if len(hosts) else ""
    return (", ".join(words) or w.names[switch]) + named


def part_place(fabric: Fabric, subnet: Subnet, gone: Removed) -> tuple[str, Path]:
    """Where a part out of service stands, by the first thing it takes away, and what in the spec made it."""
    c = subnet.cables
    if gone.switches:
        return where(fabric, subnet, gone.switches[0]), path_of_switch(subnet, gone.switches[0])
    if gone.cables:
        row = gone.cables[0]
        if int(c.kind[row]) == HOST_CABLE:
            return where(fabric, subnet, int(c.upper[row])), path_of_cable(subnet, row)
        lower, upper = int(c.lower[row]), int(c.upper[row])
        ends = f"{subnet.switches.names[lower]} to {subnet.switches.names[upper]}"
        return f"{ends}, {where(fabric, subnet, lower)}", path_of_cable(subnet, row)
    if gone.endpoints:
        row = gone.endpoints[0]
        return where(fabric, subnet, int(subnet.ports.leaf[row])), path_of_endpoint(subnet, row)
    return subnet.name, path_of_subnet(subnet)


def folded(names: list[str]) -> str:
    """Host names as a host list, or by their number where that would be long."""
    text = hostlist.fold(names)
    return text if len(text) <= MOST else f"{len(names)} hosts, {names[0]} to {names[-1]}"
