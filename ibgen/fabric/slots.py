"""Where the hosts of a fat tree stand: pool slots to places in units, and service hosts to reserved ports.

Takes attachments, the inventory and the shape. Gives one place per host (slot from 0 over all units, -1 for none) and one
reserved port per endpoint of a service host.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

import numpy as np

from ibgen.diagnostics import Finding, Label, Path
from ibgen.spec import ClusterSpec

from .attachments import Attachment, Endpoints
from .collisions import collisions
from .columns import Ints
from .findings import RESERVE, RESERVE_FULL, SLOT_OUTSIDE
from .inventory import Inventory
from .placement import Placement
from .shape import Reserving, Shape
from .spelling import meant


def slot_pools(entries: Sequence[Attachment]) -> list[int]:
    """Pools that stand on slots, in the order of the spec."""
    return sorted({e.pool for e in entries if not e.reserved})


def reach(spec: ClusterSpec, pools: Sequence[int], inventory: Inventory) -> tuple[int, bool]:
    """The highest slot, and whether some pool asks for other units than the first."""
    highest = max((int(inventory.hosts.slot[inventory.rows[p]].max(initial=0)) for p in pools), default=0)
    return highest, any(spec.pools[p].units not in ((), (1,)) for p in pools)


def domain(spec: ClusterSpec, pools: Sequence[int], inventory: Inventory) -> int:
    """Hosts that a leaf must not cut apart: the pools' NVLink domains, as stated or as the platform has them."""
    sizes = [spec.pools[p].domain or inventory.hosts.platforms[p].nvlink_domain_hosts for p in pools]
    return lcm(*sizes) if sizes else 1


def host_places(
    spec: ClusterSpec, fabric: int, entries: Sequence[Attachment], inventory: Inventory, shape: Shape
) -> tuple[Ints, tuple[Finding, ...]]:
    """Place per host row [H]."""
    places = np.full(len(inventory.hosts.names), -1, np.int32)
    findings: list[Finding] = []
    for p in slot_pools(entries):
        rows = inventory.rows[p]
        index, rest = np.divmod(inventory.hosts.slot[rows.start : rows.stop] - 1, shape.unit)
        units = spec.pools[p].units
        if units:
            beyond = np.flatnonzero(index >= len(units))
            if len(beyond):
                findings.append(_beyond(spec, p, inventory, shape, rows.start + int(beyond[0]), len(beyond)))
                continue
            index = np.array(units, np.int32)[index] - 1
        places[rows.start : rows.stop] = index * shape.unit + rest
    findings += collisions(spec, fabric, entries, places, inventory, shape)
    return places, tuple(findings)


def _beyond(spec: ClusterSpec, p: int, inventory: Inventory, shape: Shape, row: int, count: int) -> Finding:
    units, hosts = spec.pools[p].units, inventory.hosts
    room = len(units) * shape.unit
    more = f" and {count - 1} more" if count > 1 else ""
    message = (
        f"{hosts.names[row]}{more} on slot {hosts.slot[row]} or above: {len(units)} units of {shape.unit} have {room} slots"
    )
    hint = "list a further unit, or move the hosts to free slots"
    return SLOT_OUTSIDE.finding(message, ("pools", p, "units"), labels=[Label(("pools", p, "hosts"), "these hosts")], hint=hint)


def reserved_rows(
    spec: ClusterSpec, fabric: int, topology: Reserving, entries: Sequence[Attachment], placement: Placement, ends: Endpoints,
    inventory: Inventory,
) -> tuple[Ints, tuple[Finding, ...]]:  # fmt: skip
    """Row of `Reserved` per endpoint [E], -1 on slots. Service hosts take ports by slot, holes kept."""
    kept = np.full(len(ends.host), -1, np.int32)
    findings: list[Finding] = []
    first: dict[str, int] = {}
    size: dict[str, int] = {}
    count = 0
    for name, ports, _ in placement.reserved:
        first[name], size[name] = count, ports
        count += ports
    groups: dict[tuple[str, int], list[int]] = {}
    for entry in entries:
        if not entry.reserved:
            continue
        purpose, found = _purpose(spec, fabric, topology, entry)
        findings += found
        if purpose is not None:
            groups.setdefault((purpose, entry.pool), []).append(entry.attach)
    filled = dict.fromkeys(size, 0)
    for (purpose, pool), attached in groups.items():
        rows = np.flatnonzero(np.isin(ends.attach, attached))
        lanes, lane = np.unique(ends.lane[rows], return_inverse=True)
        taken = (inventory.hosts.slot[ends.host[rows]] - 1) * len(lanes) + lane
        need = int(taken.max(initial=-1)) + 1
        if filled[purpose] + need > size[purpose]:
            at: Path = ("fabrics", fabric, "attach", attached[0])
            findings.append(_too_small(spec, purpose, pool, filled[purpose] + need, size[purpose], fabric, at))
            continue
        kept[rows] = first[purpose] + filled[purpose] + taken
        filled[purpose] += need
    return kept, tuple(findings)


def _purpose(spec: ClusterSpec, fabric: int, topology: Reserving, entry: Attachment) -> tuple[str | None, tuple[Finding, ...]]:
    """Which reservation: the one named, the only one, or the one called like the pool."""
    pool, known = spec.pools[entry.pool].name, topology.reserve
    at: Path = ("fabrics", fabric, "attach", entry.attach)
    if entry.purpose is not None:
        if entry.purpose in known:
            return entry.purpose, ()
        hint = meant(entry.purpose, known, "there is")
        return None, (RESERVE.finding(f"nothing is reserved for `{entry.purpose}`", (*at, "reserved_for"), hint=hint),)
    if len(known) == 1:
        return next(iter(known)), ()
    if pool in known:
        return pool, ()
    message = f"pool `{pool}` is attached to reserved ports, and {'none are' if not known else 'several sets are'} reserved"
    example = "{" + f"{pool}: 4" + "}"
    hint = f"say which with `reserved_for: {min(known)}`" if known else f"keep ports with `reserve: {example}`"
    return None, (RESERVE.finding(message, (*at, "at"), hint=hint),)


def _too_small(spec: ClusterSpec, purpose: str, pool: int, need: int, kept: int, fabric: int, at: Path) -> Finding:
    message = f"pool `{spec.pools[pool].name}` brings what is attached for `{purpose}` to {need} ports, and {kept} are reserved"
    labels = [Label(("fabrics", fabric, "topology", "reserve", purpose), f"{kept} ports")]
    hint = f"reserve {need} ports, or attach fewer adapters by name"
    return RESERVE_FULL.finding(message, at, labels=labels, hint=hint, facts={"ports needed": need, "ports reserved": kept})
