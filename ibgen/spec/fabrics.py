"""`fabrics`: one entry per network, with who controls it, its shape, what hangs on it, and how it is divided."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fields import (
    Count,
    Device,
    Guid,
    HostList,
    Membership,
    Name,
    PartitionName,
    PKey,
    Prefix,
    Rate,
    Section,
    Switchable,
    Text,
    doc,
)
from .pools import Role
from .qos import Qos
from .topology import Topology

Engine = Literal[
    "minhop", "updn", "dnup", "ftree", "lash", "dor", "torus-2QoS", "dfsssp", "sssp", "nue", "file",
    "ar_updn", "ar_ftree", "ar_dor", "dfp", "dfp2", "auto",
]  # fmt: skip
"""Upstream's engines (OpenSM 3.3.23) and those of NVIDIA's manager; which of them a flavour knows is a rule's business."""


class Control(Section):
    """Who runs the subnet manager, and how."""

    kind: Annotated[Literal["opensm", "ufm", "provider"], doc("Who runs the fabric", "opensm", "sm-restart")]
    flavour: Annotated[
        Literal["upstream", "nvidia"], doc("linux-rdma's OpenSM, or the one of DOCA and UFM", "nvidia", "sm-restart")
    ] = "upstream"
    version: Annotated[Text | None, doc("Its version", "5.24", "sm-restart")] = None
    hosts: Annotated[tuple[Name, ...], doc("Where it runs, master first", ["ufm-01", "ufm-02"], "sm-restart")] = ()
    routing: Annotated[tuple[Engine, ...], doc("Routing engines, in the order they are tried", ["ar_updn"], "sm-restart")] = ()
    subnet_prefix: Annotated[Prefix, doc("The subnet's prefix; every fabric its own", "0xfec0000000000001", "sm-restart")] = (
        0xFE80000000000000
    )
    options: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], Text],
        doc("Further options of the manager, by their own names", {"sweep_interval": "30"}, "sm-restart"),
    ] = Field(default_factory=dict)


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
    rate: Annotated[Rate | None, doc("Rate of the group; the slowest member's unless given", "400G", "reload")] = None
    sl: Annotated[Count, doc("Service level", 0, "reload", le=15)] = 0


class Member(Section):
    """Some members of a partition."""

    pool: Annotated[Name | None, doc("A pool", "gpu", "reload")] = None
    hosts: Annotated[HostList | None, doc("Some of its hosts", "dgx-[001-064]", "reload")] = None
    hcas: Annotated[Role | Literal["all"] | tuple[Device, ...], doc("Which adapters", "all", "reload")] = "all"
    guid: Annotated[Guid | None, doc("A port GUID that is no host of the spec", "0x0002c90300a1b2c3", "reload")] = None
    vfs: Annotated[Text | None, doc("Virtual functions, a range", "0-3", "reload")] = None
    membership: Annotated[Membership, doc("full, limited, or both", "full", "reload")]


class Partition(Section):
    """Ports that may talk to each other."""

    name: Annotated[PartitionName, doc("The partition's name", "tenant-a", "reload")]
    pkey: Annotated[PKey, doc("Its P_Key, membership bit ignored", "0x0101", "host-env")]
    ipoib: Annotated[Ipoib | None, doc("IPoIB on this partition", {"mtu": 4096}, "reload")] = None
    members: Annotated[
        tuple[Member, ...], doc("Who belongs to it", [{"pool": "gpu", "membership": "full"}], "reload", min_length=1)
    ]
    indx0: Annotated[Switchable, doc("Put it at index 0 of the P_Key tables", False, "host-env")] = False


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
