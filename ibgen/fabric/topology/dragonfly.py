"""A dragonfly as arrays: groups of routers, complete inside, complete between groups (Kim et al., ISCA 2008).

Takes a `GroupFrame`, the endpoints with their places. Gives a `Subnet`. Port order of a router: hosts, then the other
routers of its group in ascending order, then other groups (`global_links` says which).
"""

from __future__ import annotations

import numpy as np

from ..attachments import Endpoints
from ..columns import GLOBAL_CABLE, LOCAL_CABLE, Ints, Subnet
from ..placement import Placement
from .edge import up_numbers
from .group_frame import GroupFrame, assemble, between_groups
from .wiring import Links


def build(frame: GroupFrame, placement: Placement, ends: Endpoints, place: Ints, kept: Ints) -> Subnet:
    """The subnet; the last arguments as for `group_frame.assemble`."""
    return assemble(frame, placement, ends, place, kept, [_local(frame), _global(frame)])


def _local(f: GroupFrame) -> Links:
    a, groups = f.plan.leaves, f.plan.groups
    number = up_numbers(f.leaf, f.plan.down, a - 1)
    low, high = np.triu_indices(a, 1)
    first = np.repeat(np.arange(groups, dtype=np.int32) * a, len(low))
    return Links(
        LOCAL_CABLE,
        lower=(first + np.tile(low, groups)).astype(np.int32),
        lower_port=np.tile(number[high - 1], groups),
        upper=(first + np.tile(high, groups)).astype(np.int32),
        upper_port=np.tile(number[low], groups),
        rate_gbps=f.leaf.rate_gbps,
    )


def _global(f: GroupFrame) -> Links:
    a = f.plan.leaves
    number = up_numbers(f.leaf, f.plan.down + a - 1, f.plan.ports // a)
    links = between_groups(f)
    return Links(
        GLOBAL_CABLE,
        lower=links.lower * a + links.lower_port % a,
        lower_port=number[links.lower_port // a],
        upper=links.upper * a + links.upper_port % a,
        upper_port=number[links.upper_port // a],
        rate_gbps=f.leaf.rate_gbps,
    )
