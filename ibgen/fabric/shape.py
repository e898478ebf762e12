"""How hosts meet leaves, before anything is counted: ports down and up, the unit, and how a unit is cut over leaves.

Takes the spec's `FatTree`, the leaf model and the attached ports of a host. Gives a `Shape`, or findings with the numbers.
Integers only; the rules are those of planner.md sections 1 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from ibgen.catalog import SwitchModel
from ibgen.diagnostics import Finding, Path
from ibgen.spec import FatTree, GroupLeaf, LeafTier, Reservation

from .findings import HOST_TOO_WIDE, LEAF_PORTS, NO_SPLIT, TIERS, UNIT_SPLIT

WHOLE = ("SDR", "DDR", "QDR", "FDR", "EDR")
"""InfiniBand generations without two-lane links: these exist from HDR on (dell/omnia PR 2059, netbox PR 23163)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One fat tree's lower edge. A *place* is where one host plugs into a leaf: one port, or all of its ports."""

    single: bool  # one switch carries everything
    aligned: bool  # HCA r of every host of a unit on the leaf of rail r
    ports: int  # attached ports of a host, the widest host
    rails: int  # rails of a unit: `ports` where aligned, 1 otherwise
    unit: int  # slots per unit
    parts: int  # leaves that share a rail of one unit
    down: int  # host ports per leaf, after a split
    down_ports: int  # physical ports they take
    up: int  # uplinks per leaf

    @property
    def leaves_per_unit(self) -> int:
        return self.rails * self.parts

    @property
    def slots_per_leaf(self) -> int:
        return self.unit // self.parts

    @property
    def stride(self) -> int:
        """Ports of one place on a leaf."""
        return 1 if self.aligned else self.ports

    @property
    def places(self) -> int:
        """Places on a leaf; those beyond `slots_per_leaf` can hold reservations only."""
        return self.down // self.stride


class Reserving(Protocol):
    """A topology that keeps host ports free."""

    @property
    def reserve(self) -> Mapping[str, int | Reservation]: ...


class Leafed(Protocol):
    """A topology whose leaves have ports up and down."""

    @property
    def leaf(self) -> LeafTier | GroupLeaf: ...


def reserved_ports(topology: Reserving) -> dict[str, int]:
    """Purpose -> host ports kept, in the order of the purposes' names."""
    kept = sorted(topology.reserve.items())
    return {purpose: r.ports if isinstance(r, Reservation) else r for purpose, r in kept}


