"""A cluster's plan for programs: JSON of a fixed, versioned form.

Takes `ClusterPlan` and, where it was simulated, `Simulation`. Gives text of `schemas/plan.schema.json`. Per fabric (and
plane): `tiers` and `cables` as counted, room to grow, power, the chain, traffic at a glance; then training at line rate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ibgen.simulate import Simulation
from ibgen.simulate.summary import SEED

from .json import dumps
from .plan import ClusterPlan, SubnetPlan, TierPlan, chain_of, traffic_of
from .plan_groups import GroupsPlan
from .simulation_json import outcome_json, plain, step_json

VERSION = 1


def plan_json(plan: ClusterPlan, simulation: Simulation | None = None, workloads: Sequence[str] = ()) -> str:
    """The whole plan. `workloads`: their names, by row of the spec."""
    document = {
        "format": "ibgen-plan",
        "version": VERSION,
        "cluster": plan.cluster,
        "hosts": plan.hosts,
        "power_kw": {"hosts": _figure(plan.hosts_kw)},
        "fabrics": [_subnet(s) | _traffic(s, simulation) for s in plan.subnets],
        "training": [] if simulation is None else [outcome_json(o, workloads) for o in simulation.training],
    }
    return dumps(document)


def _subnet(s: SubnetPlan) -> dict[str, Any]:
    return {
        "name": s.name,
        "fabric": s.fabric,
        "plane": s.plane,
        "kind": s.kind,
        "topology": s.topology,
        "hosts": s.hosts,
        "endpoints": s.endpoints,
        "tiers": [_tier(t) for t in s.tiers],
        "cables": [{"between": c.between, "count": c.count, "rate_gbps": _figure(c.rate_gbps)} for c in s.cables],
        "growth": None if s.growth is None else asdict(s.growth),
        "groups": None if s.groups is None else _groups(s.groups),
        "planned": s.planned,
        "islands": s.islands,
        "power_kw": {"switches": _figure(s.switches_kw)},
    }


def _traffic(s: SubnetPlan, simulation: Simulation | None) -> dict[str, Any]:
    """The chain, and what the closed form says of traffic; null where it has no answer."""
    if simulation is None:
        return {"chain": [], "traffic": None}
    found = traffic_of(s, simulation)
    traffic = None if found is None else {
        "studied": found.subnet, "model": found.model, "seed": SEED, "patterns": plain(found.patterns),
    }  # fmt: skip
    return {"chain": [step_json(step) for step in chain_of(s, simulation)], "traffic": traffic}


def _groups(g: GroupsPlan) -> dict[str, Any]:
    return {**asdict(g), "oversubscription": _figure(g.oversubscription)}


def _tier(t: TierPlan) -> dict[str, Any]:
    return {
        "tier": t.tier,
        "switches": t.switches,
        "model": t.model,
        "ports": {"down": t.down, "up": t.up, "reserved": t.reserved, "spare": t.spare},
        "oversubscription": _figure(t.oversubscription),
    }


def _figure(value: float | None) -> float | int | None:
    """Six significant digits, whole numbers without a point; null where there is no finite number."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() else rounded
