"""The tiers of a topology: leaves, spines, cores, and the host ports kept free on them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .fields import BY_SHAPE, MAPPING, SCALAR, Count, Model, Name, Section, doc

PORTS = {"ge": 1, "le": 2048}
"""Limits of a count of ports or switches: above any switch that is built."""


class LeafTier(Section):
    """The switches that hosts plug into."""

    switch: Annotated[Model, doc("Switch model", "qm9700", "recable")]
    downlinks: Annotated[Count | None, doc("Ports toward hosts; half the radix unless given", 32, "recable", **PORTS)] = None
    uplinks: Annotated[Count | None, doc("Ports toward spines; the rest of the radix unless given", 32, "recable", le=2048)] = (
        None
    )
    split: Annotated[Count, doc("2: every host port is split into two of half the rate", 2, "recable", ge=1, le=2)] = 1
    count: Annotated[Count | None, doc("Leaves in all; planned unless given, checked when given", 32, "recable", **PORTS)] = (
        None
    )


class UpperTier(Section):
    """Spines or cores."""

    switch: Annotated[Model, doc("Switch model", "qm9700", "recable")]
    uplinks: Annotated[
        Count | None, doc("Ports of a spine toward cores; as many as down unless given", 32, "recable", **PORTS)
    ] = None
    count: Annotated[Count | None, doc("Switches in all; planned unless given, checked when given", 16, "recable", **PORTS)] = (
        None
    )


class GroupLeaf(Section):
    """The leaves of a dragonfly+ group."""

    switch: Annotated[Model, doc("Switch model", "qm9700", "recable")]
    downlinks: Annotated[Count | None, doc("Ports toward hosts; half the radix unless given", 32, "recable", **PORTS)] = None
    uplinks: Annotated[
        Count | None, doc("Ports toward the group's spines; the rest of the radix unless given", 32, "recable", **PORTS)
    ] = None
    split: Annotated[Count, doc("2: every host port is split into two of half the rate", 2, "recable", ge=1, le=2)] = 1
    count: Annotated[Count | None, doc("Leaves of a group; all that a spine reaches unless given", 32, "recable", **PORTS)] = (
        None
    )


class GroupSpine(Section):
    """The spines of a dragonfly+ group: they carry the cables to other groups."""

    switch: Annotated[Model, doc("Switch model", "qm9700", "recable")]
    count: Annotated[Count | None, doc("Spines of a group; planned unless given", 32, "recable", **PORTS)] = None
    uplinks: Annotated[
        Count | None, doc("Ports of a spine toward other groups; half the radix unless given", 32, "recable", **PORTS)
    ] = None


class RailLeaf(Section):
    """The leaves of a rail-only fabric: one per rail and unit, nothing above."""

    switch: Annotated[Model, doc("Switch model", "qm9700", "recable")]
    downlinks: Annotated[Count | None, doc("Ports for hosts; all of them unless given", 64, "recable", **PORTS)] = None
    split: Annotated[Count, doc("2: every host port is split into two of half the rate", 2, "recable", ge=1, le=2)] = 1


class Reservation(Section):
    """Host ports kept free for service hosts, with their place."""

    ports: Annotated[Count, doc("Host ports kept", 4, "recable", **PORTS)]
    unit: Annotated[Count | None, doc("The unit (or group) that holds them; the last one unless given", 4, "recable", ge=1)] = (
        None
    )


Reserve = Annotated[Annotated[Count, Field(ge=1), SCALAR] | Annotated[Reservation, MAPPING], BY_SHAPE]
Reserves = Annotated[dict[Name, Reserve], doc("Host ports kept free, by purpose", {"ufm": 4}, "recable")]
Planes = Annotated[Count, doc("Copies of the whole fabric; two leaves per host port is not this", 1, "recable", ge=1, le=16)]
SwitchPrefix = Annotated[Name | None, doc("Put before every switch name of this fabric", "st", "recable")]
