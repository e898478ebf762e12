"""`slurm`: what the scheduler is told."""

from __future__ import annotations

from typing import Annotated, Literal

from .fields import Count, HostList, Name, Section, Switchable, Text, doc
from .form import Form

VersionText = Annotated[
    str, Form(r"[2-4][0-9]\.(02|05|08|11)(\.[0-9]{1,3})?", "a release of Slurm, year and month (02, 05, 08 or 11)")
]


class SlurmPartition(Section):
    """One scheduler partition."""

    name: Annotated[Name, doc("The partition's name", "train", "slurm-reconfigure")]
    pools: Annotated[tuple[Name, ...], doc("Its pools; all schedulable ones unless given", ["gpu"], "slurm-reconfigure")] = ()
    hosts: Annotated[HostList | None, doc("Only these hosts", "dgx-[001-064]", "slurm-reconfigure")] = None
    default: Annotated[Switchable, doc("Jobs without a partition go here", True, "slurm-reconfigure")] = False
    exclusive: Annotated[Switchable, doc("Whole nodes only", True, "slurm-reconfigure")] = True
    max_time: Annotated[
        Annotated[
            str,
            Form(
                r"([0-9]{1,5}-([01]?[0-9]|2[0-3])(:[0-5][0-9]){0,2}|[0-9]{1,7}(:[0-5][0-9]){0,2}|UNLIMITED)",
                "minutes, hours:minutes:seconds, days-hours:minutes:seconds or UNLIMITED",
            ),
        ]
        | None,
        doc("Longest job, in Slurm's form", "2-00:00:00", "slurm-reconfigure"),
    ] = None


class Slurm(Section):
    """The scheduler."""

    version: Annotated[VersionText, doc("Slurm version the files are for", "24.11", "slurm-restart")]
    topology: Annotated[
        Literal["auto", "tree", "block", "none"], doc("Topology plugin; `auto` follows the fabric", "auto", "slurm-restart")
    ] = "auto"
    fabric: Annotated[
        Name | None,
        doc("The fabric whose topology counts; the one with compute adapters unless given", "compute", "slurm-reconfigure"),
    ] = None
    rank_order: Annotated[Switchable, doc("Let the node order follow the fabric (SwitchAsNodeRank)", True, "slurm-restart")] = (
        True
    )
    reserve_memory: Annotated[
        Count, doc("Per cent of installed memory kept from RealMemory", 3, "slurm-reconfigure", le=50)
    ] = 3
    partitions: Annotated[
        tuple[SlurmPartition, ...],
        doc("Partitions; one over everything unless given", [{"name": "train"}], "slurm-reconfigure"),
    ] = ()
    features: Annotated[tuple[Text, ...], doc("Features every node carries", ["ib"], "slurm-reconfigure")] = ()
