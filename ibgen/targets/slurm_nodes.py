"""The nodes Slurm runs jobs on: processors, memory, GPUs, features, state, and the partitions over them.

Takes `ClusterSpec`, `Fabric`, the units and the catalog. Gives `NodeGroup`, `GpuLine`, `JobPartition` values and findings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ibgen.catalog import Catalog, Cpu, Platform
from ibgen.diagnostics import Finding
from ibgen.fabric import Fabric
from ibgen.fabric.columns import DOWN, PLANNED
from ibgen.hostlist import expand
from ibgen.spec import ClusterSpec, Slurm

from .slurm_findings import CPUS_UNKNOWN, FEATURE_WORD, PARTITION_EMPTY, SEVERAL_DEFAULTS

WHOLE_PARTITION = "all"
"""The partition over everything, where the spec names none."""


@dataclass(frozen=True, slots=True)
class Sockets:
    """A host's processors as Slurm counts them. `sockets` are NUMA nodes where those are smaller (NPS4, SNC)."""

    sockets: int
    cores: int  # of one socket
    threads: int  # of one core


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Hosts that one NodeName line describes. `state`: UNKNOWN, CLOUD, FUTURE (cabled later) or DOWN (out of service)."""

    hosts: tuple[str, ...]
    pool: int
    features: tuple[str, ...]
    state: str
    sockets: Sockets | None
    cpus: int | None  # hardware threads, where sockets and cores are not known
    memory_mb: int | None
    gpu: str | None
    gpus: int


@dataclass(frozen=True, slots=True)
class GpuLine:
    """GPUs of one gres.conf line. `cores` are Slurm's abstract core numbers, whole sockets, never hardware threads."""

    hosts: tuple[str, ...]
    gpu: str
    first: int
    last: int
    cores: tuple[int, int] | None
    device: str  # path of GPU 0's device file without its number
    offset: int  # number of GPU 0's device file


@dataclass(frozen=True, slots=True)
class JobPartition:
    """One PartitionName line."""

    name: str
    hosts: tuple[str, ...]
    default: bool
    exclusive: bool
    max_time: str | None


def node_groups(
    spec: ClusterSpec, slurm: Slurm, fabric: Fabric, unit_of: Mapping[int, str]
) -> tuple[tuple[NodeGroup, ...], tuple[Finding, ...]]:
    """One group per pool, unit and state, in that order. `unit_of`: host row -> name of its leaf in Slurm's topology."""
    groups: list[NodeGroup] = []
    findings = list(_strange_features(slurm))
    numa = numa_sockets(spec, fabric)
    rented = {cloud.pool for cloud in spec.cloud}
    for p, pool in enumerate(spec.pools):
        if not pool.schedulable:
            continue
        platform = fabric.hosts.platforms[p]
        sockets, cpus = processors(platform.cpu, numa)
        memory = platform.cpu.memory_mb and platform.cpu.memory_mb * (100 - slurm.reserve_memory) // 100
        if (sockets is None and cpus is None) or memory is None:
            findings.append(_unknown_size(p, platform, cpus is None and sockets is None, memory is None))
        by_place: dict[tuple[str, str], list[str]] = {}
        for row in np.flatnonzero(fabric.hosts.pool == p).tolist():
            state = _state(int(fabric.hosts.state[row]), pool.name in rented)
            by_place.setdefault((unit_of.get(row, ""), state), []).append(fabric.hosts.names[row])
        gpu = gpu_type(platform) if platform.gpus else None
        for (unit, state), hosts in by_place.items():
            features = tuple(dict.fromkeys(w for w in (pool.name, unit, *slurm.features) if w))
            groups.append(NodeGroup(tuple(hosts), p, features, state, sockets, cpus, memory, gpu, platform.gpus))
    return tuple(groups), tuple(findings)


def _state(state: int, rented: bool) -> str:
    """FUTURE keeps a planned host's place: it joins without a restart, and no other line moves when it does."""
    if state == PLANNED:
        return "FUTURE"
    if rented:
        return "CLOUD"
    return "DOWN" if state == DOWN else "UNKNOWN"


def numa_sockets(spec: ClusterSpec, fabric: Fabric) -> bool:
    """Whether slurmd must count NUMA nodes as sockets: gres `Cores` cover whole sockets only (slurm-operator issue 205)."""
    return any(
        pool.schedulable
        and platform.gpus
        and (platform.cpu.numa_nodes or 0) > (platform.cpu.sockets or 1)
        and platform.cpu.numa
        for pool, platform in zip(spec.pools, fabric.hosts.platforms, strict=True)
    )


