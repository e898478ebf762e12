"""A cluster's plan for programs: JSON of a fixed, versioned form.

Takes `ClusterPlan`. Gives text. Per fabric (and plane): `tiers` and `cables` as counted, room to grow, power.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from .json import dumps
from .plan import ClusterPlan, SubnetPlan, TierPlan
from .plan_groups import GroupsPlan

VERSION = 1


def plan_json(plan: ClusterPlan) -> str:
    """The whole plan."""
    document = {
        "format": "ibgen-plan",
        "version": VERSION,
        "cluster": plan.cluster,
        "hosts": plan.hosts,
        "power_kw": {"hosts": _figure(plan.hosts_kw)},
        "fabrics": [_subnet(s) for s in plan.subnets],
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
        "islands": s.islands,
        "power_kw": {"switches": _figure(s.switches_kw)},
    }


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
