"""`fabrics`: one entry per network, with who controls it, its shape, what hangs on it, and how it is divided."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .control import Control
from .fields import (
    Count,
    Device,
    Guid,
    HostList,
    LinkRate,
    Membership,
    Name,
    PartitionName,
    PKey,
    Scalar,
    Section,
    Switchable,
    doc,
)
from .pools import Role
from .qos import Adaptive, Congestion, Qos
from .topology import Topology


class Attach(Section):
    """Which adapters of a pool plug into the fabric."""

    pool: Annotated[Name, doc("The pool", "gpu", "recable")]
    hcas: Annotated[
        Role | Literal["all"] | tuple[Device, ...], doc("By role in the platform, `all`, or by name", "compute", "recable")
    ] = "compute"
    ports: Annotated[
        dict[Annotated[Count, Field(ge=1)], Name] | None, doc("Which port of a card on which plane", {1: "plane-a"}, "recable")
    ] = None
    at: Annotated[Literal["slots", "reserved"], doc("`reserved`: in the ports that `reserve` keeps", "reserved", "recable")] = (
        "slots"
    )
    reserved_for: Annotated[Name | None, doc("Which reservation, where there are several", "ufm", "recable")] = None


class Ipoib(Section):
    """The partition's IPoIB broadcast group."""

    mtu: Annotated[Count, doc("IB MTU in bytes; IPoIB's own is 4 less", 4096, "host-env")] = 2048
    rate: Annotated[LinkRate | None, doc("Rate of the group; the slowest member's unless given", "400G", "reload")] = None
    sl: Annotated[
        Count | None, doc("Service level; the one of the traffic class for IPoIB unless given", 0, "reload", le=15)
    ] = None


class MemberError(ValueError):
    """Keys of a member that do not go together; `hint` says what to write."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Member(Section):
    """Some members of a partition: hosts by pool or name, narrowed by adapters and virtual functions; or one foreign port."""

    pool: Annotated[Name | None, doc("A pool", "gpu", "reload")] = None
    hosts: Annotated[HostList | None, doc("Some of its hosts", "dgx-[001-064]", "reload")] = None
    hcas: Annotated[Role | Literal["all"] | tuple[Device, ...], doc("Which adapters", "all", "reload")] = "all"
    guid: Annotated[Guid | None, doc("A port GUID that is no host of the spec", "0x0002c90300a1b2c3", "reload")] = None
    vfs: Annotated[Scalar | None, doc("Virtual functions, a range", "0-3", "reload")] = None
    membership: Annotated[Membership, doc("full, limited, or both", "full", "reload")]

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if self.guid is None and self.pool is None and self.hosts is None:
            raise MemberError(
                "a member without `pool`, `hosts` or `guid` would be everyone", "name a pool, each its own member"
            )
        if self.guid is not None and (self.pool or self.hosts or self.vfs or self.hcas != "all"):
            raise MemberError("a `guid` is one port: what stands beside it would be ignored", "make it a member of its own")
        return self


class Partition(Section):
    """Ports that may talk to each other."""

    name: Annotated[PartitionName, doc("The partition's name", "tenant-a", "reload")]
    pkey: Annotated[PKey, doc("Its P_Key, membership bit ignored", "0x0101", "host-env")]
    ipoib: Annotated[Ipoib | None, doc("IPoIB on this partition", {"mtu": 4096}, "reload")] = None
    members: Annotated[
        tuple[Member, ...], doc("Who belongs to it", [{"pool": "gpu", "membership": "full"}], "reload", min_length=1)
    ]
    indx0: Annotated[Switchable, doc("Put it at index 0 of the P_Key tables", False, "host-env")] = False
    jobs: Annotated[Switchable, doc("Jobs of its full members use it; needed where it could be several", True, "host-env")] = (
        False
    )


class FabricSpec(Section):
    """One network."""

    name: Annotated[Name, doc("The fabric's name", "compute", "sm-restart")]
    kind: Annotated[Literal["infiniband", "roce", "efa"], doc("The transport", "infiniband", "reprovision")] = "infiniband"
    control: Annotated[Control, doc("Who runs it", {"kind": "opensm", "routing": ["ftree"]}, "sm-restart")]
    topology: Annotated[Topology, doc("Its shape", {"kind": "opaque"}, "recable")]
    attach: Annotated[tuple[Attach, ...], doc("What hangs on it", [{"pool": "gpu", "hcas": "compute"}], "recable")] = ()
    partitions: Annotated[
        tuple[Partition, ...],
        doc(
            "Who may talk to whom",
            [{"name": "default", "pkey": "0x7fff", "members": [{"pool": "gpu", "membership": "full"}]}],
            "reload",
        ),
    ] = ()
    qos: Annotated[Qos | None, doc("Traffic classes", {"classes": [{"name": "nccl", "sl": 1}]}, "sm-restart")] = None
    adaptive: Annotated[Adaptive | None, doc("Adaptive routing", {"uses": ["nccl"]}, "sm-restart")] = None
    congestion: Annotated[Congestion | None, doc("Congestion control", {"threshold": 15, "increase": 1}, "sm-restart")] = None
