"""Every group sends to one other: the traffic that a dragonfly bears worst, since two groups have few cables of their own.

Takes a subnet of groups and its graph. Gives the flows, and in words what they do. Source: Kim, Dally, Scott, Abts, ISCA 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.fabric import GroupPlan, Subnet
from ibgen.route import Graph

from .patterns import Flows, Rows

NAME = "shift by a group"


@dataclass(frozen=True, slots=True)
class GroupShift:
    """`flows`, and on the fullest pair of groups how many there are over how many cables. `step`: groups further on."""

    flows: Flows
    step: int
    crowd: int
    cables: int

    @property
    def note(self) -> str:
        """`group i to group i + 1: up to 32 flows over 1 cable`."""
        return f"group i to group i + {self.step}: up to {self.crowd:,} flows over {self.cables} cable" + "s" * (
            self.cables != 1
        )


def group_shift(subnet: Subnet, graph: Graph) -> GroupShift | None:
    """The shift among those by whole groups that leaves a flow the least of the cables between its groups, the nearest of them.
    Endpoint n of a group sends to endpoint n; what a smaller group has no partner for stays silent. None where there are no
    groups, or one."""
    if not isinstance(subnet.layout, GroupPlan):
        return None
    rows, _ = graph.by_leaf
    at = subnet.switches.pod[graph.leaf[rows]]
    rows = rows[np.argsort(at, kind="stable")]
    groups, first, size = np.unique(np.sort(at), return_index=True, return_counts=True)
    if len(groups) < 2:
        return None
    cables = _cables(subnet, graph)[np.ix_(groups, groups)]
    everyone = np.arange(len(groups))
    crowds = np.stack([np.minimum(size, np.roll(size, -k)) for k in range(1, len(groups))])
    between = np.stack([cables[everyone, np.roll(everyone, -k)] for k in range(1, len(groups))])
    fullest = (crowds / np.maximum(between, 0.5)).max(axis=1)
    step = int(fullest.argmax()) + 1
    pair = int((crowds[step - 1] / np.maximum(between[step - 1], 0.5)).argmax())
    count = crowds[step - 1]
    number = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    flows = rows[np.repeat(first, count) + number], rows[np.repeat(np.roll(first, -step), count) + number]
    return GroupShift(flows, step, int(count[pair]), int(between[step - 1, pair]))


def _cables(subnet: Subnet, graph: Graph) -> Rows:
    """Links from group to group that are in service, by the groups' numbers."""
    pod = subnet.switches.pod.astype(np.intp)
    switch, port = np.nonzero(graph.peer >= 0)
    most = int(pod.max(initial=0)) + 1
    key = pod[switch] * most + pod[graph.peer[switch, port]]
    return np.bincount(key, minlength=most * most).reshape(most, most)
