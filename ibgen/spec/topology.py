"""`topology`: the shape of a fabric, one model per kind."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import BY_SHAPE, MAPPING, SCALAR, Count, HostList, Model, Name, Number, Section, doc

_PORTS = {"ge": 1, "le": 2048}


class LeafTier(Section):
    """The switches that hosts plug into."""

    switch: Annotated[Model, doc("Switch model", "qm9700", "recable")]
    downlinks: Annotated[Count | None, doc("Ports toward hosts; half the radix unless given", 32, "recable", **_PORTS)] = None
    uplinks: Annotated[Count | None, doc("Ports toward spines; the rest of the radix unless given", 32, "recable", le=2048)] = (
        None
    )
    split: Annotated[Count, doc("2: every host port is split into two of half the rate", 2, "recable", ge=1, le=2)] = 1
    count: Annotated[Count | None, doc("Leaves in all; planned unless given, checked when given", 32, "recable", **_PORTS)] = (
        None
    )


class UpperTier(Section):
    """Spines or cores."""

    switch: Annotated[Model, doc("Switch model", "qm9700", "recable")]
    uplinks: Annotated[
        Count | None, doc("Ports of a spine toward cores; as many as down unless given", 32, "recable", **_PORTS)
    ] = None
    count: Annotated[
        Count | None, doc("Switches in all; planned unless given, checked when given", 16, "recable", **_PORTS)
    ] = None


class Reservation(Section):
    """Host ports kept free for service hosts, with their place."""

    ports: Annotated[Count, doc("Host ports kept", 4, "recable", **_PORTS)]
    unit: Annotated[Count | None, doc("The unit that holds them; the last one unless given", 4, "recable", ge=1)] = None


Reserve = Annotated[Annotated[Count, Field(ge=1), SCALAR] | Annotated[Reservation, MAPPING], BY_SHAPE]


class FatTree(Section):
    """Leaves, spines and, where one spine layer cannot reach, cores."""

    kind: Annotated[Literal["fat-tree"], doc("The shape", "fat-tree", "recable")]
    rails: Annotated[
        Literal["aligned", "host"],
        doc(
            "`aligned`: adapter r of every host of a unit on leaf r of it; `host`: all adapters of a host on one leaf",
            "aligned",
            "recable",
        ),
    ] = "aligned"
    unit: Annotated[Count | None, doc("Slots (hosts) of a scalable unit", 32, "recable", ge=1, le=65536)] = None
    units: Annotated[Count | None, doc("Units to build, hosts present or not", 4, "recable", ge=1, le=65536)] = None
    leaf: Annotated[LeafTier, doc("The leaves", {"switch": "qm9700"}, "recable")]
    spine: Annotated[UpperTier | None, doc("The spines; none needed for one switch", {"switch": "qm9700"}, "recable")] = None
    core: Annotated[UpperTier | None, doc("The cores; as the spines unless given", {"switch": "qm9700"}, "recable")] = None
    tiers: Annotated[Count | None, doc("Switch tiers; planned unless given", 2, "recable", ge=1, le=3)] = None
    pod: Annotated[
        Count | None, doc("Units of a pod (three tiers); as many as a spine reaches unless given", 4, "recable", ge=1)
    ] = None
    reserve: Annotated[dict[Name, Reserve], doc("Host ports kept free, by purpose", {"ufm": 4}, "recable")] = Field(
        default_factory=dict
    )
    planes: Annotated[
        Count, doc("Copies of the whole fabric; two leaves per host port is not this", 1, "recable", ge=1, le=16)
    ] = 1
    prefix: Annotated[Name | None, doc("Put before every switch name of this fabric", "st", "recable")] = None


class SwitchGroup(Section):
    """Switches of an explicit topology."""

    names: Annotated[HostList, doc("Their names", "leaf-[01-02]", "recable")]
    switch: Annotated[Model, doc("Switch model", "qm9700", "recable")]
    role: Annotated[Literal["leaf", "spine", "core"], doc("Their tier", "leaf", "recable")]


class Explicit(Section):
    """Every cable written out."""

    kind: Annotated[Literal["explicit"], doc("The shape", "explicit", "recable")]
    switches: Annotated[
        tuple[SwitchGroup, ...],
        doc("The switches", [{"names": "leaf-[01-02]", "switch": "qm9700", "role": "leaf"}], "recable", min_length=1),
    ]
    cables: Annotated[tuple[str, ...], doc("One cable a line: the two ends", ["leaf-01:1 dgx-001/mlx5_0:1"], "recable")]


class Opaque(Section):
    """The provider's fabric: its links are unknown and none of our business."""

    kind: Annotated[Literal["opaque"], doc("The shape", "opaque", "reprovision")]


Ratio = Annotated[Number, Field(gt=0, le=1000)]
Topology = Annotated[FatTree | Explicit | Opaque, Field(discriminator="kind")]
