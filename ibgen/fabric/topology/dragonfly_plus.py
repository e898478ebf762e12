"""A dragonfly+ as arrays: groups of leaves and spines, the spines of every two groups joined (Shpiner et al., HiPINEB 2017).

Takes a `GroupFrame`, the endpoints with their places. Gives a `Subnet`. Port order of a leaf: hosts, then the group's
spines. Of a spine: the leaves of its group; its last ports go to other groups (`global_links` says which).
"""

from __future__ import annotations

import numpy as np

from ibgen.catalog import SwitchModel

from ..attachments import Endpoints
from ..columns import GLOBAL_CABLE, LEAF_CABLE, Ints, Subnet
from ..placement import Placement
from .edge import up_numbers
from .group_frame import GroupFrame, assemble, between_groups
from .wiring import Links, join


def build(frame: GroupFrame, placement: Placement, ends: Endpoints, place: Ints, kept: Ints) -> Subnet:
    """The subnet; the last arguments as for `group_frame.assemble`. The frame has a spine model."""
    assert frame.spine is not None
    return assemble(frame, placement, ends, place, kept, [_inside(frame, frame.spine), _global(frame, frame.spine)])


def _inside(f: GroupFrame, model: SwitchModel) -> Links:
    plan = f.plan
    spine, offset = join(plan.leaves, plan.spines, plan.up)
    first = f.leaves + np.arange(plan.groups, dtype=np.int32) * plan.spines
    return Links(
        LEAF_CABLE,
        lower=np.repeat(np.arange(f.leaves, dtype=np.int32), plan.up),
        lower_port=np.tile(up_numbers(f.leaf, f.shape.down_ports, plan.up, f.ways), f.leaves),
        upper=(first[:, None] + spine.ravel()).ravel().astype(np.int32),
        upper_port=np.tile(up_numbers(model, 0, int(offset.max()) + 1)[offset.ravel()], plan.groups),
        rate_gbps=min(f.leaf.rate_gbps, model.rate_gbps),
    )


def _global(f: GroupFrame, model: SwitchModel) -> Links:
    spines, outward = f.plan.spines, f.plan.ports // f.plan.spines
    number = up_numbers(model, model.radix - outward, outward)
    links = between_groups(f)
    return Links(
        GLOBAL_CABLE,
        lower=f.leaves + links.lower * spines + links.lower_port % spines,
        lower_port=number[links.lower_port // spines],
        upper=f.leaves + links.upper * spines + links.upper_port % spines,
        upper_port=number[links.upper_port // spines],
        rate_gbps=model.rate_gbps,
    )
