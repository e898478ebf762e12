"""What Slurm is told: its version, the topology plugin, the tree or the blocks, the nodes, the GPUs, the partitions.

Takes `ClusterSpec`, `Fabric`, `Catalog`. Gives a `Scheduler` (None where the spec has no `slurm`) and findings; `expect`
says, from the same values and never from emitted text, what a real slurmctld must understand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ibgen.catalog import Catalog
from ibgen.catalog.slurm import SlurmTable, table
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.hostlist import fold
from ibgen.spec import ClusterSpec, Slurm

from .slurm_findings import BLOCK_WITHOUT_DOMAIN, MIXED_TOPOLOGY, PLUGIN_VERSION, SWITCH_NAME, TOO_MANY_NODES, TOO_MANY_SWITCHES
from .slurm_nodes import GpuLine, JobPartition, NodeGroup, gpu_lines, job_partitions, node_groups, numa_sockets
from .slurm_tree import Block, TopologySwitch, block_sizes, blocks, leaf_of, scheduled_units, tree
from .units import Unit

MAX_SWITCH_NAME = 63
"""Characters. 25.11: fatal `must be shorter than 64 chars` (measured)."""

BLOCK_SIZES_SINCE = "24.05"
"""First version with BlockSizes in topology.conf (man page); before, the base is the first block and levels are its own."""

DRAGONFLY = "Dragonfly"
"""Of TopologyParam. With it --switches=2 does not keep a larger job together (measured, 22.05 and 25.11)."""

SHORT_BLOCKS_SINCE = "25.05"
"""First version that takes a base larger than a block (release notes; measured on 25.11)."""

Shape = Literal["tree", "block", "flat"]


@dataclass(frozen=True, slots=True)
class Scheduler:
    """Everything Slurm's files say. `plugin` is without `topology/`. `flat` shape: no topology file is written."""

    version: str
    shape: Shape
    plugin: str
    params: tuple[str, ...]
    switches: tuple[TopologySwitch, ...]
    blocks: tuple[Block, ...]
    block_sizes: tuple[int, ...]
    nodes: tuple[NodeGroup, ...]
    gpus: tuple[GpuLine, ...]
    partitions: tuple[JobPartition, ...]
    numa_sockets: bool


def decide(spec: ClusterSpec, fabric: Fabric, catalog: Catalog) -> tuple[Scheduler | None, tuple[Finding, ...]]:
    """The scheduler's values. Findings: IBG641 to IBG652."""
    slurm = spec.slurm
    if slurm is None:
        return None, ()
    words = table(catalog)
    scheduled, findings = scheduled_units(spec, slurm, fabric)
    shape, found = _shape(spec, slurm, words)
    findings += found
    nodes, found = node_groups(spec, slurm, fabric, leaf_of(scheduled))
    findings += found
    partitions, found = job_partitions(spec, slurm, nodes)
    findings += found
    if not nodes:  # an empty cluster at first boot: no topology.conf, for an empty one is fatal (measured, 25.11)
        shape = "flat"
    switches = tree(scheduled, fabric) if shape == "tree" else ()
    domains = blocks(spec, scheduled, fabric) if shape == "block" else ()
    sizes: tuple[int, ...] = ()
    if shape == "block" and _reaches(slurm.version, BLOCK_SIZES_SINCE):
        domain = min(pool.domain or 1 for pool in spec.pools if pool.schedulable)
        sizes = block_sizes(domains, domain, _reaches(slurm.version, SHORT_BLOCKS_SINCE))
    scheduler = Scheduler(
        version=slurm.version,
        shape=shape,
        plugin=words.flat_plugin(slurm.version) if shape == "flat" else shape,
        params=_params(slurm, shape, words, scheduled),
        switches=switches,
        blocks=domains,
        block_sizes=sizes,
        nodes=nodes,
        gpus=gpu_lines(spec, fabric, catalog),
        partitions=partitions,
        numa_sockets=numa_sockets(spec, fabric),
    )
    return scheduler, (*findings, *_names(scheduler, words), *_sizes(scheduler, words))


