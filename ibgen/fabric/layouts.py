"""What was planned for the shapes that are no fat tree: counts only, per plane, for plans, rules and targets to read.

`GroupPlan` is a dragonfly or a dragonfly+, `IslandPlan` one rail of one unit of a rail-only fabric. A `Subnet` carries it
as its `layout`; the plan of a fat tree is `columns.Plan`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """Groups joined to each other. In a dragonfly the `leaves` are the routers, there are no spines and `up` is 0."""

    groups: int
    leaves: int  # per group
    spines: int  # per group
    down: int  # host ports per leaf or router
    up: int  # uplinks per leaf
    ports: int  # of a group toward other groups
    pair: int  # cables between two groups, the thinnest pair
    pair_most: int  # the same, the thickest pair
    reach: int  # groups there can be with `pair` cables between every two of them (one at least)
    endpoints: int  # host ports of all groups, used or not

    @property
    def plus(self) -> bool:
        """Whether the groups are trees of leaves and spines."""
        return self.spines > 0

    @property
    def cyclic(self) -> bool:
        """Whether cables join the switches in rings that paths can follow: not where every two routers are joined (one group,
        or groups of one router), nor in the tree that a dragonfly+ of one group is."""
        return self.groups > 1 and (self.plus or self.leaves > 1)

    @property
    def even(self) -> bool:
        """Whether every two groups have equally many cables."""
        return self.pair == self.pair_most


@dataclass(frozen=True, slots=True)
class IslandPlan:
    """One rail of one unit: a switch that no cable joins to another."""

    unit: int  # from 1
    rail: int  # from 0
    units: int
    rails: int
    slots: int  # of a unit
    down: int  # host ports of the leaf, after a split
