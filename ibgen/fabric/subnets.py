"""From one entry of `spec.fabrics` to its subnets: models, attachments, shape, places, plan, and the arrays at the end.

Takes the spec, the row of the fabric, the catalog and the inventory. Gives the subnets without GUIDs (none where the
fabric cannot be built) and everything that was found on the way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ibgen.catalog import Catalog, SwitchModel
from ibgen.diagnostics import Finding, Path
from ibgen.spec import ClusterSpec, Dragonfly, DragonflyPlus, Explicit, FatTree, RailOnly

from . import grouped
from .attachments import Attachment, attachments, endpoints, ports_per_slot
from .causes import with_causes
from .columns import Ints, Subnet
from .findings import NOTHING_ATTACHED
from .inventory import Inventory
from .placement import Placement, place_reservations
from .planner import count
from .shape import shape
from .slots import domain, host_places, reach, reserved_rows, slot_pools
from .switches import switch_model
from .topology import explicit, fat_tree

Built = tuple[tuple[Subnet, ...], tuple[Finding, ...]]


def build(spec: ClusterSpec, fabric: int, catalog: Catalog, inventory: Inventory) -> Built:
    """The planes of one fabric. Opaque fabrics have none; their attachments are checked all the same."""
    topology = spec.fabrics[fabric].topology
    if isinstance(topology, FatTree):
        return _fat_tree(spec, fabric, topology, catalog, inventory)
    if isinstance(topology, Dragonfly | DragonflyPlus):
        return grouped.build_groups(spec, fabric, topology, catalog, inventory)
    if isinstance(topology, RailOnly):
        return grouped.build_rails(spec, fabric, topology, catalog, inventory)
    entries, findings = attachments(spec, fabric, inventory, 1)
    if isinstance(topology, Explicit):
        subnet, found = explicit.build(spec, fabric, topology, catalog, inventory, entries or ())
        return ((subnet,) if subnet is not None and entries is not None else ()), findings + found
    return (), findings


def _fat_tree(spec: ClusterSpec, fabric: int, topology: FatTree, catalog: Catalog, inventory: Inventory) -> Built:
    at: Path = ("fabrics", fabric, "topology")
    models, findings = _models(spec, fabric, topology, catalog, at)
    entries, found = attachments(spec, fabric, inventory, topology.planes)
    findings += found
    if entries is None or findings:
        return (), findings
    ports = ports_per_slot(entries)
    if ports == 0:
        return (), (_nothing(spec, fabric),)
    pools = slot_pools(entries)
    slots, several = reach(spec, pools, inventory)
    leaf, spine, core = models
    assert leaf is not None  # its absence is a finding
    form, findings = shape(
        topology, leaf, ports, slots, several=several, domain=domain(spec, pools, inventory), at=at
    )  # fmt: skip
    if form is None:
        return (), findings
    places, findings = host_places(spec, fabric, entries, inventory, form)
    if findings:
        return (), findings
    taken = places[places >= 0]
    who = inventory.hosts.names[int(places.argmax())] if len(taken) else ""
    placement, findings = place_reservations(topology, form, taken.tolist(), at, who)
    if placement is None:
        return (), findings
    plan, findings = count(topology, form, placement.units, spine, core or spine, at)
    if plan is None:
        filled = int(places.max(initial=-1)) // form.unit + 1 if topology.units is None and topology.leaf.count is None else 0
        return (), with_causes(findings, form, placement.units, filled, topology.unit, at)
    base = fat_tree.Frame(
        name=spec.fabrics[fabric].name, fabric=fabric, plane=1, prefix=f"{topology.prefix}-" if topology.prefix else "",
        shape=form, plan=plan, ways=topology.leaf.split, leaf=leaf, spine=spine, core=core or spine,
    )  # fmt: skip
    return _planes(spec, topology, base, entries, placement, places, inventory)


def _planes(
    spec: ClusterSpec, topology: FatTree, base: fat_tree.Frame, entries: tuple[Attachment, ...],
    placement: Placement, places: Ints, inventory: Inventory,
) -> Built:  # fmt: skip
    subnets: list[Subnet] = []
    findings: list[Finding] = []
    for plane in range(1, topology.planes + 1):
        frame = base if topology.planes == 1 else replace(
            base, name=f"{base.name}-p{plane}", plane=plane, prefix=f"{base.prefix}p{plane}-"
        )  # fmt: skip
        ends = endpoints(entries, frame.plane, inventory)
        kept, found = reserved_rows(spec, frame.fabric, topology, entries, placement, ends, inventory)
        findings += [f for f in found if f not in findings]  # every plane reserves alike
        if not found:
            place = np.where(kept < 0, places[ends.host], 0)
            subnets.append(fat_tree.build(frame, placement, ends, place, kept))
    return (() if findings else tuple(subnets)), tuple(findings)


def _models(
    spec: ClusterSpec, fabric: int, topology: FatTree, catalog: Catalog, at: Path
) -> tuple[tuple[SwitchModel | None, ...], tuple[Finding, ...]]:
    """Leaf, spine, core; None where the spec gives none."""
    models: list[SwitchModel | None] = []
    findings: list[Finding] = []
    for key, tier in (("leaf", topology.leaf), ("spine", topology.spine), ("core", topology.core)):
        if tier is None:
            models.append(None)
            continue
        model, found = switch_model(catalog, tier.switch, spec.fabrics[fabric], (*at, key, "switch"))
        models.append(model)
        findings += found
    return tuple(models), tuple(findings)


def _nothing(spec: ClusterSpec, fabric: int) -> Finding:
    message = f"no host stands on a slot of fabric `{spec.fabrics[fabric].name}`, so it has no size"
    hint = "attach a pool: `attach: [{pool: ..., hcas: compute}]`"
    key = ("attach",) if spec.fabrics[fabric].attach else ()
    return NOTHING_ATTACHED.finding(message, ("fabrics", fabric, *key), hint=hint)
