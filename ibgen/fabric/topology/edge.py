"""The lower edge that all planned shapes share: hosts and reserved ports onto leaves, as arrays.

Takes an `Edge`, the endpoints with their places, the reservations. Gives `Ports` whose GUID columns are still zero, and
`Reserved`. Leaves stand unit by unit; within a unit rail by rail, within a rail part by part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.catalog import SwitchModel

from ..attachments import Endpoints
from ..columns import Ints, Ports, Reserved
from ..placement import Placement
from ..shape import Shape


@dataclass(frozen=True, slots=True)
class Edge:
    """Leaves as hosts see them. `ways`: into how many the host ports are split."""

    shape: Shape
    ways: int
    leaf: SwitchModel


def host_port_rate(edge: Edge) -> float:
    """Data rate of a leaf's host port in Gb/s."""
    split = edge.leaf.split(edge.ways)
    return split.rate_gbps if split is not None else edge.leaf.rate_gbps


def down_numbers(edge: Edge) -> Ints:
    """InfiniBand number of host port 0, 1, ... of a leaedge."""
    lanes = range(1, edge.ways + 1) if edge.ways > 1 else [None]
    numbers = [edge.leaf.ib_port(p, lane, edge.ways) for p in range(1, edge.shape.down_ports + 1) for lane in lanes]
    return np.array(numbers, np.int32)


def up_numbers(model: SwitchModel, first: int, count: int, ways: int = 1) -> Ints:
    """InfiniBand number of `count` uplinks after `first` physical ports; a split profile renumbers them too."""
    lane = 1 if ways > 1 else None
    return np.array([model.ib_port(first + n + 1, lane, ways) for n in range(count)], np.int32)


def reserved_ports(edge: Edge, placement: Placement, kept: Ints) -> Reserved:
    """The ports that `placement` keeps, by purpose. `kept`: per endpoint the row it takes, or -1."""
    s = edge.shape
    leaf, number, rail, purpose = [], [], [], []
    for name, ports, places in placement.reserved:
        for n in range(ports):
            at, lane = places[n // s.ports], n % s.ports
            row = (at.unit - 1) * s.leaves_per_unit + (lane * s.parts if s.aligned else 0) + at.part
            leaf.append(row)
            number.append(at.place * s.stride + (0 if s.aligned else lane))
            rail.append(lane if s.aligned else -1)
            purpose.append(name)
    used = np.zeros(len(leaf), np.bool_)
    used[kept[kept >= 0]] = True
    return Reserved(
        leaf=np.array(leaf, np.int32),
        leaf_port=down_numbers(edge)[np.array(number, np.int32)],
        rail=np.array(rail, np.int32),
        purpose=tuple(purpose),
        used=used,
    )


def host_ports(edge: Edge, ends: Endpoints, place: Ints, kept: Ints, reserved: Reserved) -> Ports:
    """Endpoints on leaves, by host, adapter and port. Per endpoint: `place` is its host's slot from 0, unit after unit."""
    s = edge.shape
    part, on_leaf = np.divmod(place % s.unit, s.slots_per_leaf)
    leaf = place // s.unit * s.leaves_per_unit + part + (ends.lane * s.parts if s.aligned else 0)
    offset = on_leaf * s.stride + (0 if s.aligned else ends.lane)
    fixed = kept >= 0
    number = down_numbers(edge)[np.where(fixed, 0, offset)]
    if fixed.any():
        leaf = np.where(fixed, reserved.leaf[kept], leaf)
        number = np.where(fixed, reserved.leaf_port[kept], number)
    order = np.lexsort((ends.port, ends.hca, ends.host))
    return Ports(
        host=ends.host[order],
        hca=ends.hca[order],
        port=ends.port[order],
        rail=np.where(fixed, -1, ends.lane).astype(np.int32)[order],
        rate_gbps=np.minimum(ends.rate_gbps, host_port_rate(edge))[order],
        compute=ends.compute[order],
        leaf=leaf.astype(np.int32)[order],
        leaf_port=number.astype(np.int32)[order],
        state=ends.state[order],
        node_guid=np.zeros(len(order), np.uint64),
        port_guid=np.zeros(len(order), np.uint64),
        bound=np.zeros(len(order), np.bool_),
        attach=ends.attach[order],
    )
