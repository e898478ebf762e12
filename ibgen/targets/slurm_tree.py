"""Slurm's picture of the fabric: a tree of units, or blocks of NVLink domains.

A multi-rail fabric must not be written as it is cabled: with every rail leaf a Slurm leaf, each node stands under eight of
them and slurmctld refuses `-N32 --switches=1` (measured, 22.05 to 26.05). So Slurm's leaf is the unit, the next level the
pod where there are several, the top one switch per island. A level that constrains nothing is left out. In a dragonfly the
leaf is the group, under one top switch: what TopologyParam=Dragonfly counts in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ibgen.diagnostics import Finding
from ibgen.fabric import Fabric
from ibgen.hostlist import natural_key
from ibgen.spec import ClusterSpec, Slurm

from .slurm_findings import FABRIC_AMBIGUOUS, FABRIC_WITHOUT_COMPUTE
from .units import Unit, units

OFF_FABRIC = "off-fabric"
"""Leaf of the nodes that are on no compute fabric: a root of its own, so no job straddles; in no leaf they would never run."""

CORE_TIERS = 3
"""Switch tiers from which on the top is called core."""


@dataclass(frozen=True, slots=True)
class TopologySwitch:
    """One SwitchName line: hosts or children, never both, never neither."""

    name: str
    hosts: tuple[str, ...]
    children: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One BlockName line. The order of the lines is the physical adjacency. `unit` is where its hosts plug in."""

    name: str
    hosts: tuple[str, ...]
    unit: str


def scheduled_units(spec: ClusterSpec, slurm: Slurm, fabric: Fabric) -> tuple[tuple[Unit, ...], tuple[Finding, ...]]:
    """The units, with schedulable hosts only, each host in exactly one; those on no compute fabric in one of their own."""
    wanted = next((f for f, x in enumerate(spec.fabrics) if x.name == slurm.fabric), None)
    schedulable = np.isin(fabric.hosts.pool, [p for p, pool in enumerate(spec.pools) if pool.schedulable])
    free = set(np.flatnonzero(schedulable).tolist())
    every = units(spec, fabric)
    findings: list[Finding] = []
    fabrics_of: dict[int, set[int]] = {}
    for unit in every:
        for host in unit.hosts:
            fabrics_of.setdefault(host, set()).add(unit.fabric)
    torn = {int(fabric.hosts.pool[h]) for h, on in fabrics_of.items() if h in free and len(on) > 1 and wanted not in on}
    for p in sorted(torn):
        on = sorted({spec.fabrics[f].name for h, at in fabrics_of.items() if fabric.hosts.pool[h] == p for f in at})
        findings.append(_ambiguous(spec, p, on))
    if wanted is not None and not any(u.fabric == wanted and free & set(u.hosts) for u in every):
        findings.append(_without_compute(slurm))
    kept: list[Unit] = []
    for unit in sorted(every, key=lambda u: u.fabric != wanted):
        hosts = [h for h in unit.hosts if h in free]
        free.difference_update(hosts)
        if hosts:
            kept.append(_narrowed(unit, hosts))
    kept.sort(key=lambda u: (u.fabric, u.island, natural_key(u.pod), natural_key(u.name)))
    if free:
        kept.append(Unit(OFF_FABRIC, "", -1, 0, "", tuple(sorted(free)), 0))
    return tuple(kept), tuple(findings)


def _narrowed(unit: Unit, hosts: Iterable[int]) -> Unit:
    return replace(unit, hosts=tuple(hosts))


