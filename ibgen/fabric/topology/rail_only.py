"""A rail-only fabric as arrays: one subnet per unit and rail, each of one leaf and its hosts.

Takes a `RailFrame`, the endpoints with their places. Gives the subnets, unit by unit and rail by rail. No cable joins two
of them, so each has its own subnet manager, LIDs and partitions (docs/decisions).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ibgen.catalog import SwitchModel

from ..attachments import Endpoints
from ..columns import LEAF, Ints, Ports, Reserved, Subnet, Switches
from ..layouts import IslandPlan
from ..names import width
from ..placement import Placement
from ..shape import Shape
from .edge import Edge, host_ports, reserved_ports
from .wiring import cables


@dataclass(frozen=True, slots=True)
class RailFrame:
    """The leaves to be: everything but the hosts."""

    name: str  # of the fabric
    fabric: int
    prefix: str
    shape: Shape  # one leaf per rail and unit
    units: int
    ways: int  # of the leaves' split
    leaf: SwitchModel


def build(frame: RailFrame, placement: Placement, ends: Endpoints, place: Ints, kept: Ints) -> tuple[Subnet, ...]:
    """The subnets. Per endpoint: `place` is its host's slot from 0, `kept` the reserved port it takes, or -1."""
    edge = Edge(frame.shape, frame.ways, frame.leaf)
    reserved = reserved_ports(edge, placement, kept)
    ports = host_ports(edge, ends, place, kept, reserved)
    return tuple(_island(frame, leaf, ports, reserved) for leaf in range(frame.units * frame.shape.rails))


def _island(f: RailFrame, leaf: int, ports: Ports, reserved: Reserved) -> Subnet:
    unit, rail = divmod(leaf, f.shape.rails)
    place = f"u{unit + 1:0{width(f.units)}d}-r{rail:0{len(str(f.shape.rails - 1))}d}"
    rows = np.flatnonzero(ports.leaf == leaf)
    own = Ports(**{c.name: getattr(ports, c.name)[rows] for c in fields(ports)})
    own = replace(own, leaf=np.zeros(len(rows), np.int32))
    return Subnet(
        name=f"{f.name}-{place}", fabric=f.fabric, plane=leaf + 1, models=(f.leaf,), ports=own,
        switches=_switch(f, f"{f.prefix}leaf-{place}", unit + 1, rail), cables=cables(own, []),
        reserved=_reserved(reserved, leaf), plan=None,
        layout=IslandPlan(unit + 1, rail, f.units, f.shape.rails, f.shape.unit, f.shape.down),
    )  # fmt: skip


def _switch(f: RailFrame, name: str, unit: int, rail: int) -> Switches:
    def column(value: int) -> Ints:
        return np.array([value], np.int32)

    return Switches(
        names=(name,), tier=column(LEAF), model=column(0), unit=column(unit), rail=column(rail), pod=column(0),
        split=column(f.ways), ports=column(f.leaf.radix * f.ways), group=column(-1),
        guid=np.zeros(1, np.uint64), bound=np.zeros(1, np.bool_),
    )  # fmt: skip


def _reserved(every: Reserved, leaf: int) -> Reserved:
    rows = np.flatnonzero(every.leaf == leaf)
    purpose = tuple(every.purpose[r] for r in rows.tolist())
    return Reserved(np.zeros(len(rows), np.int32), every.leaf_port[rows], every.rail[rows], purpose, every.used[rows])
