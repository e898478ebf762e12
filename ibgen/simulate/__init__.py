"""Whether bandwidth matches from the GPU's PCIe slot to the core switch.

Takes `ClusterSpec`, `Fabric`, `Targets`, `Catalog`. Gives `Simulation`: facts only, which the rules of `checks/` judge
against `requirements`. The chain is counted (capacity against offered at each step) and assumes nothing of routing; traffic is
put on the closed form of D-mod-k; collectives and training steps are at line rate. `study`, `failures` and `sweeps` hold more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ibgen.catalog import Catalog
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

from .attached import attached, line_rates
from .chain import ChainStep, chain_steps
from .rails import RailAlignment, rail_alignment
from .slots import PoolSlots, pool_slots
from .tiers import TierLoad, tier_loads
from .training import TrainingOutcome
from .training import run as training_outcomes
from .tuning import Operation

if TYPE_CHECKING:
    from .effective import EffectiveBandwidth
    from .pool_collectives import PoolCollectives
    from .summary import TrafficSummary

__all__ = [
    "ChainStep",
    "PoolSlots",
    "RailAlignment",
    "Simulation",
    "TierLoad",
    "TrainingOutcome",
    "run",
]

OPERATIONS: tuple[Operation, ...] = ("all_reduce", "alltoall")
SIZES = (2**23, 2**30, 2**34)
"""What the summary shows of collectives: 8 MiB, 1 GiB, 16 GiB."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """The counting chain: one entry per pool with GPUs, per subnet and step, per subnet and tier, per subnet. Then workloads of
    the spec, bisection where `requirements` ask for it; and at a glance collectives of pools (where the spec declares NCCL) and
    traffic per regular fabric, which `plan` and `build` show and no rule judges."""

    slots: tuple[PoolSlots, ...]
    steps: tuple[ChainStep, ...]
    tiers: tuple[TierLoad, ...]
    rails: tuple[RailAlignment, ...]
    training: tuple[TrainingOutcome, ...] = ()
    collectives: tuple[PoolCollectives, ...] = ()
    traffic: tuple[TrafficSummary, ...] = ()
    required: tuple[EffectiveBandwidth, ...] = ()


def run(spec: ClusterSpec, fabric: Fabric, targets: Targets, catalog: Catalog, *, glance: bool = True) -> Simulation:
    """Counts the chain of every subnet, and puts the spec's own traffic on it. Without `glance` only what rules judge."""
    slots = pool_slots(spec, fabric, catalog)
    tiers = tuple(t for s in fabric.subnets for t in tier_loads(s))
    steps = tuple(step for s in fabric.subnets for step in chain_steps(s, fabric, slots))
    rails = tuple(rail_alignment(s) for s in fabric.subnets)
    training = training_outcomes(spec, fabric, catalog, fabric_gbs=line_rates(attached(targets)))
    judged = Simulation(slots, steps, tiers, rails, training, required=_required(spec, fabric, catalog))
    return _with_glance(judged, spec, fabric, targets, catalog) if glance else judged


# Tables and patterns are imported where something is put on them: most checks of a spec need neither.


def _required(spec: ClusterSpec, fabric: Fabric, catalog: Catalog) -> tuple[EffectiveBandwidth, ...]:
    if spec.requirements.effective_bandwidth is None:
        return ()
    from .effective import effective_bandwidths

    return effective_bandwidths(spec, fabric, catalog)


def _with_glance(judged: Simulation, spec: ClusterSpec, fabric: Fabric, targets: Targets, catalog: Catalog) -> Simulation:
    from .pool_collectives import pool_collectives
    from .summary import traffic_summaries

    collectives: tuple[PoolCollectives, ...] = ()
    if spec.nccl is not None:
        collectives = pool_collectives(
            spec, fabric, targets, catalog, operations=OPERATIONS, sizes=SIZES, fabric_gbs=line_rates(attached(targets))
        )
    return replace(judged, collectives=collectives, traffic=traffic_summaries(spec, fabric))