def _shape(spec: ClusterSpec, slurm: Slurm, words: SlurmTable) -> tuple[Shape, tuple[Finding, ...]]:
    """`auto`: blocks where each schedulable pool has NVLink domains and the version knows blocks, a tree otherwise."""
    if slurm.topology == "none":
        return "flat", ()
    pools = [(p, pool) for p, pool in enumerate(spec.pools) if pool.schedulable]
    plain = [(p, pool) for p, pool in pools if pool.domain is None]
    known = "block" in words.plugins(slurm.version)
    if slurm.topology == "block":
        findings = [
            BLOCK_WITHOUT_DOMAIN.finding(
                f"pool `{pool.name}` has no `domain`, so its hosts would be in no block",
                ("pools", p, "name"),
                hint="give the pool its `domain`, or use `topology: tree`",
            )
            for p, pool in plain
        ]
        if not known:
            since = words.introduced("block")
            findings.append(
                PLUGIN_VERSION.finding(
                    f"topology/block needs Slurm {since} or later, the spec declares {slurm.version}",
                    ("slurm", "topology"),
                    hint=f"raise `slurm.version` to {since}, or use `topology: tree`",
                )
            )
        return "block", tuple(findings)
    if slurm.topology == "auto" and known and pools and not plain:
        return "block", ()
    if slurm.topology == "auto" and known and len(plain) < len(pools):
        names = ", ".join(f"`{pool.name}`" for _, pool in plain)
        message = f"pools without `domain` ({names}) stand beside pools with one: a tree is written for all"
        hint = "write `topology: tree` if that is meant"
        return "tree", (MIXED_TOPOLOGY.finding(message, ("slurm",), on="key", hint=hint),)
    return "tree", ()


def _params(slurm: Slurm, shape: Shape, words: SlurmTable, scheduled: Iterable[Unit]) -> tuple[str, ...]:
    """Words the version has, for those it does not know are ignored in silence: rank order that follows the fabric, and
    the placement of dragonflies (a small job in one group, a large one over all) where every unit is a group of one."""
    rank = {"tree": "SwitchAsNodeRank", "block": "BlockAsNodeRank", "flat": ""}[shape]
    grouped = [unit.grouped for unit in scheduled if unit.fabric >= 0]
    wanted = [rank] * slurm.rank_order + [DRAGONFLY] * (shape == "tree" and any(grouped) and all(grouped))
    return tuple(word for word in wanted if word in words.topology_params(slurm.version))


def _reaches(version: str, since: str) -> bool:
    return tuple(map(int, version.split(".")[:2])) >= tuple(map(int, since.split(".")))


def _names(scheduler: Scheduler, words: SlurmTable) -> Iterable[Finding]:
    """Names that Slurm rewrites or refuses, and two things with one name."""
    digits = words.limit("trailing_digits")
    seen: dict[str, str] = {}
    for name in (*(s.name for s in scheduler.switches), *(b.name for b in scheduler.blocks)):
        tail = len(name) - len(name.rstrip("0123456789"))
        fault = ""
        if len(name) > MAX_SWITCH_NAME:
            fault = f"`{name}` has {len(name)} characters, Slurm allows {MAX_SWITCH_NAME}"
        elif tail > digits:
            fault = f"`{name}` ends in {tail} digits, Slurm reads at most {digits}"
        elif name.casefold() in seen:
            fault = f"two switches of Slurm's topology would be called `{seen[name.casefold()]}` and `{name}`"
        if fault:
            hint = "shorten or change the fabric's name, its `prefix`, the pool's or the cloud entry's name"
            yield SWITCH_NAME.finding(fault, ("slurm",), on="key", hint=hint)
        seen.setdefault(name.casefold(), name)


