"""From a dragonfly, a dragonfly+ or a rail-only entry of `spec.fabrics` to its subnets.

Takes the spec, the row of the fabric, the catalog and the inventory, as `subnets` does for fat trees. Gives the subnets
without GUIDs (none where the fabric cannot be built) and everything that was found on the way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ibgen.catalog import Catalog, SwitchModel
from ibgen.diagnostics import Finding, Path
from ibgen.spec import ClusterSpec, Dragonfly, DragonflyPlus, RailOnly

from .attachments import Attachment, attachments, endpoints, ports_per_slot
from .columns import Ints, Subnet
from .findings import NOTHING_ATTACHED, RAILS_DISAGREE, UNIT_TOO_LARGE
from .groups import Hosts, Planned, plan_dragonfly, plan_dragonfly_plus
from .inventory import Inventory
from .placement import Placement, place_reservations
from .shape import Shape, unsplittable
from .slots import domain, host_places, reserved_rows, slot_pools
from .switches import switch_model
from .topology import dragonfly, dragonfly_plus, rail_only
from .topology.group_frame import GroupFrame

Built = tuple[tuple[Subnet, ...], tuple[Finding, ...]]
Groups = Dragonfly | DragonflyPlus


def build_groups(spec: ClusterSpec, fabric: int, topology: Groups, catalog: Catalog, inventory: Inventory) -> Built:
    """The planes of a dragonfly or dragonfly+."""
    at: Path = ("fabrics", fabric, "topology")
    leaf, spine, findings = _models(spec, fabric, topology, catalog, at)
    entries, found = attachments(spec, fabric, inventory, topology.planes)
    findings += found
    if entries is None or leaf is None or spine is None or findings:
        return (), findings
    hosts = Hosts(ports_per_slot(entries), domain(spec, slot_pools(entries), inventory))
    if hosts.ports == 0:
        return (), (_nothing(spec, fabric),)
    planned, findings = _plan(topology, leaf, spine, hosts, at)
    if planned is None:
        return (), findings
    form, plan = planned
    key = ("groups", plan.groups)
    stand, findings = _stand(spec, fabric, topology, entries, inventory, form, key)
    if stand is None:
        return (), findings
    plus = isinstance(topology, DragonflyPlus)
    base = GroupFrame(
        name=spec.fabrics[fabric].name, fabric=fabric, plane=1, prefix=_prefix(topology), shape=form, plan=plan,
        ways=topology.leaf.split if isinstance(topology, DragonflyPlus) else 1, leaf=leaf, spine=spine if plus else None,
    )  # fmt: skip
    return _planes(spec, topology, base, entries, *stand, inventory)


def build_rails(spec: ClusterSpec, fabric: int, topology: RailOnly, catalog: Catalog, inventory: Inventory) -> Built:
    """The islands of a rail-only fabric, one subnet each."""
    at: Path = ("fabrics", fabric, "topology")
    leaf, findings = switch_model(catalog, topology.leaf.switch, spec.fabrics[fabric], (*at, "leaf", "switch"))
    entries, found = attachments(spec, fabric, inventory, 1)
    findings += found
    if entries is None or leaf is None or findings:
        return (), findings
    ports = ports_per_slot(entries)
    if ports == 0:
        return (), (_nothing(spec, fabric),)
    hosts = Hosts(ports, domain(spec, slot_pools(entries), inventory))
    form, findings = _rail_shape(topology, leaf, hosts, at)
    if form is None:
        return (), findings
    stand, findings = _stand(spec, fabric, topology, entries, inventory, form, ("units", topology.units))
    if stand is None:
        return (), findings
    placement, places = stand
    ends = endpoints(entries, 1, inventory)
    kept, findings = reserved_rows(spec, fabric, topology, entries, placement, ends, inventory)
    if findings:
        return (), findings
    frame = rail_only.RailFrame(
        spec.fabrics[fabric].name, fabric, _prefix(topology), form, placement.units, topology.leaf.split, leaf
    )
    place = np.where(kept < 0, places[ends.host], 0)
    return rail_only.build(frame, placement, ends, place, kept), ()


def _plan(topology: Groups, leaf: SwitchModel, spine: SwitchModel, hosts: Hosts, at: Path) -> Planned:
    if isinstance(topology, Dragonfly):
        return plan_dragonfly(topology, leaf, hosts, at)
    return plan_dragonfly_plus(topology, leaf, spine, hosts, at)


def _models(
    spec: ClusterSpec, fabric: int, topology: Groups, catalog: Catalog, at: Path
) -> tuple[SwitchModel | None, SwitchModel | None, tuple[Finding, ...]]:
    """Leaf (router) and spine; a dragonfly's spine is its router."""
    if isinstance(topology, Dragonfly):
        model, findings = switch_model(catalog, topology.switch, spec.fabrics[fabric], (*at, "switch"))
        return model, model, findings
    leaf, findings = switch_model(catalog, topology.leaf.switch, spec.fabrics[fabric], (*at, "leaf", "switch"))
    spine, found = switch_model(catalog, topology.spine.switch, spec.fabrics[fabric], (*at, "spine", "switch"))
    return leaf, spine, findings + found


