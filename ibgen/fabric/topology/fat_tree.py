"""A fat tree as arrays: one, two or three tiers, from a `Plan`. No Python loop over ports or cables.

Takes the plan, the switch models, the endpoints with their places. Gives a `Subnet` whose GUID columns are still zero.

Port order. Leaf: host places first, in slot order (where a host has all its ports on one leaf, its ports side by side),
then uplinks, spine by spine. Spine: leaf by leaf in unit order; its uplinks follow the ports that a full pod takes, so
that a pod may fill up later. Core: pod by pod. Under a split profile every port p has the numbers 2p-1 and 2p.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np

from ibgen.catalog import SwitchModel

from ..attachments import Endpoints
from ..columns import (
    CORE,
    LEAF,
    LEAF_CABLE,
    SPINE,
    SPINE_CABLE,
    Ints,
    Plan,
    Subnet,
    Switches,
)
from ..names import core_names, leaf_names, spine_names
from ..placement import Placement
from ..shape import Shape
from .edge import Edge, host_ports, reserved_ports, up_numbers
from .wiring import Links, cables, join


@dataclass(frozen=True, slots=True)
class Frame:
    """One plane's switches to be: everything but the hosts."""

    name: str  # of the subnet
    fabric: int
    plane: int
    prefix: str
    shape: Shape
    plan: Plan
    ways: int  # of the leaves' split
    leaf: SwitchModel
    spine: SwitchModel | None
    core: SwitchModel | None


def build(frame: Frame, placement: Placement, ends: Endpoints, place: Ints, kept: Ints) -> Subnet:
    """The subnet. Per endpoint: `place` is its host's slot from 0 (unit after unit), `kept` the row of the reserved port it
    takes, or -1; `place` counts only where `kept` is -1."""
    switches, models = _switches(frame)
    edge = Edge(frame.shape, frame.ways, frame.leaf)
    reserved = reserved_ports(edge, placement, kept)
    ports = host_ports(edge, ends, place, kept, reserved)
    links = [x for x in (_leaf_uplinks(frame), _spine_uplinks(frame)) if x is not None]
    return Subnet(
        name=frame.name, fabric=frame.fabric, plane=frame.plane, models=models, ports=ports, switches=switches,
        cables=cables(ports, links), reserved=reserved, plan=frame.plan,
    )  # fmt: skip


def _switches(f: Frame) -> tuple[Switches, tuple[SwitchModel, ...]]:
    plan = f.plan
    groups = gcd(plan.cores, plan.spines_per_pod) or 1
    names = leaf_names(plan, f.shape.aligned, f.prefix) + spine_names(plan, f.prefix)
    names += core_names(groups, plan.cores // groups, f.prefix) if plan.cores else []
    per_tier = [plan.leaves, plan.spines, plan.cores]
    models = [f.leaf, f.spine or f.leaf, f.core or f.leaf]
    distinct = tuple({m.id: m for m, n in zip(models, per_tier, strict=True) if n}.values())
    index = {m.id: i for i, m in enumerate(distinct)}
    leaf = np.arange(plan.leaves, dtype=np.int32)
    unit = leaf // f.shape.leaves_per_unit + 1
    rail = leaf % f.shape.leaves_per_unit // f.shape.parts if f.shape.aligned else np.full(plan.leaves, -1, np.int32)
    pod = leaf // plan.leaves_per_pod + 1 if plan.tiers == 3 else np.zeros(plan.leaves, np.int32)
    spine_pod = np.arange(plan.spines, dtype=np.int32) // plan.spines_per_pod + 1 if plan.tiers == 3 else _zeros(plan.spines)
    upper = plan.spines + plan.cores
    split = np.repeat(np.array([f.ways, 1], np.int32), [plan.leaves, upper])
    radix = np.repeat(np.array([m.radix for m in models], np.int32), per_tier)
    return Switches(
        names=tuple(names),
        tier=np.repeat(np.array([LEAF, SPINE, CORE], np.int32), per_tier),
        model=np.repeat(np.array([index.get(m.id, 0) for m in models], np.int32), per_tier),
        unit=np.concatenate([unit, _zeros(upper)]).astype(np.int32),
        rail=np.concatenate([rail, np.full(upper, -1, np.int32)]).astype(np.int32),
        pod=np.concatenate([pod, spine_pod, _zeros(plan.cores)]).astype(np.int32),
        split=split,
        ports=radix * split,
        group=np.full(plan.leaves + upper, -1, np.int32),
        guid=np.zeros(plan.leaves + upper, np.uint64),
        bound=np.zeros(plan.leaves + upper, np.bool_),
    ), distinct  # fmt: skip


def _zeros(count: int) -> Ints:
    return np.zeros(count, np.int32)


def _leaf_uplinks(f: Frame) -> Links | None:
    plan = f.plan
    if plan.tiers == 1 or f.spine is None:
        return None
    per_pod = plan.leaves_per_pod if plan.tiers == 3 else plan.leaves
    spine, offset = join(per_pod, plan.spines_per_pod, plan.up)
    leaf = np.arange(plan.leaves, dtype=np.int32)
    first = plan.leaves + leaf // per_pod * plan.spines_per_pod
    rows = leaf % per_pod
    return Links(
        LEAF_CABLE,
        lower=np.repeat(leaf, plan.up),
        lower_port=np.tile(up_numbers(f.leaf, f.shape.down_ports, plan.up, f.ways), plan.leaves),
        upper=(first[:, None] + spine[rows]).ravel().astype(np.int32),
        upper_port=up_numbers(f.spine, 0, plan.spine_down)[offset[rows]].ravel(),
        rate_gbps=min(f.leaf.rate_gbps, f.spine.rate_gbps),
    )


def _spine_uplinks(f: Frame) -> Links | None:
    plan = f.plan
    if plan.tiers < 3 or f.spine is None or f.core is None:
        return None
    groups = gcd(plan.cores, plan.spines_per_pod)
    below, size = plan.spines_per_pod // groups, plan.cores // groups  # spines of a pod, and cores, of one group
    core, offset = join(plan.pods * below, size, plan.spine_up)
    spine = np.arange(plan.spines, dtype=np.int32)
    pod, index = np.divmod(spine, plan.spines_per_pod)
    rows = pod * below + index % below  # pod by pod, so that a further pod takes further ports
    first = plan.leaves + plan.spines + index // below * size
    return Links(
        SPINE_CABLE,
        lower=np.repeat(plan.leaves + spine, plan.spine_up).astype(np.int32),
        lower_port=np.tile(up_numbers(f.spine, plan.spine_down, plan.spine_up), plan.spines),
        upper=(first[:, None] + core[rows]).ravel().astype(np.int32),
        upper_port=up_numbers(f.core, 0, int(offset.max()) + 1)[offset[rows]].ravel(),
        rate_gbps=min(f.spine.rate_gbps, f.core.rate_gbps),
    )
