"""Who is slow toward whom: sender x receiver, every pair talking at once, averaged over hosts or leaves.

Takes tables and their all-to-all loads. Gives `Heat`. A pair's value is what the fullest link on its way leaves it of an equal
share: 1 where nothing on the way is fuller than the hosts' own links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ibgen.fabric import Fabric, GroupPlan, Subnet

from .loads import Counts
from .patterns import Rows
from .walking import Tables, walk

Unit = Literal["host", "leaf", "router"]

HOSTS, LEAVES, SAMPLE = 256, 1024, 512


@dataclass(frozen=True)
class Heat:
    """`values` [n, n]: row sends to column, share of an equal share of line rate; nan where nothing is sent."""

    labels: tuple[str, ...]
    unit: Unit
    pattern: str
    values: npt.NDArray[np.float64]
    model: str


def heat(tables: Tables, fabric: Fabric, subnet: Subnet, links: Counts, model: str) -> Heat | None:
    """`links`: the all-to-all loads. None with fewer than two hosts or more than 1,024 leaves."""
    g = tables.graph
    hosts = np.unique(subnet.ports.host[g.plugged])
    by_host = len(hosts) <= HOSTS
    keys = subnet.ports.host if by_host else g.leaf
    groups = np.unique(keys[g.plugged])
    if len(groups) < 2 or len(groups) > LEAVES:
        return None
    rows = _sample(g.plugged, keys, max(1, SAMPLE // len(groups)))
    group = np.searchsorted(groups, keys[rows])
    total, pairs = np.zeros((len(groups), len(groups))), np.zeros((len(groups), len(groups)))
    fair = max(1, len(g.plugged) - 1)
    for i, row in enumerate(rows.tolist()):
        others = rows[rows != row]
        found = walk(tables, (np.full(len(others), row), others), fast=False)
        most = np.full(len(others), fair, np.int64)
        for column in found.channels.T:
            np.maximum(most, np.where(column >= 0, links[column], 0), out=most)
        value = np.where(found.arrived, fair / most, 0.0)
        to = np.delete(group, i)
        total[group[i]] += np.bincount(to, value, len(groups))
        pairs[group[i]] += np.bincount(to, minlength=len(groups))
    with np.errstate(invalid="ignore"):
        values = np.where(pairs > 0, total / np.maximum(pairs, 1), np.nan)
    names = fabric.hosts.names if by_host else subnet.switches.names
    routers = isinstance(subnet.layout, GroupPlan) and not subnet.layout.plus
    unit: Unit = "host" if by_host else "router" if routers else "leaf"
    return Heat(tuple(names[k] for k in groups.tolist()), unit, "all pairs", values, model)


def _sample(plugged: Rows, keys: npt.NDArray[np.int32], each: int) -> Rows:
    """The first `each` endpoints of every group."""
    order = plugged[np.argsort(keys[plugged], kind="stable")]
    sorted_keys = keys[order]
    begins = np.flatnonzero(np.r_[True, sorted_keys[1:] != sorted_keys[:-1]])
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.r_[begins, len(order)]))
    return order[rank < each]
