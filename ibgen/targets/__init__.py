"""What each program will be told, as typed values and no text.

Takes `ClusterSpec`, `Fabric`, `Catalog`. Gives `Targets`. Facts that several programs share (who may talk to whom, the
adapter list of a host, the units) are decided once, in `partitions`, `devices` and `units`, and read by all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.catalog import Catalog
from ibgen.diagnostics import Finding
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec

from .azure import AzurePool
from .azure_pools import decide as decide_azure
from .devices import HostClass, host_classes
from .nccl import NcclProfile
from .nccl import decide as decide_nccl
from .opensm import Manager
from .opensm import decide as decide_opensm
from .partitions import PartitionPlan, partition_plans
from .slurm import Scheduler
from .slurm import decide as decide_slurm
from .sriov_scripts import FunctionScript, function_scripts
from .tenants import tenants
from .ucx import UcxProfile
from .ucx import decide as decide_ucx
from .ufm import UfmFabric
from .ufm import decide as decide_ufm


@dataclass(frozen=True, slots=True)
class Targets:
    """Everything the emitters write down. Empty tuples and None where the spec does not ask for a target."""

    classes: tuple[HostClass, ...]
    partitions: tuple[PartitionPlan, ...]
    opensm: tuple[Manager, ...]
    ufm: tuple[UfmFabric, ...]
    functions: tuple[FunctionScript, ...]
    nccl: tuple[NcclProfile, ...]
    ucx: tuple[UcxProfile, ...]
    slurm: Scheduler | None
    azure: tuple[AzurePool, ...]


def decide(spec: ClusterSpec, fabric: Fabric, catalog: Catalog) -> tuple[Targets, tuple[Finding, ...]]:
    """Every target's values, and what could not be decided."""
    partitions, findings = partition_plans(spec, fabric)
    by_host, tenant_findings = tenants(spec, fabric, partitions)
    classes = host_classes(spec, fabric, by_host)
    opensm, opensm_findings = decide_opensm(spec, fabric, partitions, catalog)
    nccl, nccl_findings = decide_nccl(spec, fabric, classes, catalog)
    slurm, slurm_findings = decide_slurm(spec, fabric, catalog)
    azure, azure_findings = decide_azure(spec, fabric, catalog)
    ucx, ucx_findings = decide_ucx(spec, fabric, classes)
    ufm, ufm_findings = decide_ufm(spec, fabric, partitions, catalog)
    scripts = function_scripts(spec, fabric, classes)
    control = (*findings, *tenant_findings, *opensm_findings, *ufm_findings)
    every = (*control, *nccl_findings, *ucx_findings, *slurm_findings, *azure_findings)
    return Targets(classes, partitions, opensm, ufm, scripts, nccl, ucx, slurm, azure), every
