"""Shapes without a common top: groups joined to each other (dragonfly, dragonfly+), and rails that nothing joins."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Count, Model, Section, doc
from .tiers import PORTS, GroupLeaf, GroupSpine, Planes, RailLeaf, Reserves, SwitchPrefix

Links = Annotated[
    Count | None, doc("Cables between any two groups; as many as the ports allow unless given", 10, "recable", **PORTS)
]


class Dragonfly(Section):
    """Groups of routers: every two routers of a group are joined, and every two groups (Kim et al. 2008)."""

    kind: Annotated[Literal["dragonfly"], doc("The shape", "dragonfly", "recable")]
    switch: Annotated[Model, doc("Model of the routers", "qm8700", "recable")]
    a: Annotated[Count, doc("Routers of a group", 8, "recable", ge=1, le=2048)]
    p: Annotated[Count, doc("Host ports of a router", 4, "recable", **PORTS)]
    h: Annotated[Count, doc("Ports of a router toward other groups", 4, "recable", **PORTS)]
    groups: Annotated[
        Count | None,
        doc("Groups; a x h + 1 (all that one cable a pair reaches) unless given", 33, "recable", ge=1, le=65536),
    ] = None
    links: Links = None
    rails: Annotated[
        Literal["aligned", "host"],
        doc(
            "`host`: all adapters of a host on one router; `aligned`: adapter r of every host of a group on routers of rail r",
            "host",
            "recable",
        ),
    ] = "host"
    reserve: Reserves = Field(default_factory=dict)
    planes: Planes = 1
    prefix: SwitchPrefix = None


class DragonflyPlus(Section):
    """Groups of leaves and spines, the spines of every two groups joined (Shpiner et al. 2017)."""

    kind: Annotated[Literal["dragonfly-plus"], doc("The shape", "dragonfly-plus", "recable")]
    groups: Annotated[Count, doc("Groups", 100, "recable", ge=1, le=65536)]
    leaf: Annotated[GroupLeaf, doc("The leaves of a group", {"switch": "qm9700"}, "recable")]
    spine: Annotated[GroupSpine, doc("The spines of a group", {"switch": "qm9700"}, "recable")]
    links: Links = None
    rails: Annotated[
        Literal["aligned", "host"],
        doc(
            "`host`: all adapters of a host on one leaf; `aligned`: adapter r of every host of a group on leaves of rail r",
            "aligned",
            "recable",
        ),
    ] = "aligned"
    reserve: Reserves = Field(default_factory=dict)
    planes: Planes = 1
    prefix: SwitchPrefix = None


class RailOnly(Section):
    """One leaf per rail and unit, and nothing that joins them: traffic between rails goes through the hosts' NVLink."""

    kind: Annotated[Literal["rail-only"], doc("The shape", "rail-only", "recable")]
    leaf: Annotated[RailLeaf, doc("The leaves", {"switch": "qm9700"}, "recable")]
    rails: Annotated[
        Count | None, doc("Rails; as many as a host has attached ports, checked when given", 8, "recable", ge=1, le=256)
    ] = None
    unit: Annotated[Count | None, doc("Slots of a unit; the downlinks of a leaf unless given", 32, "recable", **PORTS)] = None
    units: Annotated[Count | None, doc("Units to build, hosts present or not", 1, "recable", ge=1, le=4096)] = None
    reserve: Reserves = Field(default_factory=dict)
    prefix: SwitchPrefix = None
