"""The cluster as a graph of arrays: names are tuples, everything numeric is a numpy column (struct of arrays).

Nothing here is ever one Python object per port. Indices into another table are plain row numbers; -1 means none.
A `Fabric` is the whole cluster; a `Subnet` is one InfiniBand subnet of it: one plane of one entry of `fabrics`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np
import numpy.typing as npt

from ibgen.catalog import Platform, SwitchModel

from .layouts import GroupPlan, IslandPlan

Ints = npt.NDArray[np.int32]
Guids = npt.NDArray[np.uint64]
Rates = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

ACTIVE, PLANNED, DOWN = 0, 1, 2
"""Values of the `state` columns."""

LEAF, SPINE, CORE = 0, 1, 2
"""Values of `Switches.tier`."""

HOST_CABLE, LEAF_CABLE, SPINE_CABLE, LOCAL_CABLE, GLOBAL_CABLE = 0, 1, 2, 3, 4
"""Values of `Cables.kind`: host to leaf, leaf to spine (or any two switches of an explicit topology), spine to core; two
routers of a dragonfly group, two groups. The last two have no lower end: their rows stand in naming order."""


@dataclass(frozen=True)
class Hosts:
    """H hosts in the order of the spec: pool by pool, each pool as its hosts are written."""

    names: tuple[str, ...]
    pool: Ints  # [H] row of `spec.pools`
    slot: Ints  # [H] 1-based place in the pool's own numbering
    state: Ints  # [H] ACTIVE, PLANNED, DOWN
    platforms: tuple[Platform, ...]  # one per pool, by row of `spec.pools`

    @cached_property
    def row(self) -> Mapping[str, int]:
        """Host name -> row."""
        return {name: i for i, name in enumerate(self.names)}


@dataclass(frozen=True)
class Ports:
    """E endpoints (HCA ports) of one subnet, sorted by host row, then HCA, then port."""

    host: Ints  # [E] row of Hosts
    hca: Ints  # [E] index into the platform's `hcas`
    port: Ints  # [E] port number on the HCA, from 1
    rail: Ints  # [E] index among the attached HCAs of the host, from 0; -1 for service hosts on reserved ports
    rate_gbps: Rates  # [E] data rate of the link: the slower of the HCA's port and the switch's
    compute: Bools  # [E] whether the HCA's role is compute
    leaf: Ints  # [E] row of Switches
    leaf_port: Ints  # [E] InfiniBand port number on that switch
    state: Ints  # [E] ACTIVE, PLANNED, DOWN
    node_guid: Guids  # [E]
    port_guid: Guids  # [E]
    bound: Bools  # [E] whether the GUIDs are real ones from the bindings
    attach: Ints  # [E] row of the fabric's `attach` it came from; -1 where only a written-out cable names it


@dataclass(frozen=True)
class Switches:
    """S switches of one subnet: leaves, then spines, then cores; each tier in naming order."""

    names: tuple[str, ...]
    tier: Ints  # [S] LEAF, SPINE, CORE
    model: Ints  # [S] index into Subnet.models
    unit: Ints  # [S] the unit a leaf serves, from 1; 0 for others
    rail: Ints  # [S] the rail a leaf serves, from 0; -1 for others
    pod: Ints  # [S] pod, or group of a dragonfly, from 1; 0 where there are none
    split: Ints  # [S] ways every host port is split into; 1: not split
    ports: Ints  # [S] data ports as the subnet manager counts them: the radix, twice that under a 2-way split
    group: Ints  # [S] row of `switches` of an explicit topology; -1 where the switch was planned
    guid: Guids  # [S] node GUID
    bound: Bools  # [S]

    @cached_property
    def row(self) -> Mapping[str, int]:
        """Switch name -> row."""
        return {name: i for i, name in enumerate(self.names)}


@dataclass(frozen=True)
class Cables:
    """C cables of one subnet, the lower end nearer to the hosts. Parallel cables are rows of their own."""

    kind: Ints  # [C] HOST_CABLE, LEAF_CABLE, SPINE_CABLE, LOCAL_CABLE, GLOBAL_CABLE
    lower: Ints  # [C] row of Ports for HOST_CABLE, of Switches otherwise
    lower_port: Ints  # [C] port number on the HCA, or InfiniBand port number on the switch
    upper: Ints  # [C] row of Switches
    upper_port: Ints  # [C] InfiniBand port number
    rate_gbps: Rates  # [C]
    line: Ints  # [C] row of `cables` of an explicit topology; -1 where the cable was planned


@dataclass(frozen=True)
class Reserved:
    """Host ports of leaves that are kept free by `reserve`, used or not."""

    leaf: Ints  # [R] row of Switches
    leaf_port: Ints  # [R] InfiniBand port number
    rail: Ints  # [R] rail of the leaf
    purpose: tuple[str, ...]  # [R] key of `reserve`
    used: Bools  # [R] whether a host is attached there


@dataclass(frozen=True, slots=True)
class Plan:
    """What the planner decided for one fat tree (per plane). Counts of switches, of ports, and of cables per pair."""

    tiers: int
    rails: int  # rails of a unit: HCAs per host that are attached (1 where `rails: host`)
    unit: int  # slots per unit
    units: int
    leaves_per_rail: int  # leaves that share a rail of one unit (1 unless the unit is larger than a leaf)
    leaves: int
    down: int  # host ports in use or kept per leaf, after a split
    up: int  # uplinks per leaf
    spines: int  # in all
    spines_needed: int  # by the rule; differs from `spines` when the count is given
    leaf_pair: int  # cables per leaf-spine pair, rounded down where uneven
    pods: int  # 1 in two tiers
    leaves_per_pod: int
    spines_per_pod: int
    spine_down: int  # ports of a spine toward leaves, the fullest spine
    spine_up: int  # ports of a spine toward cores
    cores: int
    cores_needed: int
    core_pair: int  # cables per spine-core pair of one core group
    endpoints: int  # slots x ports, present or not, reserved included

    @property
    def even(self) -> bool:
        """Whether every leaf-spine pair, and every spine-core pair of a group, has the same number of cables."""
        groups_even = self.tiers < 3 or self.spine_up % (self.cores // gcd(self.cores, self.spines_per_pod)) == 0
        return self.tiers == 1 or (self.spines_per_pod > 0 and self.up % self.spines_per_pod == 0 and groups_even)


@dataclass(frozen=True)
class Subnet:
    """One InfiniBand subnet (or one plane of a RoCE fabric): its own graph, manager, LIDs and P_Keys."""

    name: str  # the fabric's name; `<fabric>-p<plane>` where it has several planes, `<fabric>-u01-r0` where it is rail-only
    fabric: int  # row of `spec.fabrics`
    plane: int  # from 1: number of the subnet among those of its fabric
    models: tuple[SwitchModel, ...]
    ports: Ports
    switches: Switches
    cables: Cables
    reserved: Reserved
    plan: Plan | None  # of a fat tree; None for all other shapes
    layout: GroupPlan | IslandPlan | None = None  # of a dragonfly, a dragonfly+ or a rail-only fabric

    @property
    def planned(self) -> bool:
        """Whether units and rails follow from a plan; those of explicit topologies are read off the cables."""
        return self.plan is not None or self.layout is not None

    def tier(self, tier: int) -> npt.NDArray[np.intp]:
        """Rows of the switches of one tier."""
        return np.flatnonzero(self.switches.tier == tier)

    @cached_property
    def top(self) -> int:
        """The highest tier there is."""
        return int(self.switches.tier.max(initial=0))

    @cached_property
    def bound(self) -> bool:
        """Whether every GUID is a real one. Ports that are planned or out of service do not count;
        partly bound is unbound."""
        return bool(self.switches.bound.all() and self.ports.bound[self.ports.state == ACTIVE].all())

    @cached_property
    def unbound_hosts(self) -> Ints:
        """Rows of the hosts that have an active endpoint without a real GUID."""
        rows: Ints = np.unique(self.ports.host[~self.ports.bound & (self.ports.state == ACTIVE)])
        return rows


@dataclass(frozen=True)
class Fabric:
    """The whole cluster. Opaque fabrics have no subnet; their hosts stand in `hosts` all the same."""

    hosts: Hosts
    subnets: tuple[Subnet, ...]
    failed: tuple[int, ...] = ()  # rows of `spec.fabrics` that could not be built; each has an error that says why

    def of(self, fabric: int) -> tuple[Subnet, ...]:
        """The planes of one entry of `spec.fabrics`."""
        return tuple(s for s in self.subnets if s.fabric == fabric)
