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
