"""How far a job can spread: hosts of a pool that cables join, over all fabrics together.

Takes a `Fabric`. Gives counts of hosts. Without a spine units are apart; links that are a provider's own join a whole pool.
"""

from __future__ import annotations

import numpy as np

from ibgen.fabric import ACTIVE, HOST_CABLE, Fabric, Subnet

from .patterns import Rows


def joined_hosts(fabric: Fabric) -> Rows:
    """[H] a number for every host: those that share one can talk over compute adapters that are in service."""
    hosts, count = fabric.hosts, len(fabric.hosts.names)
    rows, islands, first = [], [], 0
    for s in fabric.subnets:
        there = s.ports.compute & (s.ports.state == ACTIVE)
        rows.append(s.ports.host[there].astype(np.intp))
        islands.append(first + _islands(s)[s.ports.leaf[there]])
        first += len(s.switches.names)
    pool = hosts.pool.astype(np.intp)
    known = np.zeros(count, bool)
    if rows:
        known[np.concatenate(rows)] = True
    apart = np.flatnonzero(~known)  # nothing is said of their links: a provider joins the hosts of a pool
    host = np.concatenate([*rows, apart])
    island = np.concatenate([*islands, first + pool[apart]])
    return _labels(count, host, island, first + int(pool.max(initial=0)) + 1)


def widest(fabric: Fabric, pool: int, joined: Rows) -> int:
    """Active hosts of a pool in the largest group that is joined."""
    mine = (fabric.hosts.pool == pool) & (fabric.hosts.state == ACTIVE)
    return int(np.bincount(joined[mine]).max(initial=0)) if mine.any() else 0


def _islands(s: Subnet) -> Rows:
    """[S] a number per switch, equal where cables join them. What was planned is of one piece."""
    count = len(s.switches.names)
    if s.planned:
        return np.zeros(count, np.intp)
    between = s.cables.kind != HOST_CABLE
    cable = np.arange(int(between.sum()))
    return _labels(count, np.concatenate([s.cables.lower[between], s.cables.upper[between]]), np.tile(cable, 2), len(cable))


def _labels(members: int, member: Rows, circle: Rows, circles: int) -> Rows:
    """[members] the least member that each is joined to through the circles it stands in."""
    label = np.arange(members)
    while True:
        least = np.full(circles, members)
        np.minimum.at(least, circle, label[member])
        lower = label.copy()
        np.minimum.at(lower, member, least[circle])
        lower = lower[lower]
        if (lower == label).all():
            return label
        label = lower
