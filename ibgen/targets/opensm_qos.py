"""`qos` as OpenSM takes it: lanes and their arbitration for opensm.conf, levels and rules for qos-policy.conf.

Takes a fabric's traffic classes and the subnet. Gives a `QosPlan`, or None where the spec has no classes. Only opensm.conf's
tables are programmed: OpenSM parses `qos-setup` of the policy file and applies nothing of it. The policy answers programs that
ask for paths (rdma_cm, IPoIB, SRP, Lustre); NCCL and UCX do not ask, they are told by `service_levels` through their own files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.fabric import Fabric, Subnet
from ibgen.spec import ClusterSpec, FabricSpec, Qos, TrafficClass
from ibgen.units import OPENSM_RATES

from .opensm_partitions import ManagedPartition
from .service_levels import LEVELS, class_of, level

HEAVIEST = 255
"""Largest weight of one entry of an arbitration table (InfiniBand Architecture Specification, volume 1, 7.6.9)."""

VLS_OF = {1: 1, 2: 2, 3: 4, 4: 8, 5: 15}
"""`max_op_vls` -> data lanes (the values of PortInfo:OperationalVLs)."""

DEFAULT_LEVEL = "DEFAULT"
"""The level that must be there: OpenSM drops a policy file without it."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """The tables of every port. Arbitration: (lane, weight in 64 bytes) pairs, by lane."""

    lanes: int  # data lanes in use, counted from VL 0
    sl2vl: tuple[int, ...]  # [16]
    high: tuple[tuple[int, int], ...]
    low: tuple[tuple[int, int], ...]
    high_limit: int | None

    @property
    def max_op_vls(self) -> int:
        """The smallest `max_op_vls` that has them all: lanes that nobody uses take buffers from those in use."""
        return next(code for code, lanes in VLS_OF.items() if lanes >= self.lanes)


@dataclass(frozen=True, slots=True)
class QosLevel:
    """What a path is given. `rate` is OpenSM's number."""

    name: str
    use: str
    sl: int
    rate_gbps: float | None
    rate: int | None


@dataclass(frozen=True, slots=True)
class MatchRule:
    """Which paths have the level: `key` is a word of the policy file's grammar, `value` what it compares with."""

    level: str
    key: str  # source, destination, pkey, service-id
    value: str


@dataclass(frozen=True)
class QosPlan:
    """`groups`: name -> rows of the subnet's Ports. `ipoib`: (P_Key or None for all, level), the narrow ones first."""

    lanes: Lanes
    levels: tuple[QosLevel, ...]
    groups: tuple[tuple[str, npt.NDArray[np.int32]], ...]
    rules: tuple[MatchRule, ...]
    ipoib: tuple[tuple[int | None, int], ...]
    manager_level: int


def lane_of(traffic: TrafficClass) -> int:
    """A class's lane: its own, else its level's number (there are fifteen lanes for sixteen levels)."""
    return traffic.vl if traffic.vl is not None else min(traffic.sl, 14)


def lanes(qos: Qos) -> Lanes:
    """Levels that no class has take the default class's lane, so nothing is dropped."""
    default = next((lane_of(c) for c in qos.classes if c.use == "default"), 0)
    table = [default] * LEVELS
    weights: dict[str, dict[int, int]] = {"high": {}, "low": {}}
    for traffic in reversed(qos.classes):  # of two classes with one level the first decides
        table[traffic.sl] = lane_of(traffic)
    for traffic in qos.classes:
        side = weights[traffic.priority]
        side[lane_of(traffic)] = min(HEAVIEST, side.get(lane_of(traffic), 0) + traffic.weight)
    if not any(default in side for side in weights.values()):
        weights["low"][default] = TrafficClass.model_fields["weight"].default
    high, low = (tuple(sorted(weights[side].items())) for side in ("high", "low"))
    return Lanes(max(table) + 1, tuple(table), high, low, qos.high_limit)