def _sizes(scheduler: Scheduler, words: SlurmTable) -> Iterable[Finding]:
    nodes, most = sum(len(group.hosts) for group in scheduler.nodes), words.limit("nodes")
    if nodes > most:
        hint = "split the cluster, or mark pools `schedulable: false`"
        yield TOO_MANY_NODES.finding(f"{nodes} nodes, Slurm holds {most}", ("slurm",), on="key", hint=hint)
    switches, slow, refused = len(scheduler.switches), words.limit("switches_slow"), words.limit("switches_refused")
    if switches > slow:
        yield TOO_MANY_SWITCHES.finding(
            f"{switches} switches in Slurm's tree: slurmctld freezes for many seconds at each start and reconfigure",
            ("slurm",),
            on="key",
            hint="make `unit` larger, or use `topology: none`",
            facts={"switches": switches, "slow from": slow, "refused from": refused},
            severity=Severity.ERROR if switches > refused else None,
        )


def expect(scheduler: Scheduler) -> dict[str, Any]:
    """What slurmctld must understand and where it must place jobs, as plain JSON values.

    `switches`: name -> {nodes} or {switches}. `unavailable`: planned and down hosts. `placements`: sbatch options, how many
    nodes, over at most how many leaves (`spread`: over at least how many); or `refused` for jobs that would straddle two roots.
    """
    away = [h for group in scheduler.nodes if group.state in ("FUTURE", "DOWN") for h in group.hosts]
    return {
        "version": scheduler.version,
        "plugin": scheduler.plugin,
        "params": list(scheduler.params),
        "nodes": fold(h for group in scheduler.nodes for h in group.hosts),
        "unavailable": fold(away),
        "switches": {
            s.name: {"switches": list(s.children)} if s.children else {"nodes": fold(s.hosts)} for s in scheduler.switches
        },
        "blocks": {b.name: fold(b.hosts) for b in scheduler.blocks},
        "block_sizes": list(scheduler.block_sizes),
        "partitions": {p.name: fold(p.hosts) for p in scheduler.partitions},
        "placements": list(_placements(scheduler, set(away))),
    }


def _placements(scheduler: Scheduler, away: set[str]) -> Iterable[dict[str, Any]]:
    """Per partition: the largest job of one unit, the largest of two units side by side, one that would straddle two roots. In
    a dragonfly the second is a job larger than any group, which goes over all of them: 20 nodes over four groups of 16 are
    five in each (measured, 22.05 and 25.11)."""
    tree = bool(scheduler.switches)
    leaves = {s.name: s.hosts for s in scheduler.switches if s.hosts} or {b.name: b.hosts for b in scheduler.blocks}
    parent = {child: s.name for s in scheduler.switches for child in s.children}
    for partition in scheduler.partitions:
        allowed = set(partition.hosts) - away
        beside: dict[str, list[int]] = {}
        below: dict[str, int] = {}
        for name, hosts in leaves.items():
            size = len(allowed.intersection(hosts))
            beside.setdefault(parent.get(name, name), []).append(size)
            below[_top(name, parent)] = below.get(_top(name, parent), 0) + size
        pairs = [sorted(sizes)[-2:] for sizes in beside.values()]
        one = max((sizes[-1] for sizes in pairs), default=0)
        two = max((sum(sizes) for sizes in pairs if len(sizes) > 1 and sizes[0]), default=0)
        if one:
            yield _job(partition.name, one, 1, tree)
        if two and tree and DRAGONFLY not in scheduler.params:
            yield _job(partition.name, two, 2, tree)
        groups = [size for sizes in beside.values() for size in sizes if size]
        if DRAGONFLY in scheduler.params and len(below) == 1 and 1 < len(groups) <= one + 1:
            yield _job(partition.name, one + 1, len(groups), False) | {"spread": len(groups)}
        if tree and sum(size > 0 for size in below.values()) > 1:
            yield {"options": f"-p {partition.name} -N{len(allowed)}", "nodes": len(allowed), "refused": True}


def _job(partition: str, nodes: int, leaves: int, tree: bool) -> dict[str, Any]:
    options = f"-p {partition} -N{nodes}" + f" --switches={leaves}" * tree
    return {"options": options, "nodes": nodes, "leaves": leaves, "refused": False}


def _top(name: str, parent: Mapping[str, str]) -> str:
    """The root above a switch."""
    while name in parent:
        name = parent[name]
    return name
