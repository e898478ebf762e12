"""Partitions as OpenSM will be told them: members split by membership, rates and MTUs as its numbers.

Takes a `PartitionPlan` and the subnet. Gives `ManagedPartition`s in the plan's order. What was
asked for and cannot be (a rate above the slowest member's, an MTU that is none) is a rule's to say; here it is never written.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ibgen.fabric import Subnet
from ibgen.spec import FabricSpec, Ipoib
from ibgen.units import OPENSM_MTUS, OPENSM_RATES

from .partitions import BOTH, DEFAULT_PKEY, FULL, LIMITED, PartitionMembers, PartitionPlan
from .service_levels import level, partition_level

UPSTREAM_LAST_RATE = 22
"""Upstream 3.3.23 refuses rate numbers above this one and then makes no broadcast group (measured; ERR 1B26)."""

_DEFAULT_MTU = 2048  # what OpenSM gives its own default partition (measured: mtu 4)


@dataclass(frozen=True, slots=True)
class BroadcastGroup:
    """The IPoIB broadcast group: rate in Gb/s and MTU in bytes, each with OpenSM's number for it."""

    rate_gbps: float
    rate: int
    mtu_bytes: int
    mtu: int
    sl: int


@dataclass(frozen=True, slots=True)
class ManagedPartition:
    """One partition: rows of the subnet's Ports by membership, port GUIDs outside the spec with LIMITED or FULL.

    `everyone` is what ports that are not listed get: FULL or LIMITED in the default partition, None in every other.
    """

    name: str
    pkey: int
    group: BroadcastGroup | None
    indx0: bool
    full: npt.NDArray[np.int32]
    limited: npt.NDArray[np.int32]
    others: tuple[tuple[int, int], ...]
    everyone: int | None
    both: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))


def managed_partitions(
    plan: PartitionPlan, subnet: Subnet, spec: FabricSpec, listed: npt.NDArray[np.bool_]
) -> tuple[ManagedPartition, ...]:
    """The partitions of one subnet; `listed` masks the ports whose GUIDs may stand in a file. One that has nobody here but
    limited strangers is left out: its full members are on another subnet of the fabric (a rail, a unit)."""
    there = (m for m in plan.partitions if m.pkey == DEFAULT_PKEY or len(m.rows) or m.functions or _full(m))
    made = (_partition(m, _group(m, subnet, spec, listed), spec, listed) for m in there)
    return tuple(p for p in made if p.everyone is not None or len(p.full) + len(p.limited) + len(p.both) + len(p.others))


def _full(members: PartitionMembers) -> bool:
    return any(level >= FULL for _, level in members.others)


def _partition(
    members: PartitionMembers, group: BroadcastGroup | None, spec: FabricSpec, listed: npt.NDArray[np.bool_]
) -> ManagedPartition:
    indx0 = members.index >= 0 and spec.partitions[members.index].indx0
    full = members.rows[(members.membership == FULL) & listed[members.rows]]
    limited = members.rows[(members.membership == LIMITED) & listed[members.rows]]
    both = members.rows[(members.membership == BOTH) & listed[members.rows]]
    everyone = None
    if members.pkey == DEFAULT_PKEY:
        # Every port is at least a limited member, listed or not: OpenSM sees to it itself (measured). So limited members need
        # no line of their own, unless all the others are full.
        everyone = FULL if members.everyone == FULL else LIMITED
        full, limited = (full[:0], limited) if everyone == FULL else (full, limited[:0])
    return ManagedPartition(members.name, members.pkey, group, indx0, full, limited, members.others, everyone, both)


def _group(members: PartitionMembers, subnet: Subnet, spec: FabricSpec, listed: npt.NDArray[np.bool_]) -> BroadcastGroup | None:
    asked = spec.partitions[members.index].ipoib if members.index >= 0 else Ipoib(mtu=_DEFAULT_MTU)
    if asked is None or asked.mtu not in OPENSM_MTUS:
        return None
    rows = members.rows[listed[members.rows]]
    if members.carriers is not None:  # a virtual function is as fast as the port that carries it
        rows = np.union1d(rows, members.carriers)
    rates = subnet.ports.rate_gbps if members.pkey == DEFAULT_PKEY else subnet.ports.rate_gbps[rows]
    # A port cannot join a group that is faster than its own link.
    limits = [*rates.tolist(), *([asked.rate] if asked.rate else [])]
    rate = known_rate(min(limits, default=0), spec.control.flavour)
    sl = partition_level(spec, spec.partitions[members.index]) if members.index >= 0 else level(spec, "ipoib")
    return BroadcastGroup(rate, OPENSM_RATES[rate], asked.mtu, OPENSM_MTUS[asked.mtu], sl)


def known_rate(gbps: float, flavour: str) -> float:
    """The fastest rate the manager has a number for that is not above `gbps`."""
    last = UPSTREAM_LAST_RATE if flavour == "upstream" else max(OPENSM_RATES.values())
    return max((r for r, number in OPENSM_RATES.items() if r <= gbps and number <= last), default=min(OPENSM_RATES))
