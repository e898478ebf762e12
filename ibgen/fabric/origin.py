"""Where a derived thing came from: the spec path that a finding about it points at.

Takes rows of a `Fabric`. Gives paths; where a path has no text of its own, `diagnostics.locate` climbs to its parent.
"""

from __future__ import annotations

from ibgen.diagnostics import Path

from .columns import CORE, HOST_CABLE, LEAF, Fabric, Subnet
from .layouts import GroupPlan


def path_of_subnet(subnet: Subnet) -> Path:
    return ("fabrics", subnet.fabric)


def path_of_switch(subnet: Subnet, row: int) -> Path:
    """The tier of the topology, or the group of an explicit one."""
    at: Path = ("fabrics", subnet.fabric, "topology")
    group = int(subnet.switches.group[row])
    if group >= 0:
        return (*at, "switches", group)
    return path_of_tier(subnet, int(subnet.switches.tier[row]))


def path_of_tier(subnet: Subnet, tier: int) -> Path:
    """The tier of the topology; the routers of a dragonfly have one key for all."""
    if isinstance(subnet.layout, GroupPlan) and not subnet.layout.plus:
        return ("fabrics", subnet.fabric, "topology", "switch")
    return ("fabrics", subnet.fabric, "topology", "leaf" if tier == LEAF else "core" if tier == CORE else "spine")


def path_of_cable(subnet: Subnet, row: int) -> Path:
    """The line that writes the cable out; else what made it: an attachment, or the tier of its lower switch."""
    cables = subnet.cables
    line = int(cables.line[row])
    if line >= 0:
        return ("fabrics", subnet.fabric, "topology", "cables", line)
    lower = int(cables.lower[row])
    return path_of_endpoint(subnet, lower) if cables.kind[row] == HOST_CABLE else path_of_switch(subnet, lower)


def path_of_endpoint(subnet: Subnet, row: int) -> Path:
    """The `attach` entry that put an HCA port on the fabric."""
    attach = int(subnet.ports.attach[row])
    return ("fabrics", subnet.fabric, "attach", attach) if attach >= 0 else ("fabrics", subnet.fabric)


def path_of_host(fabric: Fabric, row: int) -> Path:
    return ("pools", int(fabric.hosts.pool[row]), "hosts")
