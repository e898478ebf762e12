"""Who may talk to whom, per subnet: one plan that the manager, the environments and the proof all read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.diagnostics import Finding, Path, Severity, declare
from ibgen.fabric import Fabric, Subnet
from ibgen.hostlist import expand, fold
from ibgen.spec import ClusterSpec, Member, Partition

from .sriov import VirtualFunctions, numbers, virtual_functions
from .tenant_findings import VF_RANGE

DEFAULT_PKEY = 0x7FFF
"""The default partition; every port is in it (InfiniBand Architecture Specification, volume 1, 10.9.2)."""

LIMITED, FULL, BOTH = 0, 1, 2
"""Memberships, ordered: where two members of one partition name a port, the higher one counts. BOTH holds both keys."""

LEVELS = {"limited": LIMITED, "full": FULL, "both": BOTH}

Reached = dict[tuple[int, int], set[str]]
"""(partition, member) -> names of the hosts it reaches, over all subnets of a fabric."""

MEMBER_WITHOUT_PORTS = declare(
    "IBG341",
    "partition-member-without-ports",
    Severity.ERROR,
    """A member of a partition names hosts that have no port on the fabric, or that are not of the pool it names.

    `pool`, `hosts` and `hcas` narrow each other. The partition would be written without these hosts, and OpenSM would say
    nothing: they could not talk to their tenant. Attach the pool to the fabric, or take them out.

    Bad:
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100}]
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, members: [{pool: spare, membership: full}]}
    Good:
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
    """,
)


@dataclass(frozen=True, slots=True)
class PartitionMembers:
    """One partition of one subnet. `rows` are rows of the subnet's Ports in ascending order, `membership` LIMITED, FULL or
    BOTH for each; `others` are port GUIDs that are no row of Ports: those written in the spec, and virtual functions'."""

    name: str
    pkey: int  # low 15 bits
    index: int  # place in `spec.fabrics[i].partitions`; -1 for the default that the spec leaves out
    rows: npt.NDArray[np.int32]
    membership: npt.NDArray[np.int8]
    others: tuple[tuple[int, int], ...] = ()
    everyone: int | None = None  # where every port of the subnet has that membership
    functions: int = 0  # how many of `others` are virtual functions
    carriers: npt.NDArray[np.int32] | None = None  # rows of the ports that carry them


@dataclass(frozen=True, slots=True)
class PartitionPlan:
    """The partitions of one subnet, the default first, then by P_Key."""

    subnet: str
    partitions: tuple[PartitionMembers, ...]


def partition_plans(spec: ClusterSpec, fabric: Fabric) -> tuple[tuple[PartitionPlan, ...], tuple[Finding, ...]]:
    """One plan per InfiniBand subnet."""
    plans, findings = [], []
    reached: dict[int, Reached] = {}
    for subnet in fabric.subnets:
        declared = spec.fabrics[subnet.fabric]
        if declared.kind != "infiniband":
            continue
        rows: list[PartitionMembers] = []
        functions = virtual_functions(spec, fabric, subnet)
        named = reached.setdefault(subnet.fabric, {})
        for index, partition in enumerate(declared.partitions):
            members, found = _members(spec, fabric, subnet, functions, index, partition, named)
            rows.append(members)
            findings.extend(found)
        if all(p.pkey != DEFAULT_PKEY for p in rows):
            rows.append(_everyone(subnet))
        rows.sort(key=lambda p: (p.pkey != DEFAULT_PKEY, p.pkey))
        plans.append(PartitionPlan(subnet.name, tuple(rows)))
    for number, named in reached.items():
        findings.extend(_left_out(spec, fabric, number, named))
    return tuple(plans), tuple(findings)


def _left_out(spec: ClusterSpec, fabric: Fabric, number: int, named: Reached) -> Iterator[Finding]:
    """Members that reach no port, or not of every host they name, on any subnet of the fabric (one per plane or rail)."""
    declared = spec.fabrics[number]
    for (index, m), hosts in sorted(named.items()):
        member = declared.partitions[index].members[m]
        written = expand(member.hosts) if member.hosts is not None else []
        missing = [name for name in written if name not in hosts and name in fabric.hosts.row]
        if missing or (not hosts and not written):  # a name that no host has is somebody else's finding
            who = fold(missing) if missing else member.pool
            whose = f" of `{member.pool}`" if missing and member.pool else ""
            which = "no port" if member.hcas == "all" else "no such port"
            yield MEMBER_WITHOUT_PORTS.finding(
                f"{which} of {who}{whose} is attached to `{declared.name}`",
                ("fabrics", number, "partitions", index, "members", m),
                hint=f"attach the pool to `{declared.name}`, or take them out of the member",
            )


