"""Where reserved ports lie, and how many units that makes.

Takes the slots that hosts take. Gives the number of units and, for each reservation, its places on the leaves. A
reservation holds whole places at the end of the last unit (or of the unit it names), so that growth from the front never
meets it; it never fills a hole among the hosts unless the number of units is given.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ibgen.diagnostics import Finding, Label, Path
from ibgen.spec import FatTree, Reservation

from .findings import LEAF_COUNT, RESERVE, SLOT_OUTSIDE, UNITS_DISAGREE
from .shape import Reserving, Shape, reserved_ports


@dataclass(frozen=True, slots=True)
class Place:
    """Where one host, or its worth of reserved ports, plugs in: unit from 1, part of the unit and place on the leaf from 0."""

    unit: int
    part: int
    place: int


@dataclass(frozen=True, slots=True)
class Placement:
    """Units to build, and per purpose (in the order of names) its ports and the reserved places in ascending order."""

    units: int
    reserved: tuple[tuple[str, int, tuple[Place, ...]], ...]


def place_reservations(
    topology: Reserving,
    shape: Shape,
    taken: Collection[int],
    at: Path = (),
    who: str = "",
    given: tuple[str, int | None] | None = None,
) -> tuple[Placement | None, tuple[Finding, ...]]:
    """The placement where hosts take the slots `taken` (from 0, unit after unit). `who`: the host on the highest slot.
    `given`: the key that says how many units there are, and how many, for shapes that are no fat tree."""
    highest = max(taken, default=-1) // shape.unit + 1
    if isinstance(topology, FatTree):
        fixed, findings = _given_units(topology, shape, highest, at, who)
    else:
        key, fixed = given or ("units", None)
        findings = _reached(key, fixed, shape, highest, at, who)
    if findings:
        return None, findings
    units, word = fixed or max(highest, 1), given[0].removesuffix("s") if given else "unit"
    held = set(taken)
    reserved: list[tuple[str, int, tuple[Place, ...]]] = []
    used: set[Place] = set()
    for purpose, ports in reserved_ports(topology).items():
        need = -(-ports // shape.ports)
        asked = topology.reserve[purpose]
        named = asked.unit if isinstance(asked, Reservation) else None
        if named is not None and fixed is not None and named > fixed:
            return None, (_no_such_unit(purpose, named, fixed, at, word),)
        unit = named or units
        places = _free(shape, unit, held, used, holes=bool(named or fixed))
        if len(places) < need and not (named or fixed):
            unit += 1
            places = _free(shape, unit, held, used, holes=False)
        if len(places) < need:
            return None, (_no_room(shape, purpose, ports, unit, len(places), at, word),)
        units = max(units, unit)
        chosen = tuple(sorted(places[:need], key=lambda p: (p.part, p.place)))
        used.update(chosen)
        reserved.append((purpose, ports, chosen))
    return Placement(units, tuple(reserved)), ()


def _free(shape: Shape, unit: int, held: set[int], used: set[Place], *, holes: bool) -> list[Place]:
    """Free places of one unit, the last first. Without `holes` only those after the last host of the unit, and spare ones."""
    first = (unit - 1) * shape.unit
    inside = [slot - first for slot in held if first <= slot < first + shape.unit]
    last, per_leaf = max(inside, default=-1), shape.slots_per_leaf
    taken = set(inside)
    free = []
    for part in reversed(range(shape.parts)):
        for place in reversed(range(shape.places)):
            slot = part * per_leaf + place
            spare = place >= per_leaf  # a downlink that no slot of the unit uses
            if (spare or (slot not in taken if holes else slot > last)) and Place(unit, part, place) not in used:
                free.append(Place(unit, part, place))
    return free


def _given_units(topology: FatTree, shape: Shape, highest: int, at: Path, who: str) -> tuple[int | None, tuple[Finding, ...]]:
    """Units as the spec gives them, by `units` or by the number of leaves."""
    leaves, per_unit = topology.leaf.count, shape.leaves_per_unit
    needs = f"the hosts, up to {who}, need" if who else "the hosts need"
    if leaves is not None and leaves % per_unit:
        message = f"{leaves} leaves are no whole number of units: a unit has {per_unit}"
        hint = f"use {-(-leaves // per_unit) * per_unit}, or leave the count out to have it planned"
        facts = {"leaves": leaves, "leaves of a unit": per_unit}
        return None, (LEAF_COUNT.finding(message, (*at, "leaf", "count"), hint=hint, facts=facts),)
    if leaves is not None and topology.units is not None and leaves != topology.units * per_unit:
        message = f"{topology.units} units have {topology.units * per_unit} leaves, and {leaves} are given"
        labels = [Label((*at, "units"), f"{topology.units} units of {per_unit} leaves")]
        return None, (UNITS_DISAGREE.finding(message, (*at, "leaf", "count"), labels=labels, hint="give one of the two"),)
    if leaves is not None and leaves < highest * per_unit:
        message = f"{needs} {highest * per_unit} leaves, and {leaves} are given"
        facts = {"leaves needed": highest * per_unit, "leaves given": leaves, "slots of a unit": shape.unit}
        hint = f"use {highest * per_unit} leaves, or more slots per unit"
        return None, (LEAF_COUNT.finding(message, (*at, "leaf", "count"), hint=hint, facts=facts),)
    findings = _reached("units", topology.units, shape, highest, at, who)
    if findings:
        return None, findings
    return topology.units or (leaves // per_unit if leaves is not None else None), ()


def _reached(key: str, given: int | None, shape: Shape, highest: int, at: Path, who: str) -> tuple[Finding, ...]:
    """What is said where the hosts reach beyond the units (or groups) there are."""
    if given is None or given >= highest:
        return ()
    needs = f"the hosts, up to {who}, need" if who else "the hosts need"
    message = f"{needs} {highest} {key}, and there are {given}"
    facts = {f"{key} needed": highest, f"{key} there are": given, f"slots of a {key.removesuffix('s')}": shape.unit}
    return (SLOT_OUTSIDE.finding(message, (*at, key), hint=f"use {highest} {key}", facts=facts),)


def _no_such_unit(purpose: str, named: int, units: int, at: Path, word: str) -> Finding:
    message = f"`{purpose}` is reserved in {word} {named}, and there are {units}"
    return RESERVE.finding(message, (*at, "reserve", purpose, "unit"), hint=f"name a {word} from 1 to {units}")


def _no_room(shape: Shape, purpose: str, ports: int, unit: int, free: int, at: Path, word: str) -> Finding:
    message = f"{word} {unit} has {free} free places for the {ports} ports of `{purpose}`"
    facts = {"ports reserved": ports, "ports of a place": shape.ports, "free places": free}
    hint = f"leave a slot of {word} {unit} free, or give one {word} more"
    return RESERVE.finding(message, (*at, "reserve", purpose), hint=hint, facts=facts)
