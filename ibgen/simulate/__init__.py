"""Whether bandwidth matches from the GPU's PCIe slot to the core switch.

Takes `ClusterSpec`, `Fabric`, `Targets`, `Catalog`. Gives `Simulation`: facts only, which the rules of `checks/` judge
against `requirements`. The chain is counted (capacity against offered at each step) and assumes nothing of routing; traffic is
put on the closed form of D-mod-k; collectives and training steps are at line rate. `study`, `failures` and `sweeps` hold more.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.catalog import Catalog
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

from .chain import ChainStep, chain_steps
from .effective import EffectiveBandwidth, effective_bandwidths
from .pool_collectives import PoolCollectives, pool_collectives
from .rails import RailAlignment, rail_alignment
from .slots import PoolSlots, pool_slots
from .summary import TrafficSummary, traffic_summaries
from .tiers import TierLoad, tier_loads
from .training import TrainingOutcome
from .training import run as training_outcomes
from .tuning import Operation

__all__ = [
    "ChainStep",
    "EffectiveBandwidth",
    "PoolCollectives",
    "PoolSlots",
    "RailAlignment",
    "Simulation",
    "TierLoad",
    "TrafficSummary",
    "TrainingOutcome",
    "run",
]

OPERATIONS: tuple[Operation, ...] = ("all_reduce", "alltoall")
SIZES = (2**23, 2**30, 2**34)
"""What the summary shows of collectives: 8 MiB, 1 GiB, 16 GiB."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """The counting chain: one entry per pool with GPUs, per subnet and step, per subnet and tier, per subnet. Then workloads of
    the spec, collectives of pools (where the spec declares NCCL), traffic per regular fabric, bisection
    where `requirements` ask for it."""

    slots: tuple[PoolSlots, ...]
    steps: tuple[ChainStep, ...]
    tiers: tuple[TierLoad, ...]
    rails: tuple[RailAlignment, ...]
    training: tuple[TrainingOutcome, ...] = ()
    collectives: tuple[PoolCollectives, ...] = ()
    traffic: tuple[TrafficSummary, ...] = ()
    required: tuple[EffectiveBandwidth, ...] = ()


def run(spec: ClusterSpec, fabric: Fabric, targets: Targets, catalog: Catalog) -> Simulation:
    """Counts the chain of every subnet, and puts the spec's own traffic on it."""
    slots = pool_slots(spec, fabric, catalog)
    tiers = tuple(t for s in fabric.subnets for t in tier_loads(s))
    steps = tuple(step for s in fabric.subnets for step in chain_steps(s, fabric, slots))
    rails = tuple(rail_alignment(s) for s in fabric.subnets)
    training = training_outcomes(spec, fabric, catalog)
    collectives: tuple[PoolCollectives, ...] = ()
    if spec.nccl is not None:
        collectives = pool_collectives(spec, fabric, targets, catalog, operations=OPERATIONS, sizes=SIZES)
    traffic = traffic_summaries(spec, fabric)
    required = effective_bandwidths(spec, fabric, catalog)
    return Simulation(slots, steps, tiers, rails, training, collectives, traffic, required)
