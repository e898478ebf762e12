"""Capacity against offered at each step from the GPU's slot to the core, summed over a subnet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.fabric import HOST_CABLE, LEAF_CABLE, SPINE_CABLE, Fabric, Subnet

from .slots import PoolSlots

STEPS = ("pcie", "hca-leaf", "leaf-spine", "spine-core")


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One step. Gb/s per direction; `cables` counts what carries it (adapters for `pcie`)."""

    subnet: str
    fabric: int  # row of `spec.fabrics`
    step: str  # one of STEPS
    offered_gbps: float
    capacity_gbps: float
    cables: int

    @property
    def ratio(self) -> float:
        """Offered over capacity: 1.0 is a match, above it the step holds the traffic back."""
        return self.offered_gbps / self.capacity_gbps if self.capacity_gbps else float("inf")


def chain_steps(subnet: Subnet, fabric: Fabric, slots: tuple[PoolSlots, ...]) -> tuple[ChainStep, ...]:
    """The steps that exist: `pcie` only for compute adapters of GPU hosts, upper steps only where there are such cables."""
    cables, ports = subnet.cables, subnet.ports
    host = cables.kind == HOST_CABLE
    link = float(cables.rate_gbps[host].sum())
    adapters = _adapter_rates(subnet, fabric)
    steps = []
    usable, offered, count = _pcie(subnet, fabric, slots, adapters)
    if count:
        steps.append(_step(subnet, "pcie", offered, usable, count))
    steps.append(_step(subnet, "hca-leaf", float(adapters.sum()), link, len(ports.host)))
    below = link
    for kind, name in ((LEAF_CABLE, "leaf-spine"), (SPINE_CABLE, "spine-core")):
        chosen = cables.kind == kind
        if chosen.any():
            capacity = float(cables.rate_gbps[chosen].sum())
            steps.append(_step(subnet, name, below, capacity, int(chosen.sum())))
            below = min(below, capacity)
    return tuple(steps)


def _step(subnet: Subnet, name: str, offered: float, capacity: float, count: int) -> ChainStep:
    return ChainStep(subnet.name, subnet.fabric, name, offered, capacity, count)


def _adapter_rates(subnet: Subnet, fabric: Fabric) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """[E] what the adapter's port could send, Gb/s, whatever the cable does."""
    rates = np.zeros(len(subnet.ports.host))
    pools = fabric.hosts.pool[subnet.ports.host]
    for pool, platform in enumerate(fabric.hosts.platforms):
        table = np.array([h.rate_gbps for h in platform.hcas], dtype=np.float64)
        rows = pools == pool
        rates[rows] = table[subnet.ports.hca[rows]]
    return rates


def _pcie(
    subnet: Subnet, fabric: Fabric, slots: tuple[PoolSlots, ...], rates: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> tuple[float, float, int]:
    """(usable PCIe Gb/s, adapter Gb/s, adapters) of the GPU hosts on this subnet."""
    usable = offered = 0.0
    count = 0
    pools = fabric.hosts.pool[subnet.ports.host]
    for s in slots:
        rows = (pools == s.pool) & subnet.ports.compute
        total = sum(m.total_gbps for m in s.matches)
        if rows.any() and total:
            here = float(rates[rows].sum())
            # a subnet may carry only some of the adapters: it is held against its share of the slots
            usable += 8 * s.usable_gbs * here / total
            offered += here
            count += int(rows.sum())
    return usable, offered, count
