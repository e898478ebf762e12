"""`topology`: the shape of a fabric, one model per kind."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import Count, HostList, Model, Number, Section, doc
from .grouped import Dragonfly, DragonflyPlus, RailOnly
from .tiers import LeafTier, Planes, Reserves, SwitchPrefix, UpperTier


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
    reserve: Reserves = Field(default_factory=dict)
    planes: Planes = 1
    prefix: SwitchPrefix = None


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
Topology = Annotated[FatTree | Dragonfly | DragonflyPlus | RailOnly | Explicit | Opaque, Field(discriminator="kind")]
