"""What links, cables and endpoints are called: `leaf-u01-r3 port 37 (19/1) -> spine-05 port 3 (2/1)`.

Takes rows of a subnet. Gives names, and the fullest cables of a pattern with the flows on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ibgen.fabric import Fabric, GroupPlan, Ints, Subnet, port_labels
from ibgen.route import Graph

from .loads import Loads
from .meeting import Meeting, meeting
from .patterns import Flows
from .rates import Rates
from .walking import Tables

TIERS = ("leaf", "spine", "core")


@dataclass(frozen=True, slots=True)
class CableEnd:
    """A port by the number a subnet manager uses and by its label on the box; no label on an adapter."""

    name: str
    port: int
    label: str

    def text(self) -> str:
        """`leaf-01 port 37 (19/1)`, or the adapter's name."""
        return f"{self.name} port {self.port} ({self.label})" if self.label else self.name


@dataclass(frozen=True, slots=True)
class WorstCable:
    """One direction of a cable under one pattern. `flows` are the first of them, `more` how many there are besides;
    `meeting` says why they are on it."""

    pattern: str
    load: int
    capacity_gbs: float
    start: CableEnd
    end: CableEnd
    flows: tuple[tuple[str, str], ...]
    more: int
    meeting: Meeting | None = None

    def text(self) -> str:
        """One line: both ends, the number of flows, and the flows."""
        named = ", ".join(f"{a} -> {b}" for a, b in self.flows) + (f" and {self.more} more" if self.more else "")
        return f"{self.start.text()} -> {self.end.text()}: {self.load} flow{'s' * (self.load != 1)}: {named}"


def endpoint_names(fabric: Fabric, subnet: Subnet, rows: Iterator[int] | None = None) -> tuple[str, ...]:
    """`dgx-001/mlx5_3`, and `dgx-001/mlx5_3:2` for the second port of an adapter. All of them, or those of `rows`."""
    p, hosts = subnet.ports, fabric.hosts
    names = []
    for row in range(len(p.host)) if rows is None else rows:
        host = int(p.host[row])
        adapter = hosts.platforms[hosts.pool[host]].hcas[int(p.hca[row])].name
        names.append(f"{hosts.names[host]}/{adapter}" + (f":{p.port[row]}" if p.port[row] > 1 else ""))
    return tuple(names)


def switch_end(subnet: Subnet, switch: int, port: int) -> CableEnd:
    """A port of a switch."""
    return CableEnd(subnet.switches.names[switch], port, port_labels(subnet, switch).get(port, ""))


def groups_of(subnet: Subnet) -> Ints | None:
    """The group of every switch of a dragonfly or dragonfly+, [S]; None for other shapes."""
    return subnet.switches.pod if isinstance(subnet.layout, GroupPlan) else None


def tier_name(graph: Graph, switch: int, peer: int, groups: Ints | None = None) -> str:
    """What kind of link leads from `switch` to `peer` (-1: an endpoint): `to hosts`, `leaf up`, `spine down to leaf`; `local`,
    `global` where switches stand in groups."""
    if peer < 0:
        return "to hosts"
    here, there = int(graph.tier[switch]), int(graph.tier[peer])
    if here == there:
        return f"{TIERS[here]} across" if groups is None else "local" if groups[switch] == groups[peer] else "global"
    return f"{TIERS[here]} up" if there > here else f"{TIERS[here]} down to {TIERS[there]}"


def worst_cables(
    fabric: Fabric, subnet: Subnet, tables: Tables, pattern: str, loads: Loads, flows: Flows, links: Rates, count: int,
    named: int, adaptive: bool,
) -> tuple[WorstCable, ...]:  # fmt: skip
    """The fullest links that carry two flows or more, by flows for their rate; equals in the order of the switches."""
    graph = tables.graph
    filled = np.divide(loads.links, links, out=np.zeros(len(links)), where=links > 0)
    order = np.argsort(-filled, kind="stable")[:count]
    found = []
    for link in order[loads.links[order] > 1].tolist():
        switch, port = divmod(link, graph.width)
        on = np.flatnonzero((loads.channels == link).any(axis=1))
        sources, destinations = (endpoint_names(fabric, subnet, iter(side[on[:named]].tolist())) for side in flows)
        peer, door = int(graph.peer[switch, port]), int(graph.endpoint[switch, port])
        if peer >= 0:
            end = switch_end(subnet, peer, int(graph.peer_port[switch, port]))
        else:
            end = CableEnd(endpoint_names(fabric, subnet, iter([door]))[0], int(graph.port[door]), "")
        pairs = tuple(zip(sources, destinations, strict=True))
        start = switch_end(subnet, switch, port)
        rest = max(0, len(on) - named)
        why = meeting(fabric, subnet, tables, pattern, loads, flows, link, adaptive)
        found.append(WorstCable(pattern, int(loads.links[link]), float(links[link]), start, end, pairs, rest, why))
    return tuple(found)
