"""`qos`, `congestion`, `adaptive`: how a fabric treats its kinds of traffic. Compiled into the manager's options and files."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from .fields import Count, FileName, Name, PartitionName, Rate, Section, Switchable, doc
from .form import Form

Use = Literal["nccl", "ucx", "storage", "ipoib", "management", "default"]
"""Kinds of traffic that a program here can be told a service level for. `management` is the manager's own."""


def _service_ids(text: str) -> str:
    ends = [int(part.strip(), 16) for part in text.split("-") if part.strip().lower().startswith("0x")]
    if len(ends) != len(text.split("-")) or len(ends) > 2 or ends != sorted(ends) or ends[-1] >= 2**64:
        raise ValueError("a service id is 0x and up to 16 hexadecimal digits; a range has a `-` between two of them")
    return "-".join(f"0x{end:016x}" for end in ends)


ServiceIds = Annotated[str, AfterValidator(_service_ids)]
"""`0x1000000000000001`, or a range with `-`."""


class TrafficClass(Section):
    """One kind of traffic and how it is treated."""

    name: Annotated[Name, doc("The class", "nccl", "reload")]
    use: Annotated[
        Use,
        doc("What traffic it carries; `default` is what no other class takes, and may stand more than once", "nccl", "reload"),
    ] = "default"
    sl: Annotated[Count, doc("Service level", 1, "host-env", le=15)]
    vl: Annotated[Count | None, doc("Virtual lane; the service level's number unless given", 1, "reload", le=14)] = None
    weight: Annotated[Count, doc("Share of its arbitration table, in turns of 64 bytes", 128, "reload", ge=1, le=255)] = 64
    priority: Annotated[
        Literal["high", "low"], doc("Arbitration table; `high` goes first, within `high_limit`", "high", "reload")
    ] = "low"
    rate_limit: Annotated[
        Rate | None, doc("Upper rate, for programs that ask the manager for paths; NCCL does not", "100G", "reload")
    ] = None
    pools: Annotated[
        tuple[Name, ...],
        doc("Traffic to and from the hosts of these pools, by their ports on this fabric", ["storage"], "reload"),
    ] = ()
    partitions: Annotated[tuple[PartitionName, ...], doc("Traffic on these partitions", ["tenant-a"], "reload")] = ()
    service_ids: Annotated[
        tuple[ServiceIds, ...],
        doc("Traffic to these services (SRP, iSER, ...)", ["0x1000000000000001-0x1000000000000005"], "reload"),
    ] = ()


class Qos(Section):
    """Traffic classes."""

    classes: Annotated[
        tuple[TrafficClass, ...], doc("The classes", [{"name": "nccl", "use": "nccl", "sl": 1}], "sm-restart", min_length=1)
    ]
    high_limit: Annotated[
        Count | None,
        doc(
            "Units of 4,096 bytes that the high table may send before the low one has a turn; 0, OpenSM's default, is one"
            " packet, 255 is no limit",
            4,
            "reload",
            le=255,
        ),
    ] = None


class Adaptive(Section):
    """Adaptive routing: switches choose among equal ports by their load."""

    uses: Annotated[
        tuple[Use, ...],
        doc("The traffic that takes it, by the classes under `qos`; all traffic unless given", ["nccl"], "reload"),
    ] = ()
    shield: Annotated[Switchable, doc("Fast link fault recovery (SHIELD) in the switches", True, "sm-restart")] = True
    asymmetric_flow: Annotated[
        Count | None, doc("`ar_tree_asymmetric_flow`: how trees with unequal uplinks are balanced", 1, "sm-restart", le=3)
    ] = None


class Congestion(Section):
    """Congestion control. NVIDIA's manager reads `algorithm` and what belongs to it, upstream's the rest (InfiniBand
    Architecture Specification, volume 1, annex A10, whose units these are)."""

    uses: Annotated[
        tuple[Use, ...],
        doc("The traffic it slows down (upstream), by the classes under `qos`; all traffic unless given", ["nccl"], "reload"),
    ] = ()
    algorithm: Annotated[
        FileName | None,
        doc("File of the algorithm profile in `algorithms`, as shipped with the manager", "rtt_algo", "sm-restart"),
    ] = None
    algorithms: Annotated[
        Annotated[str, Form(r"/[A-Za-z0-9_./-]+", "an absolute path of letters, digits, `_`, `.`, `-` and `/`")] | None,
        doc("Folder of the profiles on the manager's hosts (ppcc_algo_dir)", "/opt/ufm/ppcc_algo", "sm-restart"),
    ] = None
    parameters: Annotated[
        dict[Annotated[str, Form(r"[A-Z][A-Z0-9_]*", "capitals, digits and `_`, a letter first")], Count],
        doc("Parameters of the algorithm, by the names its profile defines", {"BW_G": "400"}, "sm-restart"),
    ] = Field(default_factory=dict)
    threshold: Annotated[Count | None, doc("How soon a switch marks packets: 0 never, 15 at once", 15, "reload", le=15)] = None
    packet_size: Annotated[Count | None, doc("Smaller packets are not marked, in units of 64 bytes", 8, "reload", le=255)] = (
        None
    )
    marking_rate: Annotated[Count | None, doc("Packets between two marks, on average", 10, "reload", le=65535)] = None
    increase: Annotated[Count | None, doc("Steps down the table for each mark that comes back", 1, "reload", ge=1, le=255)] = (
        None
    )
    timer: Annotated[
        Count | None, doc("Time after which one step is taken back, in units of 1.024 us", 150, "reload", le=65535)
    ] = None
    trigger: Annotated[Count | None, doc("Step from which an event is logged", 2, "reload", le=255)] = None
    table: Annotated[
        tuple[Annotated[str, Form(r"[0-3]:[0-9]{1,5}", "`shift:multiplier`, the shift 0 to 3")], ...],
        doc(
            "The table of injection delays, `shift:multiplier` each, the first without delay",
            ["0:0", "0:1"],
            "reload",
            max_length=128,
        ),
    ] = ()
