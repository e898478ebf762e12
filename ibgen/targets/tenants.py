"""Which partition the jobs of each host use: decided once, read by NCCL, UCX and the classes of hosts.

Takes `ClusterSpec`, `Fabric`, the partition plans. Gives a `Tenant` per host that is not to use the default partition, and
findings. NCCL and UCX have one key for all adapters of a process, so a host's fabrics must agree on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ibgen.diagnostics import Finding, Path
from ibgen.fabric import Bools, Fabric, Subnet
from ibgen.spec import ClusterSpec

from .partitions import DEFAULT_PKEY, FULL, PartitionPlan
from .tenant_findings import JOB_PARTITION_OF_SOME, JOB_PARTITION_UNCLEAR, JOB_PARTITIONS_DIFFER, JOBS_WITHOUT_PARTITION

_NONE, _UNCLEAR, _ABSENT = -1, -2, -3


@dataclass(frozen=True, slots=True, order=True)
class Tenant:
    """The partition that the jobs of a host use; its compute ports are full members of it."""

    name: str
    pkey: int  # low 15 bits
    first: bool  # `indx0` puts it at index 0 of every table


def tenants(
    spec: ClusterSpec, fabric: Fabric, plans: tuple[PartitionPlan, ...]
) -> tuple[Mapping[int, Tenant], tuple[Finding, ...]]:
    """Row of a host -> its tenant. Hosts that are full members of the default partition and told nothing else are left out."""
    by_name = {s.name: s for s in fabric.subnets}
    choices, findings = [], []
    for plan in plans:
        subnet = by_name[plan.subnet]
        choice, found = _choose(spec, fabric, subnet, plan)
        choices.append(_as_tenants(spec, fabric, subnet, plan, choice))
        if subnet.plane == 1:  # planes are copies: said once
            findings += found
    agreed: dict[int, Tenant | None] = {}
    apart: dict[int, set[str]] = {}
    for host, tenant in (pair for chosen in choices for pair in chosen.items()):
        other = agreed.setdefault(host, tenant)
        if (other.pkey if other else 0) != (tenant.pkey if tenant else 0):
            names = {t.name if t else "the default partition" for t in (other, tenant)}
            apart.setdefault(host, set()).update(names)
        elif other and tenant and not tenant.first:
            agreed[host] = replace(other, first=False)
    if spec.nccl is not None or spec.ucx is not None:
        findings += _differ(spec, fabric, apart)
    return {h: t for h, t in agreed.items() if t is not None and h not in apart}, tuple(findings)


def _choose(
    spec: ClusterSpec, fabric: Fabric, subnet: Subnet, plan: PartitionPlan
) -> tuple[npt.NDArray[np.int64], list[Finding]]:
    """Per host the place of its partition in the plan, or why there is none."""
    count = len(fabric.hosts.names)
    declared = spec.fabrics[subnet.fabric]
    total = np.bincount(subnet.ports.host[subnet.ports.compute], minlength=count)
    here = total > 0
    choice = np.full(count, _NONE, dtype=np.int64)
    default = np.zeros(count, dtype=bool)
    asked = np.full(count, _NONE, dtype=np.int64)
    findings: list[Finding] = []
    for place, partition in enumerate(plan.partitions):
        rows = partition.rows[(partition.membership >= FULL) & subnet.ports.compute[partition.rows]]
        members = np.bincount(subnet.ports.host[rows], minlength=count)
        whole = here & (members == total)
        if partition.index >= 0 and declared.partitions[partition.index].jobs:
            some = (members > 0) & ~whole
            findings += _some(fabric, ("fabrics", subnet.fabric, "partitions", partition.index, "jobs"), partition.name, some)
            asked = np.where(whole, np.where(asked == _NONE, place, _UNCLEAR), asked)
        if partition.pkey == DEFAULT_PKEY:
            default = whole
        else:
            choice = np.where(whole, np.where(choice == _NONE, place, _UNCLEAR), choice)
    choice = np.where(default, 0, choice)
    choice = np.where(asked != _NONE, asked, choice)
    findings += _without(spec, fabric, subnet, here & (choice == _NONE))
    findings += _unclear(fabric, subnet, here & (choice == _UNCLEAR))
    return np.where(here, choice, _ABSENT), findings


def _as_tenants(
    spec: ClusterSpec, fabric: Fabric, subnet: Subnet, plan: PartitionPlan, choice: npt.NDArray[np.int64]
) -> dict[int, Tenant | None]:
    """Hosts with compute ports on the subnet and a partition for their jobs; None is the default partition."""
    first = _first(spec, subnet, plan, len(fabric.hosts.names))
    found: dict[int, Tenant | None] = {}
    for host in np.flatnonzero(choice >= 0).tolist():
        place = int(choice[host])
        partition = plan.partitions[place]
        default = partition.pkey == DEFAULT_PKEY
        found[host] = None if default else Tenant(partition.name, partition.pkey, bool(first[place, host]))
    return found


def _first(spec: ClusterSpec, subnet: Subnet, plan: PartitionPlan, count: int) -> Bools:
    """[partition, host] whether the partition is at index 0 of the host's tables: it alone of the host's says `indx0`."""
    said = np.zeros((len(plan.partitions), count), dtype=bool)
    for place, partition in enumerate(plan.partitions):
        if partition.index >= 0 and spec.fabrics[subnet.fabric].partitions[partition.index].indx0:
            said[place, subnet.ports.host[partition.rows]] = True
    alone: Bools = said & (said.sum(axis=0) == 1)
    return alone


def _without(spec: ClusterSpec, fabric: Fabric, subnet: Subnet, hosts: Bools) -> Iterator[Finding]:
    declared = spec.fabrics[subnet.fabric]
    for pool in np.unique(fabric.hosts.pool[hosts]).tolist():
        name = spec.pools[pool].name
        inside = any(m.vfs is not None and m.pool == name for p in declared.partitions for m in p.members)
        if not spec.pools[pool].schedulable or inside:  # jobs that run in virtual machines use the functions' keys
            continue
        rows = np.flatnonzero(hosts & (fabric.hosts.pool == pool))
        yield JOBS_WITHOUT_PARTITION.finding(
            f"{_some_hosts(fabric, rows)} of `{name}` {_are(rows)} limited in the default partition of `{declared.name}` "
            "and full in no other",
            ("fabrics", subnet.fabric, "partitions"),
            on="key",
            hint="make them full members of a partition of their own",
            facts={"hosts": len(rows)},
        )


def _unclear(fabric: Fabric, subnet: Subnet, hosts: Bools) -> Iterator[Finding]:
    if hosts.any():
        rows = np.flatnonzero(hosts)
        yield JOB_PARTITION_UNCLEAR.finding(
            f"{_some_hosts(fabric, rows)} {_are(rows)} full in several partitions of `{subnet.name}`: which is for jobs?",
            ("fabrics", subnet.fabric, "partitions"),
            on="key",
            hint="write `jobs: true` at the one that jobs use",
            facts={"hosts": len(rows)},
        )


def _some(fabric: Fabric, at: Path, name: str, hosts: Bools) -> Iterator[Finding]:
    if hosts.any():
        rows = np.flatnonzero(hosts)
        yield JOB_PARTITION_OF_SOME.finding(
            f"not every compute port of {_some_hosts(fabric, rows)} is a full member of `{name}`",
            at,
            hint="make all of a host's compute ports full members",
            facts={"hosts": len(rows)},
        )


def _differ(spec: ClusterSpec, fabric: Fabric, apart: Mapping[int, set[str]]) -> Iterator[Finding]:
    groups: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    for host, names in sorted(apart.items()):
        groups.setdefault((int(fabric.hosts.pool[host]), tuple(sorted(names))), []).append(host)
    for (pool, keys), rows in groups.items():
        yield JOB_PARTITIONS_DIFFER.finding(
            f"jobs on {_some_hosts(fabric, np.array(rows))} would need {' and '.join(keys)}: one process has one key",
            ("pools", pool, "name"),
            hint="give a tenant the same P_Key on every fabric its hosts compute on",
            facts={"hosts": len(rows)},
        )


def _some_hosts(fabric: Fabric, rows: npt.NDArray[np.intp]) -> str:
    first = f"`{fabric.hosts.names[int(rows[0])]}`"
    return first if len(rows) == 1 else f"{first} and {len(rows) - 1} more hosts"


def _are(rows: npt.NDArray[np.intp]) -> str:
    return "is" if len(rows) == 1 else "are"
