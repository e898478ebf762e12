"""The whole spec."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .cloud import Cloud
from .fabrics import FabricSpec
from .fields import Count, FileName, Name, Section, doc
from .nccl import Nccl
from .pools import Pool
from .slurm import Slurm
from .ucx import Ucx
from .workloads import Requirements, Workload


class ClusterSpec(Section):
    """One GPU cluster: hosts, fabrics, scheduler, rented pools, workloads, and what it is judged by."""

    ibgen: Annotated[Count, doc("Language version", 1, "none", ge=1, le=1)]
    cluster: Annotated[Name, doc("The cluster's name", "pod-a", "slurm-restart")]
    pools: Annotated[
        tuple[Pool, ...],
        doc(
            "Hosts that are alike", [{"name": "gpu", "hosts": "dgx-[001-004]", "platform": "dgx-h100"}], "recable", min_length=1
        ),
    ]
    fabrics: Annotated[
        tuple[FabricSpec, ...],
        doc("Networks", [{"name": "azure-ib", "control": {"kind": "provider"}, "topology": {"kind": "opaque"}}], "recable"),
    ] = ()
    slurm: Annotated[Slurm | None, doc("The scheduler", {"version": "24.11"}, "slurm-restart")] = None
    nccl: Annotated[Nccl | None, doc("The communication library", {"version": "2.27"}, "host-env")] = None
    ucx: Annotated[Ucx | None, doc("UCX, and MPI over it", {"version": "1.16"}, "host-env")] = None
    cloud: Annotated[tuple[Cloud, ...], doc("Rented pools", [], "reprovision")] = ()
    workloads: Annotated[tuple[Workload, ...], doc("What it trains", [{"name": "gpt", "parameters": "175e9"}], "none")] = ()
    requirements: Annotated[Requirements, doc("What the simulation is judged by", {"pcie_match": 0.8}, "none")] = (
        Requirements.model_construct()  # unlike a call, waits with building its validator until the spec's own is built
    )
    bindings: Annotated[FileName | None, doc("GUIDs bound to names, as CSV", "pod-a.guids.csv", "reload")] = None
    site: Annotated[FileName | None, doc("Racks and positions", "pod-a.site.yaml", "none")] = None
    catalog: Annotated[tuple[FileName, ...], doc("Own catalog files", ["our-hardware.yaml"], "recable")] = Field(default=())
