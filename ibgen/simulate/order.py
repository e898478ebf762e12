"""Rank order: what NCCL's rings lose in the hosts' given order against the order of the leaves.

Takes tables and the compute endpoints of a subnet. Gives `OrderAdvice`. NCCL's rings follow the ranks, so the order in which a
launcher lists hosts decides which leaves they cross; the scheduler's topology file keeps it in leaf order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.fabric import Fabric, Subnet

from .jobs import leaf_places, random_rings, rings
from .loads import flow_loads
from .patterns import Rows
from .walking import Tables

RANDOM_ORDERS = 10


@dataclass(frozen=True, slots=True)
class OrderAdvice:
    """Shares of line rate of the rail rings: mean over flows of 1 / (largest load on the way). `hosts` are in leaf order."""

    given: float
    leaf: float
    random: float
    loss: float
    hosts: tuple[str, ...]
    max_load_given: int
    max_load_leaf: int
    text: str


def order_advice(
    tables: Tables, fabric: Fabric, subnet: Subnet, rows: Rows, place: Rows, seed: int, fast: bool | None = None
) -> OrderAdvice | None:
    """`rows`: compute endpoints; `place` [H] of every host in rank order. None with fewer than two hosts."""
    hosts = np.unique(subnet.ports.host[rows])
    if len(hosts) < 2:
        return None
    sorted_place = leaf_places(fabric, subnet, rows)
    given = flow_loads(tables, rings(fabric, subnet, rows, place), fast)
    leaf = flow_loads(tables, rings(fabric, subnet, rows, sorted_place), fast)
    mixed = [flow_loads(tables, random_rings(fabric, subnet, rows, seed, k), fast).efficiency for k in range(RANDOM_ORDERS)]
    random = float(np.mean(mixed))
    loss = max(0.0, 1 - given.efficiency / leaf.efficiency) if leaf.efficiency else 0.0
    names = tuple(fabric.hosts.names[h] for h in hosts[np.argsort(sorted_place[hosts], kind="stable")].tolist())
    text = (
        f"rings in the given order of hosts keep {given.efficiency:.3g} of the line rate, in leaf order {leaf.efficiency:.3g},"
        f" in random order {random:.3g}"
    )
    if loss <= 0.005:
        text += ": the order is as good as leaf order"
    elif given.efficiency:
        text += f": list the hosts in leaf order, which is {leaf.efficiency / given.efficiency:.2f} times as fast"
    return OrderAdvice(given.efficiency, leaf.efficiency, random, loss, names, given.max, leaf.max, text)
