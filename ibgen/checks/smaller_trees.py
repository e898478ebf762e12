"""The smallest fat tree for the hosts of a subnet: the same switches, rails and reserved ports, other units and counts.

Takes a built subnet with its spec. Gives the plan with the fewest switches among those that the planner makes when some of
the spec's numbers are left out, and what was left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm

import numpy as np

from ibgen.catalog import Catalog, SwitchModel
from ibgen.fabric import Fabric, Plan, Subnet, plan_fat_tree
from ibgen.spec import ClusterSpec, FatTree

Path = tuple[str, ...]
UNIT, DOWN, UP, SPINES = ("unit",), ("leaf", "downlinks"), ("leaf", "uplinks"), ("spine", "count")
LEFT_OUT: tuple[tuple[Path, ...], ...] = (
    (UNIT,), (UNIT, SPINES), (DOWN, UP), (UNIT, DOWN, UP), (UNIT, DOWN, UP, SPINES),
)  # fmt: skip
"""What may be left out together, the least first."""


@dataclass(frozen=True, slots=True)
class Smaller:
    """`changed`: keys of the topology that led to more; `advice`: what to write instead."""

    plan: Plan
    changed: tuple[Path, ...]
    advice: str


def smallest(spec: ClusterSpec, fabric: Fabric, subnet: Subnet, topology: FatTree, catalog: Catalog) -> Smaller | None:
    """None where the spec fixes how much is built, or nothing smaller is found."""
    plan, leaf = subnet.plan, catalog.switch(topology.leaf.switch)
    pools = sorted(set(fabric.hosts.pool[subnet.ports.host[subnet.ports.rail >= 0]].tolist()))
    fixed = topology.units is not None or topology.leaf.count is not None or any(spec.pools[p].units for p in pools)
    if plan is None or leaf is None or fixed or not pools or _full(plan, leaf, topology.leaf.split, len(subnet.ports.host)):
        return None
    on_slots = subnet.ports.host[subnet.ports.rail >= 0]
    ports = int(np.bincount(on_slots).max())
    slots = int(fabric.hosts.slot[on_slots].max())
    domain = lcm(*(spec.pools[p].domain or fabric.hosts.platforms[p].nvlink_domain_hosts for p in pools))
    upper = [catalog.switch(t.switch) if t is not None else None for t in (topology.spine, topology.core)]
    limit = max(1.0, plan.down / max(1, plan.up))
    best: Smaller | None = None
    for other, changed, advice in _others(topology, plan):
        found, _ = plan_fat_tree(other, leaf, upper[0], upper[1], ports=ports, slots=slots, domain=domain)
        if found is None or (found.tiers > 1 and (found.spines < 2 or found.down / max(1, found.up) > limit)):
            continue
        if best is None or _size(found) < _size(best.plan):
            best = Smaller(found, changed, advice)
    return best


def _others(topology: FatTree, plan: Plan) -> Iterator[tuple[FatTree, tuple[Path, ...], str]]:
    """Topologies with less written down; fewer uplinks; the fewest spines that have ports for all uplinks."""
    for keys in LEFT_OUT:
        other = topology
        for key in keys:
            other = _without(other, key)
        if other != topology:
            shown = tuple(k for k in keys if _without(topology, k) != topology)
            yield other, shown, "leave " + " and ".join(f"`{'.'.join(k)}`" for k in shown) + " out"
    if topology.spine is None or plan.tiers != 2:
        return
    if topology.spine.count is None:
        for up in range(plan.up - 1, 0, -1):
            leaf = topology.leaf.model_copy(update={"downlinks": plan.down, "uplinks": up})
            yield topology.model_copy(update={"leaf": leaf}), (DOWN, UP), f"give the leaves `uplinks: {up}`"
        for spines in range(2, plan.spines):
            spine = topology.spine.model_copy(update={"count": spines})
            said = f"write `spine: {{count: {spines}}}`, though {plan.up} uplinks are not shared evenly by it"
            yield topology.model_copy(update={"spine": spine}), (DOWN, SPINES), said


def _without(topology: FatTree, key: Path) -> FatTree:
    if len(key) == 1:
        return topology.model_copy(update={key[0]: None})
    section = getattr(topology, key[0])
    return topology if section is None else topology.model_copy(update={key[0]: section.model_copy(update={key[1]: None})})


def _full(plan: Plan, leaf: SwitchModel, ways: int, ports: int) -> bool:
    """Whether no tree of these leaves can be much smaller: most host ports are in use, and the spines divide as they should."""
    most = max(plan.down, leaf.radix // 2 * ways)
    least = -(-ports // most)
    spines = -(-least * min(plan.up, leaf.radix // 2) // leaf.radix)
    return plan.leaves + plan.spines + plan.cores <= 1.5 * (least + spines)


def _size(plan: Plan) -> int:
    return plan.leaves + plan.spines + plan.cores
