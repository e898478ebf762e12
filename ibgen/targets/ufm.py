"""What UFM is told: options for its manager, partitions for its interface. It runs its own OpenSM and rewrites its opensm.conf.

Takes `ClusterSpec`, `Fabric`, the partition plans, the catalog. Gives one `UfmFabric` per subnet whose `control.kind` is ufm.
UFM has not been run by us: what rests on its documents alone is marked in the files and is a finding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.catalog import Catalog
from ibgen.diagnostics import Finding, Severity, declare
from ibgen.fabric import ACTIVE, Bools, Fabric, GroupPlan, Subnet
from ibgen.spec import ClusterSpec, Control

from .opensm_lines import Option
from .opensm_options import DEFAULT_PREFIX, given_options
from .opensm_partitions import ManagedPartition, managed_partitions
from .opensm_routing import LANED, choose, managed
from .partitions import DEFAULT_PKEY, FULL, PartitionPlan
from .sriov import needs_virtualisation

UFM_UNVERIFIED = declare(
    "IBG370",
    "ufm-unverified",
    Severity.WARNING,
    """What is written for UFM follows its documents and was not tried on one.

    The tree holds options for its manager, a script that sets partitions through its REST interface, and a point-to-point
    sheet. Try them on one partition first, and silence this with a reason: `# ibgen: ignore[IBG370] tried on 6.19`.
    The default partition is not the interface's to change: where the spec makes members limited there, set it in UFM.

    Bad:
        fabrics: [{name: compute, control: {kind: ufm}}]
    Good:
        fabrics: [{name: compute, control: {kind: opensm}}]
    """,
)

_GROUP = "From the spec"


@dataclass(frozen=True)
class UfmFabric:
    """One subnet under UFM. `listed`: ports whose GUIDs may stand in a file."""

    subnet: int  # row of `fabric.subnets`
    name: str
    options: tuple[Option, ...]
    partitions: tuple[ManagedPartition, ...]  # without the default one
    limited: bool  # the spec makes members limited in the default partition
    listed: Bools
    unbound: bool  # some of the GUIDs are made up

    @property
    def folder(self) -> str:
        return f"ufm/{self.name}"


def decide(
    spec: ClusterSpec, fabric: Fabric, plans: tuple[PartitionPlan, ...], catalog: Catalog
) -> tuple[tuple[UfmFabric, ...], tuple[Finding, ...]]:
    """One per InfiniBand subnet under UFM, in the order of the subnets."""
    by_name = {plan.subnet: plan for plan in plans}
    made, findings = [], []
    for row, subnet in enumerate(fabric.subnets):
        declared = spec.fabrics[subnet.fabric]
        if declared.kind != "infiniband" or declared.control.kind != "ufm":
            continue
        control = managed(declared.control)
        assert control is not None
        given, found = given_options(control, subnet.fabric, catalog)
        options = {o.name: o for o in (*_derived(control, subnet, needs_virtualisation(spec, fabric, subnet)), *given)}
        plan = by_name[subnet.name]
        listed = subnet.ports.bound | (subnet.ports.state == ACTIVE)
        partitions = managed_partitions(plan, subnet, declared.model_copy(update={"control": control}), listed)
        kept = tuple(p for p in partitions if p.pkey != DEFAULT_PKEY)
        default = plan.partitions[0]
        made.append(
            UfmFabric(
                row, subnet.name, tuple(options.values()), kept, default.everyone != FULL, listed, _unbound(subnet, listed)
            )
        )
        findings += found
        if subnet.plane == 1:
            findings.append(_unverified(subnet))
    return tuple(made), tuple(findings)


def _derived(control: Control, subnet: Subnet, virtual: bool) -> list[Option]:
    """The prefix counts up from one plane (or rail) to the next, as under OpenSM. An engine is named where the spec names one,
    and where groups are joined in cycles: UFM's own choice is ar_updn, which is for trees (MLNXSM release notes 5.10)."""
    options = []
    prefix = control.subnet_prefix + subnet.plane - 1
    if prefix != DEFAULT_PREFIX:
        why = "a prefix of its own, so that hosts can tell their subnets apart"
        options.append(Option(_GROUP, "subnet_prefix", f"0x{prefix:016x}", why))
    chosen = choose(control, subnet)
    if control.routing and "auto" not in control.routing:
        options.append(Option(_GROUP, "routing_engine", ",".join(chosen.engines), "in the order they are tried"))
    elif isinstance(subnet.layout, GroupPlan) and subnet.layout.cyclic:
        options.append(Option(_GROUP, "routing_engine", ",".join(chosen.engines), f"chosen: {chosen.reason}"))
        laned = [e for e in chosen.engines if e in LANED]
        options += [Option(_GROUP, "qos", "TRUE", f"{laned[0]} keeps free of deadlocks by lanes")] if laned else []
    if virtual:
        options.append(Option(_GROUP, "virt_enabled", "2", "ports of virtual functions stay down without it"))
    return options


def _unbound(subnet: Subnet, listed: Bools) -> bool:
    return bool(np.any(listed & ~subnet.ports.bound))


def _unverified(subnet: Subnet) -> Finding:
    return UFM_UNVERIFIED.finding(
        f"the files for UFM on `{subnet.name}` were not tried on one",
        ("fabrics", subnet.fabric, "control", "kind"),
        hint="try them on one partition, then silence this with a reason",
    )