def plan(
    spec: ClusterSpec,
    fabric: Fabric,
    subnet: Subnet,
    declared: FabricSpec,
    partitions: tuple[ManagedPartition, ...],
    listed: npt.NDArray[np.bool_],
) -> QosPlan | None:
    """The plan of one subnet; `listed` masks the ports whose GUIDs may stand in a file."""
    if declared.qos is None:
        return None
    names = {c.name: _level_name(c, declared) for c in declared.qos.classes}
    groups: dict[str, npt.NDArray[np.int32]] = {}
    rules: list[MatchRule] = []
    for traffic in declared.qos.classes:
        rows = _ports(spec, fabric, subnet, traffic) & listed
        if rows.any():
            groups[traffic.name] = np.flatnonzero(rows).astype(np.int32)
        rules += _rules(traffic, names[traffic.name], declared, bool(rows.any()))
    order = ("service-id", "pkey", "destination", "source")  # the first rule that fits wins: the narrow before the wide
    rules.sort(key=lambda r: order.index(r.key))
    return QosPlan(
        lanes=lanes(declared.qos),
        levels=_levels(declared, names, {r.level for r in rules}),
        groups=tuple(groups.items()),
        rules=tuple(rules),
        ipoib=_ipoib(declared, partitions),
        manager_level=level(declared, "management"),
    )


def _level_name(traffic: TrafficClass, declared: FabricSpec) -> str:
    if traffic is class_of(declared, "default"):
        return DEFAULT_LEVEL
    return f"{traffic.name}-class" if traffic.name.upper() == DEFAULT_LEVEL else traffic.name


def _levels(declared: FabricSpec, names: dict[str, str], used: set[str]) -> tuple[QosLevel, ...]:
    """The default level, and those that a rule leads to."""
    made = []
    for traffic in declared.qos.classes if declared.qos else ():
        if names[traffic.name] not in {*used, DEFAULT_LEVEL}:
            continue
        rate = OPENSM_RATES.get(traffic.rate_limit) if traffic.rate_limit is not None else None
        gbps = traffic.rate_limit if rate is not None else None
        made.append(QosLevel(names[traffic.name], f"{traffic.use} traffic", traffic.sl, gbps, rate))
    if all(q.name != DEFAULT_LEVEL for q in made):
        made.append(QosLevel(DEFAULT_LEVEL, "what no class takes", 0, None, None))
    return tuple(sorted(made, key=lambda q: q.name != DEFAULT_LEVEL))


def _rules(traffic: TrafficClass, name: str, declared: FabricSpec, group: bool) -> Iterator[MatchRule]:
    keys = {p.name: p.pkey for p in declared.partitions}
    for service in traffic.service_ids:
        yield MatchRule(name, "service-id", service)
    for partition in traffic.partitions:
        if partition in keys:  # else the loader has said so
            yield MatchRule(name, "pkey", f"0x{keys[partition]:04x}")
    if group:
        yield MatchRule(name, "destination", traffic.name)
        yield MatchRule(name, "source", traffic.name)


def _ports(spec: ClusterSpec, fabric: Fabric, subnet: Subnet, traffic: TrafficClass) -> npt.NDArray[np.bool_]:
    """Ports whose traffic a class has: those of its pools, and for storage all storage adapters where it names nothing."""
    ports = subnet.ports
    pools = fabric.hosts.pool[ports.host]
    keep = np.zeros(len(ports.host), dtype=np.bool_)
    for name in traffic.pools:
        keep |= pools == next((i for i, p in enumerate(spec.pools) if p.name == name), -1)
    if traffic.use == "storage" and not (traffic.pools or traffic.partitions or traffic.service_ids):
        keep |= storage_ports(fabric, subnet)
    return keep


def storage_ports(fabric: Fabric, subnet: Subnet) -> npt.NDArray[np.bool_]:
    """Which ports belong to adapters for storage."""
    ports = subnet.ports
    pools = fabric.hosts.pool[ports.host]
    keep = np.zeros(len(ports.host), dtype=np.bool_)
    for pool, platform in enumerate(fabric.hosts.platforms):
        for i, hca in enumerate(platform.hcas):
            if hca.role == "storage":
                keep |= (pools == pool) & (ports.hca == i)
    return keep


def _ipoib(declared: FabricSpec, partitions: tuple[ManagedPartition, ...]) -> tuple[tuple[int | None, int], ...]:
    """The same levels as in partitions.conf: where the two differ OpenSM says so only in its most talkative log."""
    common = level(declared, "ipoib")
    own = [(p.pkey, p.group.sl) for p in partitions if p.group and p.group.sl != common]
    return (*own, (None, common))