def _everyone(subnet: Subnet) -> PartitionMembers:
    """The default partition where the spec leaves it out: every port full, as a fabric without partitions works."""
    count = len(subnet.ports.host)
    rows: npt.NDArray[np.int32] = np.arange(count, dtype=np.int32)
    return PartitionMembers("Default", DEFAULT_PKEY, -1, rows, np.full(count, FULL, dtype=np.int8), (), FULL)


def _members(
    spec: ClusterSpec,
    fabric: Fabric,
    subnet: Subnet,
    functions: VirtualFunctions,
    index: int,
    partition: Partition,
    named: Reached,
) -> tuple[PartitionMembers, list[Finding]]:
    count = len(subnet.ports.host)
    chosen = np.full(count, -1, dtype=np.int8)
    others: dict[int, int] = {}
    own: dict[int, int] = {}
    carriers: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
    findings: list[Finding] = []
    for m, member in enumerate(partition.members):
        level = LEVELS[member.membership]
        at = ("fabrics", subnet.fabric, "partitions", index, "members", m)
        if member.guid is not None:
            others[member.guid] = max(others.get(member.guid, LIMITED), level)
            continue
        meant = member_rows(spec, fabric, subnet, member)
        hosts = np.unique(subnet.ports.host[meant])[: None if member.hosts else 1].tolist()  # of a pool one will do
        named.setdefault((index, m), set()).update(fabric.hosts.names[h] for h in hosts)
        if member.vfs is not None:
            keep, found = _functions(spec, functions, member, meant, at)
            own |= {guid: max(own.get(guid, LIMITED), level) for guid in functions.port_guid[keep].tolist()}
            carriers = np.union1d(carriers, functions.port[keep]).astype(np.int32)
            findings += found
            continue
        # "full" wins where two members of one partition overlap: the order of lines must not matter
        chosen[meant] = np.maximum(chosen[meant], level)
    rows: npt.NDArray[np.int32] = np.flatnonzero(chosen >= 0).astype(np.int32)
    levels: npt.NDArray[np.int8] = chosen[rows]
    everyone = int(levels[0]) if len(rows) == count and count and (levels == levels[0]).all() else None
    name = "Default" if partition.pkey == DEFAULT_PKEY else partition.name
    more = tuple({**own, **others}.items())
    return PartitionMembers(name, partition.pkey, index, rows, levels, more, everyone, len(own), carriers), findings


def _functions(
    spec: ClusterSpec, functions: VirtualFunctions, member: Member, rows: npt.NDArray[np.intp], at: Path
) -> tuple[npt.NDArray[np.intp], list[Finding]]:
    """Rows of the virtual functions that a member means."""
    at, none = (*at, "vfs"), np.zeros(0, dtype=np.intp)
    try:
        wanted = numbers(member.vfs or "")
    except ValueError as e:
        return none, [VF_RANGE.finding(str(e), at, hint="write numbers and ranges: 0-3,6")]
    pool = next((p for p in spec.pools if p.name == member.pool), None)
    if pool is None or pool.sriov is None:
        hint = "name the pool, and give it `sriov: {vfs: ...}`"
        return none, [VF_RANGE.finding("the member's pool has no virtual functions", at, label="which?", hint=hint)]
    if wanted[-1] >= pool.sriov.vfs:
        hint = f"an adapter of `{pool.name}` has functions 0 to {pool.sriov.vfs - 1}"
        return none, [VF_RANGE.finding(f"there is no virtual function {wanted[-1]}", at, hint=hint)]
    return np.flatnonzero(np.isin(functions.port, rows) & np.isin(functions.number, np.array(wanted))), []


def member_rows(spec: ClusterSpec, fabric: Fabric, subnet: Subnet, member: Member) -> npt.NDArray[np.intp]:
    """Rows of the subnet's Ports that a member means: pool, hosts and adapters narrow each other."""
    ports, hosts = subnet.ports, fabric.hosts
    keep = np.ones(len(ports.host), dtype=bool)
    if member.pool is not None:
        pool = next((i for i, p in enumerate(spec.pools) if p.name == member.pool), -1)  # a name nothing bears has no ports
        keep &= hosts.pool[ports.host] == pool
    if member.hosts is not None:
        wanted = [hosts.row[name] for name in expand(member.hosts) if name in hosts.row]
        keep &= np.isin(ports.host, np.array(wanted, dtype=np.int32))
    if member.hcas != "all":
        keep &= _adapters(fabric, subnet, member.hcas)
    return np.flatnonzero(keep)


def _adapters(fabric: Fabric, subnet: Subnet, asked: str | tuple[str, ...]) -> npt.NDArray[np.bool_]:
    ports = subnet.ports
    keep = np.zeros(len(ports.host), dtype=bool)
    pools = fabric.hosts.pool[ports.host]
    for pool, platform in enumerate(fabric.hosts.platforms):
        for i, hca in enumerate(platform.hcas):
            if (hca.name in asked) if isinstance(asked, tuple) else hca.role == asked:
                keep |= (pools == pool) & (ports.hca == i)
    return keep