def shape(
    topology: FatTree, leaf: SwitchModel, ports: int, slots: int, *, several: bool = False, domain: int = 1, at: Path = ()
) -> tuple[Shape | None, tuple[Finding, ...]]:
    """The shape for hosts of `ports` attached ports that fill `slots` slots, written holes included.

    `several`: the pools themselves ask for more than one unit. `domain`: hosts that must not be cut apart. `at`: the topology's
    path. One switch is taken where everything fits it and nothing in the spec asks for more.
    """
    findings = unsplittable(topology.leaf.split, leaf, at)
    if findings:
        return None, findings
    single, capacity = _single(topology, leaf, ports, slots, several)
    if single is not None:
        return single, ()
    if topology.tiers == 1:
        return None, (_not_one(topology, leaf, ports, slots, capacity, several, at),)
    down, down_ports, up = links(topology, leaf)
    findings = leaf_ports(topology, leaf, down_ports, up, at)
    if findings:
        return None, findings
    aligned = topology.rails == "aligned"
    stride = 1 if aligned else ports
    places = down // stride
    if places == 0:
        message = f"a host has {ports} ports on this fabric and a leaf only {down} downlinks"
        hint = f"give the leaf {ports} downlinks or more, or say `rails: aligned`"
        return None, (HOST_TOO_WIDE.finding(message, (*at, "leaf", "downlinks"), hint=hint),)
    unit = topology.unit or max(1, places // domain) * domain
    parts = _parts(unit, places, domain)
    if parts is None:
        return None, (_not_divisible(topology, unit, places, domain, at),)
    return Shape(False, aligned, ports, ports if aligned else 1, unit, parts, down, down_ports, up), ()


def links(topology: Leafed, leaf: SwitchModel) -> tuple[int, int, int]:
    """Host ports, physical ports they take, uplinks. What is not given: half the radix down, the rest up."""
    tier, ways = topology.leaf, topology.leaf.split
    if tier.downlinks is not None:
        down_ports = -(-tier.downlinks // ways)
    elif tier.uplinks is not None:
        down_ports = leaf.radix - tier.uplinks
    else:
        down_ports = leaf.radix // 2
    down = tier.downlinks if tier.downlinks is not None else down_ports * ways
    return down, down_ports, tier.uplinks if tier.uplinks is not None else leaf.radix - down_ports


def _single(topology: FatTree, leaf: SwitchModel, ports: int, slots: int, several: bool) -> tuple[Shape | None, int]:
    """One switch for everything, where it fits and nothing asks for more; and the host ports such a switch would have."""
    tier, ways = topology.leaf, topology.leaf.split
    capacity = (leaf.radix - (tier.uplinks or 0)) * ways
    if tier.downlinks is not None:
        capacity = min(capacity, tier.downlinks)
    upper = [t.count for t in (topology.spine, topology.core) if t is not None]
    kept = [r.unit or 1 for r in topology.reserve.values() if isinstance(r, Reservation)]
    one_unit = (
        max(kept, default=1) == 1
        and topology.units in (None, 1)
        and not several
        and not (topology.unit and slots > topology.unit)
    )
    wanted = topology.tiers == 1 or (topology.tiers is None and not any(upper))
    reserved = sum(-(-n // ports) for n in reserved_ports(topology).values())
    need = max(topology.unit or 0, slots + reserved)
    if not (wanted and one_unit and tier.count in (None, 1) and 0 < need * ports <= capacity):
        return None, capacity
    unit = topology.unit or capacity // ports
    return Shape(True, False, ports, 1, unit, 1, capacity, -(-capacity // ways), 0), capacity


def _parts(unit: int, places: int, domain: int) -> int | None:
    """The fewest leaves that a unit's rail can be cut over: equal, no larger than a leaf, whole domains."""
    least = max(1, -(-unit // places))
    for k in range(least, unit + 1):
        if unit % k == 0 and (unit // k) % domain == 0:
            return k
    return None


def unsplittable(ways: int, leaf: SwitchModel, at: Path) -> tuple[Finding, ...]:
    """What is said where the host ports of a leaf are to be split and cannot be."""
    if ways == 1 or leaf.split(ways) is not None:
        return ()
    where, known = (*at, "leaf", "split"), ", ".join(f"{s.ways} x {s.rate_gbps:g} Gb/s" for s in leaf.splits)
    if leaf.fabric == "infiniband" and leaf.generation in WHOLE:
        hint = "leave `split` out: two-lane links exist from HDR on"
        return (NO_SPLIT.finding(f"{leaf.id} has no {ways}-way split: {leaf.generation} ports are whole", where, hint=hint),)
    has = f"has {known}, no {ways}-way split," if known else "does not know the splits"
    message = f"the catalog {has} of {leaf.id}"
    row = f"id: {leaf.id}, override: true, splits: [{{ways: {ways}, rate_gbps: {leaf.rate_gbps / ways:g}"
    row += f", lanes: {leaf.lanes_per_port // ways}}}], source: ..."
    hint = (
        f"leave `split` out; or, where the switch does it, say so in a file of your own (`catalog:`): `switches: [{{{row}}}]`"
    )
    if ways > leaf.lanes_per_port:
        hint = f"leave `split` out: a port of {leaf.lanes_per_port} lanes has no {ways} parts"
    return (NO_SPLIT.finding(message, where, hint=hint),)


def leaf_ports(topology: Leafed, leaf: SwitchModel, down_ports: int, up: int, at: Path) -> tuple[Finding, ...]:
    """What is said where a leaf's ports do not suffice, or leave nothing in one direction."""
    if down_ports + up <= leaf.radix and up >= 1 and down_ports >= 1:
        return ()
    where = "downlinks" if topology.leaf.downlinks is not None else "uplinks"
    message = f"{down_ports} ports down and {up} up do not fit the {leaf.radix} ports of {leaf.id}"
    if up < 1 or down_ports < 1:
        message = f"{down_ports} ports down and {up} up: a leaf below spines needs at least one of each"
    hint = f"use {leaf.radix // 2} down and {leaf.radix - leaf.radix // 2} up for 1:1"
    facts = {"radix": leaf.radix, "ports down": down_ports, "ports up": up}
    return (LEAF_PORTS.finding(message, (*at, "leaf", where), hint=hint, facts=facts),)


def _not_one(topology: FatTree, leaf: SwitchModel, ports: int, slots: int, capacity: int, several: bool, at: Path) -> Finding:
    kept = reserved_ports(topology)
    need = max(topology.unit or 0, slots) * ports + sum(kept.values())
    if several or (topology.units or 1) > 1 or (topology.leaf.count or 1) > 1 or (topology.unit and slots > topology.unit):
        message = "one tier is one switch and one unit, and the spec asks for several"
    else:
        message = f"{need} host ports do not fit one {leaf.id} with {capacity} ports"
    facts = {"host ports": need, "ports of one switch": capacity}
    hint = "leave `tiers` out to have them planned, or say `tiers: 2` and give a spine"
    return TIERS.finding(message, (*at, "tiers"), hint=hint, facts=facts)


def _not_divisible(topology: FatTree, unit: int, places: int, domain: int, at: Path) -> Finding:
    facts = {"slots of a unit": unit, "hosts of a leaf": places, "hosts of an NVLink domain": domain}
    if domain > places:
        message = f"an NVLink domain of {domain} hosts does not fit a leaf with places for {places}"
        hint = f"give the leaf at least {domain} downlinks"
        return UNIT_SPLIT.finding(message, (*at, "leaf", "downlinks"), hint=hint, facts=facts)
    message = f"a unit of {unit} slots cuts an NVLink domain of {domain} hosts apart"
    sizes = sorted({max(1, unit // domain) * domain, -(-unit // domain) * domain, places // domain * domain})
    hint = f"use a unit of {' or '.join(str(s) for s in sizes if _parts(s, places, domain))}"
    return UNIT_SPLIT.finding(message, (*at, "unit"), hint=hint, facts=facts)
