"""Which compute ports of a host cables join: rails that nothing joins, planes that nothing joins, or all of one piece.

Takes the `Fabric`. Gives per pool a `Separation`: what NCCL must keep apart, and the rail and plane of each port as
NCCL_IB_HCA takes them from 2.30.5 on (user guide: `=mlx5_0:1:0:0,mlx5_1:1:0:1` puts both ports on rail 0, one on plane 0, the
other on plane 1). From then on NCCL never connects two planes, whatever NCCL_CROSS_NIC says (ncclTopoSearchCheckNet).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ibgen.fabric import Fabric, IslandPlan

from .units import islands

PLACES_SINCE = (2, 30, 5)
"""First NCCL that takes rail and plane of a port (user guide 2.30.7, NCCL_IB_HCA)."""

MERGE_SINCE = (2, 20)
"""First NCCL that makes one device of the ports of a card (user guide, NCCL_IB_MERGE_NICS), port by port in the same order on
every host: so the halves of a connection stay on their planes."""


@dataclass(frozen=True, slots=True)
class Separation:
    """What no cable joins. `places`: (row of the platform's adapters, port) -> rail and plane, both from 0; no plane where
    there is one only. Empty where rails and planes do not tell the ports apart (cables written by hand)."""

    rails: bool  # rails of one plane
    planes: bool
    places: Mapping[tuple[int, int], tuple[int, int | None]]


def separations(fabric: Fabric) -> dict[int, Separation]:
    """By row of the pool: those some of whose hosts have compute ports that no path of cables joins (nccl issues 836, 2013)."""
    planes = _planes(fabric)
    return {pool: _separation(fabric, pool, planes) for pool in _torn(fabric, range(len(fabric.subnets)))}


def _separation(fabric: Fabric, pool: int, planes: tuple[int, ...]) -> Separation:
    own = [n for n, s in enumerate(fabric.subnets) if (fabric.hosts.pool[s.ports.host[s.ports.compute]] == pool).any()]
    several = len({planes[n] for n in own}) > 1
    rails = any(pool in _torn(fabric, [n for n in own if planes[n] == plane]) for plane in {planes[n] for n in own})
    places: dict[tuple[int, int], tuple[int, int | None]] = {}
    for n in own:
        ports = fabric.subnets[n].ports
        mine = ports.compute & (fabric.hosts.pool[ports.host] == pool)
        rows = np.unique(np.stack([ports.hca[mine], ports.port[mine], ports.rail[mine]], axis=1), axis=0)
        places |= {(hca, port): (rail, planes[n] if several else None) for hca, port, rail in rows.tolist()}
    known = all(rail >= 0 for rail, _ in places.values()) and not (rails and any(not fabric.subnets[n].planned for n in own))
    return Separation(rails, several, places if known else {})


def _planes(fabric: Fabric) -> tuple[int, ...]:
    """Per subnet the number of its plane, counted over all fabrics; the rails of a rail-only fabric are one plane."""
    numbers: dict[tuple[int, int], int] = {}
    keys = [(s.fabric, 1 if isinstance(s.layout, IslandPlan) else s.plane) for s in fabric.subnets]
    for key, subnet in zip(keys, fabric.subnets, strict=True):
        if subnet.ports.compute.any():
            numbers.setdefault(key, len(numbers))
    return tuple(numbers.get(key, 0) for key in keys)


def _torn(fabric: Fabric, subnets: Iterable[int]) -> set[int]:
    """Pools some of whose hosts have compute ports on several islands of these subnets."""
    count = len(fabric.hosts.names)
    lowest = np.full(count, np.iinfo(np.int64).max)
    highest = np.full(count, -1, dtype=np.int64)
    offset = 0  # an island is a row of its subnet's switches: those of different subnets never meet
    for n in subnets:
        subnet = fabric.subnets[n]
        keep = subnet.ports.compute
        label = islands(subnet)[subnet.ports.leaf[keep]] + offset
        np.minimum.at(lowest, subnet.ports.host[keep], label)
        np.maximum.at(highest, subnet.ports.host[keep], label)
        offset += len(subnet.switches.names)
    return set(np.unique(fabric.hosts.pool[highest > lowest]).tolist())
