"""Partitions as OpenSM will be told them: members split by membership, rates and MTUs as its numbers.

Takes a `PartitionPlan` and the subnet. Gives `ManagedPartition`s in the plan's order, and findings about what was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.diagnostics import Finding
from ibgen.fabric import Subnet
from ibgen.spec import FabricSpec, Ipoib
from ibgen.units import OPENSM_MTUS, OPENSM_RATES, gbps_text, opensm_mtu

from .opensm_findings import BROADCAST_MTU, BROADCAST_RATE
from .partitions import DEFAULT_PKEY, FULL, LIMITED, PartitionMembers, PartitionPlan

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


def managed_partitions(
    plan: PartitionPlan, subnet: Subnet, spec: FabricSpec, listed: npt.NDArray[np.bool_]
) -> tuple[tuple[ManagedPartition, ...], list[Finding]]:
    """The partitions of one subnet; `listed` masks the ports whose GUIDs may stand in a file."""
    made, findings = [], []
    for members in plan.partitions:
        group, found = _group(members, subnet, spec, listed)
        findings.extend(found)
        partition = _partition(members, group, spec, listed)
        if partition.everyone is not None or len(partition.full) + len(partition.limited) + len(partition.others):
            made.append(partition)
    return tuple(made), findings


def _partition(
    members: PartitionMembers, group: BroadcastGroup | None, spec: FabricSpec, listed: npt.NDArray[np.bool_]
) -> ManagedPartition:
    indx0 = members.index >= 0 and spec.partitions[members.index].indx0
    full = members.rows[(members.membership == FULL) & listed[members.rows]]
    limited = members.rows[(members.membership == LIMITED) & listed[members.rows]]
    everyone = None
    if members.pkey == DEFAULT_PKEY:
        # Every port is at least a limited member, listed or not: OpenSM sees to it itself (measured). So limited members need
        # no line of their own, unless all the others are full.
        everyone = FULL if members.everyone == FULL else LIMITED
        full, limited = (full[:0], limited) if everyone == FULL else (full, limited[:0])
    return ManagedPartition(members.name, members.pkey, group, indx0, full, limited, members.others, everyone)


def _group(
    members: PartitionMembers, subnet: Subnet, spec: FabricSpec, listed: npt.NDArray[np.bool_]
) -> tuple[BroadcastGroup | None, list[Finding]]:
    asked = spec.partitions[members.index].ipoib if members.index >= 0 else Ipoib(mtu=_DEFAULT_MTU)
    if asked is None:
        return None, []
    at = ("fabrics", subnet.fabric, "partitions", members.index, "ipoib")
    rows = members.rows[listed[members.rows]]
    rates = subnet.ports.rate_gbps if members.pkey == DEFAULT_PKEY else subnet.ports.rate_gbps[rows]
    slowest = float(rates.min()) if len(rates) else asked.rate or 10.0
    findings = []
    if asked.rate is not None and asked.rate > slowest:
        findings.append(
            BROADCAST_RATE.finding(
                f"`{members.name}` asks for {gbps_text(asked.rate)}, its slowest member has {gbps_text(slowest)}",
                (*at, "rate"),
                label="asked for here",
                hint=f"leave `rate` out, or write {slowest:g}G; {gbps_text(slowest)} is written",
            )
        )
    if asked.mtu not in OPENSM_MTUS:
        findings.append(
            BROADCAST_MTU.finding(
                f"InfiniBand has no MTU of {asked.mtu}",
                (*at, "mtu"),
                hint="write 256, 512, 1024, 2048 or 4096; IPoIB's own is 4 less",
            )
        )
        return None, findings
    rate = _known_rate(min(slowest, asked.rate or slowest), spec.control.flavour)
    return BroadcastGroup(rate, OPENSM_RATES[rate], asked.mtu, opensm_mtu(asked.mtu), asked.sl), findings


def _known_rate(gbps: float, flavour: str) -> float:
    """The fastest rate the manager has a number for that is not above `gbps`."""
    last = UPSTREAM_LAST_RATE if flavour == "upstream" else max(OPENSM_RATES.values())
    return max((r for r, number in OPENSM_RATES.items() if r <= gbps and number <= last), default=min(OPENSM_RATES))
