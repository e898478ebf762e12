"""`pools`: hosts that are alike."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from .fields import BY_SHAPE, MAPPING, SCALAR, Count, Device, HostList, Model, Name, Rate, Section, Switchable, doc

Role = Literal["compute", "storage", "management"]
HostState = Literal["active", "planned", "down"]


def _lanes(width: int) -> int:
    if width not in LANES:
        raise ValueError(f"a PCIe slot has {', '.join(map(str, LANES))} lanes")
    return width


LANES = (1, 2, 4, 8, 16, 32)
"""PCI Express Base Specification, Link Width: x12 was dropped with 6.0 and never built into adapters."""

Width = Annotated[Count, AfterValidator(_lanes)]


class InlineHca(Section):
    """One adapter of a platform that the catalog does not hold."""

    name: Annotated[Device, doc("Device name on the host", "mlx5_0", "host-env")]
    model: Annotated[Model, doc("Adapter model, for the reports", "cx7", "none")] = "unknown"
    rate: Annotated[Rate, doc("Data rate of one port", "400G", "recable", gt=0)]
    ports: Annotated[Count, doc("Ports of the adapter", 1, "recable", ge=1, le=8)] = 1
    role: Annotated[Role, doc("What the adapter is for; only compute adapters reach NCCL", "compute", "host-env")] = "compute"
    pcie: Annotated[Count, doc("PCIe generation of its slot", 5, "replace-host", ge=3, le=7)] = 5
    width: Annotated[Width, doc("PCIe lanes of its slot", 16, "replace-host")] = 16
    gpu: Annotated[Count | None, doc("The GPU that sits nearest to it", 0, "host-env")] = None
    numa: Annotated[Count | None, doc("Its NUMA node", 0, "host-env")] = None


class InlinePlatform(Section):
    """A host type written into the spec itself."""

    kind: Annotated[Literal["generic"], doc("Marks an inline definition", "generic", "replace-host")]
    gpu: Annotated[Model | None, doc("GPU model of the catalog", "H100-SXM", "replace-host")] = None
    gpus: Annotated[Count, doc("GPUs per host", 8, "replace-host", le=64)] = 0
    sockets: Annotated[Count, doc("CPU sockets", 2, "slurm-restart", ge=1, le=16)] = 2
    numa_nodes: Annotated[
        Count | None, doc("NUMA nodes; as many as sockets unless given (NPS and SNC make more)", 8, "none", ge=1, le=256)
    ] = None
    cores: Annotated[Count, doc("CPU cores of the host", 64, "slurm-restart", ge=1, le=4096)] = 32
    threads: Annotated[Count, doc("Hardware threads of a core", 2, "slurm-restart", ge=1, le=8)] = 1
    memory_mb: Annotated[Count, doc("Installed memory in MB", 512000, "slurm-restart", ge=1)] = 65536
    hcas: Annotated[tuple[InlineHca, ...], doc("The adapters", [{"name": "mlx5_0", "rate": "400G"}], "recable", min_length=1)]


PlatformRef = Annotated[Annotated[Model, SCALAR] | Annotated[InlinePlatform, MAPPING], BY_SHAPE]


class Sriov(Section):
    """Virtual functions of every compute adapter."""

    vfs: Annotated[Count, doc("Virtual functions per adapter", 8, "host-env", ge=1, le=127)]


class HostException(Section):
    """How some hosts of a pool differ from the rest."""

    hosts: Annotated[HostList, doc("Which hosts", "dgx-017", "none")]
    state: Annotated[HostState | None, doc("`planned`: cabled later; `down`: out of service", "planned", "none")] = None
    hcas: Annotated[dict[Device, Literal["down"]], doc("Adapters out of service", {"mlx5_3": "down"}, "host-env")] = Field(
        default_factory=dict
    )


class Pool(Section):
    """Hosts that are alike: one platform, one numbering, one set of roles."""

    name: Annotated[Name, doc("The pool's name", "gpu", "reprovision")]
    hosts: Annotated[HostList, doc("The hosts; the place in the written range is the host's slot", "dgx-[001-127]", "recable")]
    platform: Annotated[PlatformRef, doc("Catalog model, or an inline definition", "dgx-h100", "replace-host")]
    units: Annotated[
        tuple[Annotated[Count, Field(ge=1)], ...], doc("The scalable units its slots fill, in order", [1, 2], "recable")
    ] = ()
    slots: Annotated[dict[Name, Annotated[Count, Field(ge=1)]], doc("Hosts pinned to a slot", {"dgx-005a": 5}, "recable")] = (
        Field(default_factory=dict)
    )
    domain: Annotated[Count | None, doc("Hosts of one NVLink domain", 18, "slurm-reconfigure", ge=2, le=1024)] = None
    formerly: Annotated[Name | None, doc("The pool's name before a rename", "gb", "none")] = None
    sriov: Annotated[Sriov | None, doc("Virtual functions", {"vfs": 8}, "host-env")] = None
    exceptions: Annotated[
        tuple[HostException, ...], doc("Hosts that differ", [{"hosts": "dgx-017", "hcas": {"mlx5_3": "down"}}], "host-env")
    ] = ()
    schedulable: Annotated[Switchable, doc("Whether Slurm runs jobs here", True, "slurm-reconfigure")] = True
