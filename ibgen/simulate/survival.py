"""What a single failure may cut off: by the shape alone, whatever the routes.

Takes a fabric. Gives the cables and upper switches on which others hang alone (bridges and cut vertices of the graph of
switches, Tarjan 1972), and the hosts that hang on one leaf.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ibgen.fabric import ACTIVE, HOST_CABLE, Fabric, Subnet

from .parts import cable_name


def lone_cables(subnet: Subnet) -> tuple[str, ...]:
    """Cables between switches without which some endpoint would be out of reach of another."""
    c = subnet.cables
    cut, _ = _cuts(subnet)
    between = np.flatnonzero(c.kind != HOST_CABLE)
    return tuple(cable_name(subnet, row) for row in between.tolist() if _pair(int(c.lower[row]), int(c.upper[row])) in cut)


def lone_switches(subnet: Subnet) -> tuple[str, ...]:
    """Switches above the leaves without which endpoints that hang elsewhere would be apart."""
    _, cut = _cuts(subnet)
    return tuple(subnet.switches.names[s] for s in sorted(cut) if subnet.switches.tier[s] > 0)


@dataclass(frozen=True, slots=True)
class OneLeaf:
    """A host all of whose ports in service on a fabric are on a single leaf; how many ports these are."""

    name: str
    ports: int


def hosts_on_one_leaf(fabric: Fabric, row: int, managers: Collection[str] = ()) -> tuple[OneLeaf, ...]:
    """Hosts of one entry of `spec.fabrics` all of whose ports in service are on a single leaf, over all its subnets.
    `managers` stand in for each other: where they are not all on one leaf they are left out."""
    leaves: dict[int, list[tuple[int, int]]] = {}
    for number, s in enumerate(fabric.of(row)):
        there = s.ports.state == ACTIVE
        for host, leaf in zip(s.ports.host[there].tolist(), s.ports.leaf[there].tolist(), strict=True):
            leaves.setdefault(host, []).append((number, leaf))
    pair = {fabric.hosts.row[name] for name in managers if name in fabric.hosts.row}
    if len({leaf for host in pair for leaf in leaves.get(host, ())}) < 2:
        pair = set()
    weak = [h for h in sorted(leaves) if len(set(leaves[h])) == 1 and h not in pair]
    return tuple(OneLeaf(fabric.hosts.names[h], len(leaves[h])) for h in weak)


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _cuts(subnet: Subnet) -> tuple[set[tuple[int, int]], set[int]]:
    """(pairs of switches whose only cable is a bridge, cut vertices), where endpoints lie on both sides."""
    c = subnet.cables
    between = c.kind != HOST_CABLE
    near: list[dict[int, int]] = [{} for _ in subnet.switches.names]
    for a, b in zip(c.lower[between].tolist(), c.upper[between].tolist(), strict=True):
        near[a][b] = near[a].get(b, 0) + 1
        near[b][a] = near[b].get(a, 0) + 1
    hosts = np.bincount(subnet.ports.leaf[subnet.ports.state == ACTIVE], minlength=len(near)).tolist()
    bridges: set[tuple[int, int]] = set()
    joints: set[int] = set()
    order = [-1] * len(near)
    for root in range(len(near)):
        if order[root] < 0:
            _search(root, near, hosts, order, bridges, joints)
    return bridges, joints


def _search(
    root: int, near: list[dict[int, int]], hosts: list[int], order: list[int], bridges: set[tuple[int, int]], joints: set[int]
) -> None:
    """Depth first from one switch, without recursion. `hosts` below a branch decide whether cutting it off matters."""
    low, inside, parent = {root: 0}, {root: hosts[root]}, {root: -1}
    order[root] = 0
    met = 1
    branches: list[tuple[int, int, bool]] = []  # (switch, hosts of the branch, whether it hangs on the switch alone)
    path = [(root, iter(near[root]))]
    while path:
        at, rest = path[-1]
        to = next(rest, -1)
        if to < 0:
            path.pop()
            up = parent[at]
            if up >= 0:
                low[up] = min(low[up], low[at])
                inside[up] += inside[at]
                branches.append((up, inside[at], low[at] >= order[up]))
                if low[at] > order[up] and near[at][up] == 1 and inside[at]:
                    bridges.add(_pair(at, up))
        elif order[to] < 0:
            order[to] = low[to] = met
            met += 1
            parent[to], inside[to] = at, hosts[to]
            path.append((to, iter(near[to])))
        elif to != parent[at]:
            low[at] = min(low[at], order[to])
    total = inside[root]
    bridges -= {pair for pair in bridges if pair[0] in inside and all(inside[end] in (0, total) for end in pair)}
    for switch, below, alone in branches:
        if alone and 0 < below < total - hosts[switch]:
            joints.add(switch)
