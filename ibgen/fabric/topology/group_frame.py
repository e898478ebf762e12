"""What dragonfly and dragonfly+ have in common: the switches of equal groups, and a subnet put together.

Takes a `GroupFrame`. Gives `Switches` whose GUID columns are still zero: leaves (routers) group by group, then spines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ibgen.catalog import SwitchModel

from ..attachments import Endpoints
from ..columns import LEAF, SPINE, Ints, Subnet, Switches
from ..groups import odd_links
from ..layouts import GroupPlan
from ..names import width
from ..placement import Placement
from ..shape import Shape
from .edge import Edge, host_ports, reserved_ports
from .global_links import GlobalLinks, global_links
from .wiring import Links, cables


@dataclass(frozen=True, slots=True)
class GroupFrame:
    """One plane's switches to be: everything but the hosts."""

    name: str  # of the subnet
    fabric: int
    plane: int
    prefix: str
    shape: Shape
    plan: GroupPlan
    ways: int  # of the leaves' split
    leaf: SwitchModel
    spine: SwitchModel | None  # None in a dragonfly

    @property
    def leaves(self) -> int:
        """Leaves (routers) of all groups: the row of the first spine."""
        return self.plan.groups * self.plan.leaves


def assemble(f: GroupFrame, placement: Placement, ends: Endpoints, place: Ints, kept: Ints, links: Sequence[Links]) -> Subnet:
    """The subnet with its hosts. Per endpoint: `place` is its host's slot from 0, `kept` the reserved port it takes, or -1."""
    edge = Edge(f.shape, f.ways, f.leaf)
    reserved = reserved_ports(edge, placement, kept)
    ports = host_ports(edge, ends, place, kept, reserved)
    switches, models = _switches(f)
    return Subnet(
        name=f.name, fabric=f.fabric, plane=f.plane, models=models, ports=ports, switches=switches,
        cables=cables(ports, links), reserved=reserved, plan=None, layout=f.plan,
    )  # fmt: skip


def between_groups(f: GroupFrame) -> GlobalLinks:
    """The cables between groups, ports counted over a group."""
    plan = f.plan
    odd = odd_links(plan.groups, plan.ports, plan.pair) if not plan.even else 0
    return global_links(plan.groups, plan.pair, odd)


def _switches(f: GroupFrame) -> tuple[Switches, tuple[SwitchModel, ...]]:
    plan = f.plan
    sizes = [f.leaves, plan.groups * plan.spines]
    models = [f.leaf, f.spine or f.leaf]
    distinct = tuple({m.id: m for m in models}.values())
    index = {m.id: i for i, m in enumerate(distinct)}
    group = np.arange(plan.groups, dtype=np.int32) + 1
    leaf = np.arange(f.leaves, dtype=np.int32) % plan.leaves
    rail = leaf // f.shape.parts if f.shape.aligned else np.full(f.leaves, -1, np.int32)
    of_leaf = np.repeat(group, plan.leaves)
    split = np.repeat(np.array([f.ways, 1], np.int32), sizes)
    radix = np.repeat(np.array([m.radix for m in models], np.int32), sizes)
    return Switches(
        names=tuple(_names(f)),
        tier=np.repeat(np.array([LEAF, SPINE], np.int32), sizes),
        model=np.repeat(np.array([index[m.id] for m in models], np.int32), sizes),
        unit=np.concatenate([of_leaf, np.zeros(sizes[1], np.int32)]),
        rail=np.concatenate([rail, np.full(sizes[1], -1, np.int32)]).astype(np.int32),
        pod=np.concatenate([of_leaf, np.repeat(group, plan.spines)]),
        split=split,
        ports=radix * split,
        group=np.full(sum(sizes), -1, np.int32),
        guid=np.zeros(sum(sizes), np.uint64),
        bound=np.zeros(sum(sizes), np.bool_),
    ), distinct  # fmt: skip


def _names(f: GroupFrame) -> list[str]:
    """`g01-r01` for routers; `g01-leaf-01` and `g01-spine-01` in a dragonfly+."""
    plan = f.plan
    groups = [f"{f.prefix}g{g:0{width(plan.groups)}d}-" for g in range(1, plan.groups + 1)]
    word = "leaf-" if plan.plus else "r"
    leaves = [f"{word}{n:0{width(plan.leaves)}d}" for n in range(1, plan.leaves + 1)]
    spines = [f"spine-{n:0{width(plan.spines)}d}" for n in range(1, plan.spines + 1)]
    return [g + n for tails in (leaves, spines) for g in groups for n in tails]