def _stand(
    spec: ClusterSpec, fabric: int, topology: Groups | RailOnly, entries: tuple[Attachment, ...], inventory: Inventory,
    form: Shape, given: tuple[str, int | None],
) -> tuple[tuple[Placement, Ints] | None, tuple[Finding, ...]]:  # fmt: skip
    """Where hosts stand and what is reserved."""
    places, findings = host_places(spec, fabric, entries, inventory, form)
    if findings:
        return None, findings
    taken = places[places >= 0]
    who = inventory.hosts.names[int(places.argmax())] if len(taken) else ""
    at: Path = ("fabrics", fabric, "topology")
    placement, findings = place_reservations(topology, form, taken.tolist(), at, who, given)
    return ((placement, places) if placement is not None else None), findings


def _planes(
    spec: ClusterSpec, topology: Groups, base: GroupFrame, entries: tuple[Attachment, ...], placement: Placement,
    places: Ints, inventory: Inventory,
) -> Built:  # fmt: skip
    shape = dragonfly if isinstance(topology, Dragonfly) else dragonfly_plus
    subnets: list[Subnet] = []
    findings: list[Finding] = []
    for plane in range(1, topology.planes + 1):
        frame = base if topology.planes == 1 else replace(
            base, name=f"{base.name}-p{plane}", plane=plane, prefix=f"{base.prefix}p{plane}-"
        )  # fmt: skip
        ends = endpoints(entries, plane, inventory)
        kept, found = reserved_rows(spec, frame.fabric, topology, entries, placement, ends, inventory)
        findings += [f for f in found if f not in findings]  # every plane reserves alike
        if not found:
            place = np.where(kept < 0, places[ends.host], 0)
            subnets.append(shape.build(frame, placement, ends, place, kept))
    return (() if findings else tuple(subnets)), tuple(findings)


def _rail_shape(topology: RailOnly, leaf: SwitchModel, hosts: Hosts, at: Path) -> tuple[Shape | None, tuple[Finding, ...]]:
    """One leaf per rail and unit; the unit fits the leaf."""
    findings = unsplittable(topology.leaf.split, leaf, at)
    if findings:
        return None, findings
    if topology.rails is not None and topology.rails != hosts.ports:
        message = f"{topology.rails} rails, and the widest host has {hosts.ports} ports on this fabric"
        hint = f"write {hosts.ports}, or attach other adapters"
        return None, (RAILS_DISAGREE.finding(message, (*at, "rails"), hint=hint),)
    capacity = leaf.radix * topology.leaf.split
    down = topology.leaf.downlinks or capacity
    unit = topology.unit or down // hosts.domain * hosts.domain or hosts.domain
    if unit > down or down > capacity:
        message = f"a unit of {unit} hosts needs {max(unit, down)} ports of a leaf, and there are {min(down, capacity)}"
        facts = {"slots of a unit": unit, "downlinks": down, "ports of the switch": capacity}
        key = ("unit",) if topology.unit and down <= capacity else ("leaf", "downlinks")
        hint = f"use {min(down, capacity)} or fewer"
        return None, (UNIT_TOO_LARGE.finding(message, (*at, *key), hint=hint, facts=facts),)
    ways = topology.leaf.split
    return Shape(False, True, hosts.ports, hosts.ports, unit, 1, down, -(-down // ways), 0), ()


def _prefix(topology: Groups | RailOnly) -> str:
    return f"{topology.prefix}-" if topology.prefix else ""


def _nothing(spec: ClusterSpec, fabric: int) -> Finding:
    message = f"no host stands on a slot of fabric `{spec.fabrics[fabric].name}`"
    hint = "attach a pool: `attach: [{pool: ..., hcas: compute}]`"
    key = ("attach",) if spec.fabrics[fabric].attach else ()
    return NOTHING_ATTACHED.finding(message, ("fabrics", fabric, *key), hint=hint)
