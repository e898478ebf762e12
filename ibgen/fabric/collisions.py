"""Two pools that meet on one slot of a fabric, and what would part them.

Takes places of hosts. Gives one finding per pair of pools. Whatever is advised for one field of a pool is the same on every
fabric the pool is attached to.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ibgen.diagnostics import Finding, Label
from ibgen.hostlist import expand
from ibgen.spec import ClusterSpec

from .attachments import Attachment
from .columns import Ints
from .findings import SLOT_TWICE
from .inventory import Inventory
from .shape import Shape


def collisions(
    spec: ClusterSpec, fabric: int, entries: Sequence[Attachment], places: Ints, inventory: Inventory, shape: Shape
) -> list[Finding]:
    """One finding per pair of pools that meet on a slot. `places`: slot from 0 per host row [H], -1 for none."""
    rows = np.flatnonzero(places >= 0)
    order = rows[np.argsort(places[rows], kind="stable")]
    same = np.flatnonzero(places[order][1:] == places[order][:-1])
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    pool = inventory.hosts.pool
    for i in same.tolist():
        one, other = sorted((int(order[i]), int(order[i + 1])))
        if pool[one] != pool[other]:  # within a pool it is said already
            pairs.setdefault((int(pool[one]), int(pool[other])), []).append((one, other))
    findings = []
    top = int(places.max(initial=0)) // shape.unit + 1
    for (p, q), hosts in sorted(pairs.items()):
        here, there = (inventory.hosts.names[row] for row in hosts[0])
        unit, place = divmod(int(places[hosts[0][0]]), shape.unit)
        more = f" (and {len(hosts) - 1} more pairs)" if len(hosts) > 1 else ""
        message = (
            f"{here} of pool `{spec.pools[p].name}` and {there} of pool `{spec.pools[q].name}` both take slot {place + 1} "
            f"of unit {unit + 1} on fabric `{spec.fabrics[fabric].name}`{more}"
        )
        service = next((x for x in (q, p) if _serves(spec, x, p + q - x, inventory)), None)
        hint = _apart(spec, q, top, inventory) if service is None else _reserved(spec, fabric, service, entries, inventory)
        labels = [Label(("pools", p, "hosts"), f"{here} stands here")]
        findings.append(SLOT_TWICE.finding(message, ("pools", q, "hosts"), labels=labels, hint=hint))
    return findings


def _serves(spec: ClusterSpec, pool: int, other: int, inventory: Inventory) -> bool:
    """Whether a pool serves the other's hosts: it runs no jobs, holds a manager, or has no GPUs where the other has."""
    platforms = inventory.hosts.platforms
    if not spec.pools[pool].schedulable or (not platforms[pool].gpus and platforms[other].gpus):
        return True
    managers = {name for f in spec.fabrics for name in f.control.hosts}
    return bool(managers & set(expand(spec.pools[pool].hosts)))


def _reserved(spec: ClusterSpec, fabric: int, pool: int, entries: Sequence[Attachment], inventory: Inventory) -> str:
    """Ports beside the slots, as many as the pool attaches here."""
    name, topology = spec.pools[pool].name, spec.fabrics[fabric].topology
    lanes = [len({lane for plane in e.lanes for _, _, lane in plane}) for e in entries if e.pool == pool and not e.reserved]
    ports = int(inventory.hosts.slot[inventory.rows[pool]].max(initial=0)) * sum(lanes)
    known = getattr(topology, "reserve", {})
    if name in known:
        return f"`reserve` keeps ports for `{name}`: attach the pool with `at: reserved`"
    kept = f"`reserve: {{{name}: {ports}}}` in the topology"
    return f"keep ports beside the slots for pool `{name}` ({kept}), and attach it with `at: reserved`"


def _apart(spec: ClusterSpec, pool: int, top: int, inventory: Inventory) -> str:
    """Slots of the pool's own. Units differ from fabric to fabric, slots do not."""
    name = spec.pools[pool].name
    if sum(any(a.pool == name and a.at == "slots" for a in f.attach) for f in spec.fabrics) == 1:
        return f"give pool `{name}` units of its own (`units: [{top + 1}]`), or pin its hosts with `slots:`"
    free = int(inventory.hosts.slot.max(initial=0)) + 1
    first = inventory.hosts.names[inventory.rows[pool].start]
    pins = f"`slots: {{{first}: {free}}}`"
    return f"pin the hosts of pool `{name}` to slots that are free on all its fabrics, from {free} on: {pins}"
