"""`control`: who runs a fabric's subnet manager, with which engines, options, keys and files."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from .fields import Count, Guid, HostList, Name, Prefix, Scalar, Section, Switchable, doc
from .form import Form

Engine = Literal[
    "minhop", "updn", "dnup", "ftree", "lash", "dor", "torus-2QoS", "dfsssp", "sssp", "nue", "file",
    "ar_updn", "ar_ftree", "ar_dor", "dfp", "dfp2", "auto",
]  # fmt: skip
"""Upstream's engines (OpenSM 3.3.23) and those of NVIDIA's manager; which of them a flavour knows is a rule's business.
`auto` is ibgen's own word: the engines that suit the shape and the manager."""

ManagerVersion = Annotated[str, Form(r"[0-9]{1,4}(\.[0-9]{1,9}){1,4}", "a release, numbers with dots between them")]
"""`3.3.23`, `5.24`: without the build that `opensm --version` prints behind it."""

OptionName = Annotated[str, Form(r"[a-z][a-z0-9_]*", "an option's name: small letters, digits and `_`, a letter first")]

KeyName = Literal["m_key", "sm_key", "sa_key", "cc_key", "key_mgr_seed"]


class Secret(Section):
    """Where a key is found when the manager is installed. Only the place is written down, never the key."""

    file: Annotated[
        Annotated[str, Form(r"/[A-Za-z0-9_./-]+", "an absolute path of letters, digits, `_`, `.`, `-` and `/`")] | None,
        doc("A file on the manager's host that holds the key as 0x and 1 to 16 digits", "/etc/opensm/keys/m_key", "sm-restart"),
    ] = None
    env: Annotated[
        Annotated[str, Form(r"[A-Za-z_][A-Za-z0-9_]{0,63}", "a variable's name: letters, digits, `_`, no digit first")] | None,
        doc("An environment variable of install.sh that holds it", "IBGEN_M_KEY", "sm-restart"),
    ] = None

    @model_validator(mode="after")
    def _one(self) -> Secret:
        if (self.file is None) == (self.env is None):
            raise ValueError("say where the key is found: `file` or `env`, one of them")
        return self


class HopWeight(Section):
    """Cables between two sets of switches count for more than one hop."""

    switches: Annotated[HostList, doc("Switches at one end", "leaf-[01-04]", "sm-restart")]
    to: Annotated[HostList, doc("Switches at the other end", "spine-02", "sm-restart")]
    weight: Annotated[Count, doc("Hops that one of these cables counts for, in both directions", 2, "sm-restart", ge=1, le=255)]


class PortOrder(Section):
    """The order in which the ports of some switches are tried."""

    switches: Annotated[HostList, doc("The switches", "leaf-[01-04]", "sm-restart")]
    ports: Annotated[
        tuple[Annotated[Count, Field(ge=1, le=254)], ...],
        doc("Their ports, first tried first; ports left out come after these", [33, 34], "sm-restart", min_length=1),
    ]


class PrefixRoute(Section):
    """Which router leads to a subnet."""

    prefix: Annotated[Prefix | None, doc("The other subnet's prefix; any unless given", "0xfec0000000000002", "sm-restart")] = (
        None
    )
    router: Annotated[Guid | None, doc("Port GUID of the router; any unless given", "0x0002c90300a1b2c3", "sm-restart")] = None


class ManagerFiles(Section):
    """Lists that the manager reads besides the ones it always gets. Nothing is written that is not asked for."""

    storage_reverse_hops: Annotated[
        Count | None,
        doc(
            "io-guids.conf with the storage ports, which ftree may reach over so many hops the wrong way",
            2,
            "sm-restart",
            ge=1,
            le=65535,
        ),
    ] = None
    switch_ids: Annotated[
        Switchable,
        doc("switch-ids.conf: updn decides ties by the switches' order in the spec, not by GUID", True, "sm-restart"),
    ] = False
    routing_order: Annotated[
        Switchable,
        doc("routing-order.conf: ports are routed in the order of the spec's hosts, not by GUID", True, "sm-restart"),
    ] = False
    stable_lids: Annotated[
        Switchable,
        doc("guid2lid: LIDs by place in the fabric, for managers that start with an empty cache", True, "sm-restart"),
    ] = False
    hop_weights: Annotated[
        tuple[HopWeight, ...],
        doc("Cables that count for more than one hop", [{"switches": "leaf-01", "to": "spine-02", "weight": 2}], "sm-restart"),
    ] = ()
    port_order: Annotated[
        tuple[PortOrder, ...],
        doc("Ports in the order they are tried", [{"switches": "leaf-01", "ports": [33, 34]}], "sm-restart"),
    ] = ()
    prefix_routes: Annotated[
        tuple[PrefixRoute, ...], doc("Routers to other subnets", [{"router": "0x0002c90300a1b2c3"}], "sm-restart")
    ] = ()
    logging: Annotated[
        dict[
            Annotated[str, Form(r"osm_[a-z0-9_]+\.c", "a source file of OpenSM: `osm_`, small letters, digits, `_`, and `.c`")],
            Annotated[Count, Field(le=255)],
        ],
        doc("Log flags of single modules, by their source file", {"osm_ucast_mgr.c": "0x07"}, "sm-restart"),
    ] = Field(default_factory=dict)


class Control(Section):
    """Who runs the subnet manager, and how."""

    kind: Annotated[Literal["opensm", "ufm", "provider"], doc("Who runs the fabric", "opensm", "sm-restart")]
    flavour: Annotated[
        Literal["upstream", "nvidia"], doc("linux-rdma's OpenSM, or the one of DOCA and UFM", "nvidia", "sm-restart")
    ] = "upstream"
    version: Annotated[ManagerVersion | None, doc("Its version", "5.24", "sm-restart")] = None
    hosts: Annotated[tuple[Name, ...], doc("Where it runs, master first", ["ufm-01", "ufm-02"], "sm-restart")] = ()
    routing: Annotated[
        tuple[Engine, ...],
        doc("Routing engines, in the order they are tried; `auto` or nothing: what suits the shape", ["ar_updn"], "sm-restart"),
    ] = ()
    subnet_prefix: Annotated[Prefix, doc("The subnet's prefix; every fabric its own", "0xfec0000000000001", "sm-restart")] = (
        0xFE80000000000000
    )
    options: Annotated[
        dict[OptionName, Scalar],
        doc("Further options of the manager, by their own names", {"sweep_interval": "30"}, "sm-restart"),
    ] = Field(default_factory=dict)
    secrets: Annotated[
        dict[KeyName, Secret],
        doc(
            "Keys of the manager, by where they are found on its host",
            {"m_key": {"file": "/etc/opensm/keys/m_key"}},
            "sm-restart",
        ),
    ] = Field(default_factory=dict)
    files: Annotated[ManagerFiles, doc("Further lists for the manager", {"switch_ids": True}, "sm-restart")] = Field(
        default_factory=ManagerFiles
    )
