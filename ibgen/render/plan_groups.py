"""Dragonflies and dragonfly+ summed up by counting: what hangs on a router or spine, and what leaves a group.

Takes a `Subnet` whose layout is a `GroupPlan`. Cables between equals have no lower end, so both ends count as upward.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.fabric import GLOBAL_CABLE, HOST_CABLE, LEAF_CABLE, LOCAL_CABLE, GroupPlan, Subnet
from ibgen.simulate.tiers import TierLoad


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


def group_loads(subnet: Subnet) -> tuple[TierLoad, ...]:
    """As `simulate.tiers.tier_loads`, with local and global cables upward at both ends."""
    cables, switches = subnet.cables, subnet.switches
    count = len(switches.names)
    level = (cables.kind == LOCAL_CABLE) | (cables.kind == GLOBAL_CABLE)
    up_end = np.concatenate([cables.lower[(cables.kind == LEAF_CABLE) | level], cables.upper[level]])
    up_rate = np.concatenate([cables.rate_gbps[(cables.kind == LEAF_CABLE) | level], cables.rate_gbps[level]])
    up = np.bincount(up_end, up_rate, count).astype(np.float64)
    up_cables = np.bincount(up_end, minlength=count)
    down = np.bincount(cables.upper[~level], cables.rate_gbps[~level], count).astype(np.float64)
    down_cables = np.bincount(cables.upper[~level], minlength=count)
    loads = []
    for tier in range(subnet.top + 1):
        rows = subnet.tier(tier)
        counts = (down_cables[rows], up_cables[rows])
        loads.append(TierLoad(subnet.name, subnet.fabric, tier, rows, down[rows], up[rows], *counts, switches.rail[rows]))
    return tuple(loads)
