"""Whether bandwidth matches from the GPU's PCIe slot to the core switch.

Takes `ClusterSpec`, `Fabric`, `Targets`, `Catalog`. Gives `Simulation`: facts only, which the rules of `checks/` judge
against `requirements`. The model here is counting (capacity against offered at each step); it assumes nothing of routing.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.catalog import Catalog
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

from .chain import ChainStep, chain_steps
from .rails import RailAlignment, rail_alignment
from .slots import PoolSlots, pool_slots
from .tiers import TierLoad, tier_loads

__all__ = ["ChainStep", "PoolSlots", "RailAlignment", "Simulation", "TierLoad", "run"]


@dataclass(frozen=True, slots=True)
class Simulation:
    """The counting chain. One entry per pool with GPUs, per subnet and step, per subnet and tier, per subnet."""

    slots: tuple[PoolSlots, ...]
    steps: tuple[ChainStep, ...]
    tiers: tuple[TierLoad, ...]
    rails: tuple[RailAlignment, ...]


def run(spec: ClusterSpec, fabric: Fabric, targets: Targets, catalog: Catalog) -> Simulation:
    """Counts the chain of every subnet."""
    slots = pool_slots(spec, fabric, catalog)
    tiers = tuple(t for s in fabric.subnets for t in tier_loads(s))
    steps = tuple(step for s in fabric.subnets for step in chain_steps(s, fabric, slots))
    return Simulation(slots, steps, tiers, tuple(rail_alignment(s) for s in fabric.subnets))