def processors(cpu: Cpu, numa: bool) -> tuple[Sockets | None, int | None]:
    """Sockets, cores and threads; or only the number of hardware threads; or neither, as far as the catalog knows."""
    if cpu.sockets and cpu.cores_per_socket and cpu.threads_per_core:
        cores = cpu.sockets * cpu.cores_per_socket
        split = cpu.numa_nodes if numa and cpu.numa_nodes and cores % cpu.numa_nodes == 0 else cpu.sockets
        return Sockets(split, cores // split, cpu.threads_per_core), None
    return None, cpu.logical


def gpu_type(platform: Platform) -> str:
    """The gres type: what comes before the first dash of the model, in small letters, a part of the driver's own name
    (`H100-SXM` -> `h100`, in `NVIDIA H100 80GB HBM3`); slurmd compares them case-blind."""
    return (platform.gpu or "gpu").partition("-")[0].lower()


def gpu_lines(spec: ClusterSpec, fabric: Fabric, catalog: Catalog) -> tuple[GpuLine, ...]:
    """gres.conf: explicit device files (AutoDetect is not allowed for cloud nodes), with cores where the catalog pairs them."""
    lines: list[GpuLine] = []
    numa = numa_sockets(spec, fabric)
    for p, pool in enumerate(spec.pools):
        platform = fabric.hosts.platforms[p]
        if not pool.schedulable or not platform.gpus:
            continue
        hosts = tuple(fabric.hosts.names[row] for row in np.flatnonzero(fabric.hosts.pool == p).tolist())
        model = catalog.gpu(platform.gpu or "")
        nvidia = model is None or model.xgmi_gbs_bidir is None
        device = "/dev/nvidia" if nvidia else "/dev/dri/renderD"
        offset = 0 if nvidia else 128  # DRM render nodes begin at minor 128 (Linux, Documentation/gpu/drm-uapi)
        for first, last, cores in _runs(platform, numa):
            lines.append(GpuLine(hosts, gpu_type(platform), first, last, cores, device, offset))
    return tuple(lines)


def _runs(platform: Platform, numa: bool) -> list[tuple[int, int, tuple[int, int] | None]]:
    """Stretches of neighbouring GPUs with the same cores."""
    sockets, _ = processors(platform.cpu, numa)
    cores = [_cores_of(platform, gpu, sockets) for gpu in range(platform.gpus)]
    runs: list[tuple[int, int, tuple[int, int] | None]] = []
    for gpu, near in enumerate(cores):
        if runs and runs[-1][2] == near:
            runs[-1] = (runs[-1][0], gpu, near)
        else:
            runs.append((gpu, gpu, near))
    return runs


def _cores_of(platform: Platform, gpu: int, sockets: Sockets | None) -> tuple[int, int] | None:
    """First and last core next to a GPU; None unless they are whole sockets, for slurmd drains the node otherwise."""
    home = platform.gpu_numa[gpu] if gpu < len(platform.gpu_numa) else None
    for node in platform.cpu.numa:
        if gpu not in node.gpus and node.id != home:
            continue
        found = re.fullmatch(r"(\d+)-(\d+)", node.cores)
        if found is None or sockets is None:
            return None
        first, last = int(found[1]), int(found[2])
        whole = first % sockets.cores == 0 and (last + 1) % sockets.cores == 0 and last < sockets.sockets * sockets.cores
        return (first, last) if whole else None
    return None


def job_partitions(
    spec: ClusterSpec, slurm: Slurm, nodes: tuple[NodeGroup, ...]
) -> tuple[tuple[JobPartition, ...], tuple[Finding, ...]]:
    """The partitions of the spec; one over every node where it names none."""
    pool_of = {host: spec.pools[group.pool].name for group in nodes for host in group.hosts}
    if not slurm.partitions:
        whole = JobPartition(WHOLE_PARTITION, tuple(pool_of), True, True, None)
        return ((whole,) if pool_of else ()), ()
    known = {host for pool in spec.pools for host in expand(pool.hosts)}
    findings: list[Finding] = []
    rows: list[JobPartition] = []
    marked = [n for n, partition in enumerate(slurm.partitions) if partition.default]
    for n in marked[1:]:
        findings.append(
            SEVERAL_DEFAULTS.finding(
                f"`{slurm.partitions[marked[0]].name}` and `{slurm.partitions[n].name}` are both the default partition",
                ("slurm", "partitions", n, "default"),
                hint="mark one partition as the default",
            )
        )
    for n, partition in enumerate(slurm.partitions):
        asked = expand(partition.hosts) if partition.hosts is not None else list(pool_of)
        pools = partition.pools
        hosts = tuple(dict.fromkeys(h for h in asked if h in pool_of and (not pools or pool_of[h] in pools)))
        # hosts that the spec does not have are a finding of its references; here only those that no job may use
        strangers = [h for h in asked if h in known and h not in pool_of] if partition.hosts is not None else []
        if strangers or (not hosts and known.issuperset(asked)):
            findings.append(_no_nodes(n, partition.name, strangers))
        default = partition.default or len(slurm.partitions) == 1
        rows.append(JobPartition(partition.name, hosts, default, partition.exclusive, partition.max_time))
    return tuple(rows), tuple(findings)


def _no_nodes(n: int, name: str, strangers: list[str]) -> Finding:
    if strangers:
        shown = ", ".join(strangers[:3]) + (f" and {len(strangers) - 3} more" if len(strangers) > 3 else "")
        message, key = f"partition `{name}` names hosts that are not schedulable: {shown}", "hosts"
    else:
        message, key = f"partition `{name}` holds no schedulable host", "name"
    hint = "take them out, or set `schedulable: true` on their pool"
    return PARTITION_EMPTY.finding(message, ("slurm", "partitions", n, key), hint=hint)


def _unknown_size(p: int, platform: Platform, cpus: bool, memory: bool) -> Finding:
    what = " and ".join(word for word, missing in (("processors", cpus), ("memory", memory)) if missing)
    return CPUS_UNKNOWN.finding(
        f"the catalog does not know the {what} of `{platform.id}`",
        ("pools", p, "platform"),
        hint="put the line that `slurmd -C` prints on such a host into a catalog file of your own",
    )


def _strange_features(slurm: Slurm) -> list[Finding]:
    return [
        FEATURE_WORD.finding(
            f"`{word}` is not one word", ("slurm", "features", n), hint="use letters, digits, `_`, `-`, `.`, `:`"
        )
        for n, word in enumerate(slurm.features)
        if not re.fullmatch(r"[A-Za-z0-9_.:-]+", word)
    ]