def tree(scheduled: Iterable[Unit], fabric: Fabric) -> tuple[TopologySwitch, ...]:
    """Leaves, then pods, then tops: slurmctld gives up on parent-first chains, and leaves first is what people read."""
    names = fabric.hosts.names
    islands: dict[tuple[int, int], list[Unit]] = {}
    for unit in scheduled:
        islands.setdefault((unit.fabric, unit.island), []).append(unit)
    leaves = [TopologySwitch(u.name, tuple(names[h] for h in u.hosts), ()) for group in islands.values() for u in group]
    pods: list[TopologySwitch] = []
    tops: list[TopologySwitch] = []
    several = {f for f, _ in islands if sum(other == f for other, _ in islands) > 1}
    for (f, _), group in islands.items():
        if len(group) == 1:
            continue
        by_pod: dict[str, list[str]] = {}
        for unit in group:
            by_pod.setdefault(unit.pod, []).append(unit.name)
        if len(by_pod) > 1:
            pods += [TopologySwitch(pod, (), tuple(children)) for pod, children in by_pod.items() if pod]
            children = (*(pod for pod in by_pod if pod), *by_pod.get("", ()))
        else:
            children = tuple(unit.name for unit in group)
        first = group[0]
        top = "dragonfly" if first.grouped else "core" if first.tiers >= CORE_TIERS else "spine"
        # islands of one fabric are told apart by their first unit, for there is no other name that stays
        suffix = f"-{first.name.removeprefix(first.prefix)}" if f in several else ""
        tops.append(TopologySwitch(f"{first.prefix}{top}{suffix}", (), children))
    return (*leaves, *pods, *tops)


def blocks(spec: ClusterSpec, scheduled: Iterable[Unit], fabric: Fabric) -> tuple[Block, ...]:
    """One block per NVLink domain, in the order of the units, so that neighbouring blocks are neighbours on the fabric.

    Domain d of a pool holds the slots (d-1) x domain + 1 to d x domain. Its name is `<pool>-d<d>`: the domain's own, so that
    adding a rack renames none. A domain that lies in two units stands where its first host does.
    """
    hosts = fabric.hosts
    members: dict[str, list[str]] = {}
    unit_of: dict[str, str] = {}
    for unit in scheduled:
        for row in unit.hosts:
            domain = spec.pools[int(hosts.pool[row])].domain
            if domain is None:
                continue
            name = f"{spec.pools[int(hosts.pool[row])].name}-d{(int(hosts.slot[row]) - 1) // domain + 1:02d}"
            members.setdefault(name, []).append(hosts.names[row])
            unit_of.setdefault(name, unit.name)
    return tuple(Block(name, tuple(names), unit_of[name]) for name, names in members.items())


def block_sizes(found: tuple[Block, ...], domain: int, short_allowed: bool) -> tuple[int, ...]:
    """Base and aggregate sizes: the base times powers of two, ascending, anything else is fatal (measured, 25.11).

    The base is the whole domain where the blocks have all their hosts, else the largest power of two that fits, which is
    what `--segment=16` on racks of 16 + 2 spares wants. It must fit the smallest block; with `short_allowed` (25.05) the
    middle one, so that one rack half delivered does not shrink the segments of all. A level is kept while each unit but the
    last has a whole number of such aggregates, so that none straddles two units.
    """
    if not found:
        return ()
    counts = sorted(len(b.hosts) for b in found)
    fit = counts[(len(counts) - 1) // 2] if short_allowed else counts[0]
    base = domain if fit >= domain else 1 << (fit.bit_length() - 1)
    per_unit = _lengths(b.unit for b in found)
    sizes = [base]
    step = 2
    while step <= len(found) and all(n % step == 0 for n in per_unit[:-1]):
        sizes.append(base * step)
        step *= 2
    return tuple(sizes)


def _lengths(words: Iterable[str]) -> list[int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return list(counts.values())


def leaf_of(scheduled: Iterable[Unit]) -> Mapping[int, str]:
    """Host row -> name of its leaf."""
    return {row: unit.name for unit in scheduled for row in unit.hosts}


def _ambiguous(spec: ClusterSpec, pool: int, fabrics: list[str]) -> Finding:
    return FABRIC_AMBIGUOUS.finding(
        f"hosts of `{spec.pools[pool].name}` have compute adapters on {' and '.join(f'`{n}`' for n in fabrics)}",
        ("slurm",),
        on="key",
        hint=f"say which one Slurm follows: `slurm: {{fabric: {fabrics[0]}}}`",
    )


def _without_compute(slurm: Slurm) -> Finding:
    return FABRIC_WITHOUT_COMPUTE.finding(
        f"no compute adapter of a schedulable host is attached to `{slurm.fabric}`",
        ("slurm", "fabric"),
        hint="name the fabric that carries compute traffic, or leave the key out",
    )
