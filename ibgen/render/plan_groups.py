"""Dragonflies and dragonfly+ summed up by counting: groups, the cables between two, what leaves a group.

Takes a `Subnet` whose layout is a `GroupPlan`. Gives a `GroupsPlan`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.fabric import GLOBAL_CABLE, HOST_CABLE, GroupPlan, Subnet


@dataclass(frozen=True, slots=True)
class GroupsPlan:
    """Groups there are and could be with these switches, cables between two, and what a group offers over what leaves it."""

    groups: int
    most: int
    pair: int  # cables between two groups, the thinnest pair
    pair_most: int  # the same, the thickest pair
    oversubscription: float | None  # of the worst group; None where there is one only


def groups_plan(subnet: Subnet) -> GroupsPlan | None:
    """None for shapes without groups."""
    layout = subnet.layout
    if not isinstance(layout, GroupPlan):
        return None
    cables, pod, count = subnet.cables, subnet.switches.pod, layout.groups + 1
    host, out = cables.kind == HOST_CABLE, cables.kind == GLOBAL_CABLE
    offered = np.bincount(pod[cables.upper[host]], cables.rate_gbps[host], count)[1:]
    ends = np.concatenate([pod[cables.lower[out]], pod[cables.upper[out]]])
    carried = np.bincount(ends, np.tile(cables.rate_gbps[out], 2), count)[1:]
    worst = float((offered / carried).max()) if layout.groups > 1 else None
    return GroupsPlan(layout.groups, layout.reach, layout.pair, layout.pair_most, worst)
