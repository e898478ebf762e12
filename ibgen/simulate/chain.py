"""Capacity against offered at each step from the GPU's slot to the core, summed over a subnet.

Takes a `Subnet`, slots. Gives `ChainStep`s. In trees a step is offered all that the step below lets through. Where groups are
joined to each other that would say nothing, since every cable is both up and down: there `local` and `global` are offered
what uniform traffic puts on them, every endpoint at the rate of its link to all others alike, straight to the other group over
all cables of the pair alike (Kim, Dally, Scott, Abts, ISCA 2008: balanced is a = 2p = 2h); both directions of a cable count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ibgen.fabric import GLOBAL_CABLE, HOST_CABLE, LEAF_CABLE, LOCAL_CABLE, SPINE_CABLE, Fabric, Subnet

from .slots import PoolSlots

STEPS = ("pcie", "hca-leaf", "leaf-spine", "spine-core", "local", "global")

UNIFORM = "local and global are offered uniform traffic, straight to the other group; both directions of a cable count"
"""What offered means between equals, for the reader of a table."""


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One step. Gb/s per direction; `cables` counts what carries it (adapters for `pcie`)."""

    subnet: str
    fabric: int  # row of `spec.fabrics`
    step: str  # one of STEPS
    offered_gbps: float
    capacity_gbps: float
    cables: int
    pool: str = ""  # whose slots, where several pools with GPUs share the subnet

    @property
    def label(self) -> str:
        """The step, with its pool where that must be told."""
        return f"{self.step} {self.pool}" if self.pool else self.step

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
    pcie = _pcie(subnet, fabric, slots, adapters)
    for name, usable, offered, count in pcie:
        steps.append(replace(_step(subnet, "pcie", offered, usable, count), pool=name if len(pcie) > 1 else ""))
    steps.append(_step(subnet, "hca-leaf", float(adapters.sum()), link, len(ports.host)))
    below = link
    for kind, name in ((LEAF_CABLE, "leaf-spine"), (SPINE_CABLE, "spine-core")):
        chosen = cables.kind == kind
        if chosen.any():
            capacity = float(cables.rate_gbps[chosen].sum())
            steps.append(_step(subnet, name, below, capacity, int(chosen.sum())))
            below = min(below, capacity)
    uniform = _uniform(subnet) if (cables.kind == GLOBAL_CABLE).any() or (cables.kind == LOCAL_CABLE).any() else (0.0, 0.0)
    for kind, name, load in ((LOCAL_CABLE, "local", uniform[0]), (GLOBAL_CABLE, "global", uniform[1])):
        chosen = cables.kind == kind
        if chosen.any():
            capacity = 2 * float(cables.rate_gbps[chosen].sum())
            steps.append(_step(subnet, name, load * below / link if link else 0.0, capacity, int(chosen.sum())))
    return tuple(steps)


def _uniform(subnet: Subnet) -> tuple[float, float]:
    """(local, global) Gb/s of uniform traffic. Local hops: between routers of a group; to the router with the cable, and from
    the one where it ends. In a dragonfly+ there are none: leaf and spine are tiers."""
    cables, pod, count = subnet.cables, subnet.switches.pod, len(subnet.switches.names)
    host, outer = cables.kind == HOST_CABLE, cables.kind == GLOBAL_CABLE
    groups = int(pod.max(initial=0)) + 1
    rate = np.bincount(cables.upper[host], cables.rate_gbps[host], count)
    part = np.bincount(cables.upper[host], minlength=count) / max(1, int(host.sum()) - 1)  # of what another endpoint sends
    rates, parts = np.bincount(pod, rate, groups), np.bincount(pod, part, groups)
    across = float((rates * (parts.sum() - parts)).sum())
    if not (cables.kind == LOCAL_CABLE).any():
        return 0.0, across
    near, far = (
        np.concatenate(x) for x in ((cables.lower[outer], cables.upper[outer]), (cables.upper[outer], cables.lower[outer]))
    )
    own = np.bincount(near * groups + pod[far], minlength=count * groups).reshape(count, groups)
    pairs = np.zeros((groups, groups))
    np.add.at(pairs, pod, own)
    elsewhere = np.where(pairs[pod] > 0, 1 - own / np.maximum(pairs[pod], 1), 0.0)  # cables of the pair on other routers
    inside = rate * (parts[pod] - part)
    leaving, arriving = rate * (elsewhere @ parts), part * (elsewhere @ rates)
    return float((inside + leaving + arriving).sum()), across


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
) -> list[tuple[str, float, float, int]]:
    """(pool, usable PCIe Gb/s, adapter Gb/s, adapters) of the GPU hosts on this subnet, pool by pool."""
    found = []
    pools = fabric.hosts.pool[subnet.ports.host]
    for s in slots:
        rows = (pools == s.pool) & subnet.ports.compute
        total = sum(m.total_gbps for m in s.matches)
        if rows.any() and total:
            here = float(rates[rows].sum())
            # a subnet may carry only some of the adapters: it is held against its share of the slots
            found.append((s.name, 8 * s.usable_gbs * here / total, here, int(rows.sum())))
    return found
