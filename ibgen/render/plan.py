"""A fabric summed up by counting its arrays: switches, ports, cables, room to grow, power.

Takes `ClusterSpec` and `Fabric`. Gives `ClusterPlan`, which `plan_text` and `plan_json` write down. Every figure is counted
from the cables that would be pulled; none comes from a formula of the planner.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ibgen.fabric import GLOBAL_CABLE, HOST_CABLE, LEAF_CABLE, LOCAL_CABLE, SPINE_CABLE, Fabric, GroupPlan, IslandPlan, Subnet
from ibgen.simulate import ChainStep, Simulation
from ibgen.simulate.tiers import TierLoad, tier_loads
from ibgen.spec import ClusterSpec

from .plan_groups import GroupsPlan, groups_plan

if TYPE_CHECKING:
    from ibgen.simulate.summary import TrafficSummary

TIERS = ("leaf", "spine", "core")
_IN_GROUPS = {LEAF_CABLE: "leaf-spine", LOCAL_CABLE: "local", GLOBAL_CABLE: "global"}


@dataclass(frozen=True, slots=True)
class TierPlan:
    """The switches of one tier and model. Ports are summed over them; host ports of split switches count after the split."""

    tier: str
    switches: int
    model: str
    down: int
    up: int
    reserved: int  # kept by `reserve` and not in use
    spare: int
    oversubscription: float | None  # of the worst switch; None where nothing lies above


@dataclass(frozen=True, slots=True)
class CablePlan:
    """Cables of one rate between two tiers."""

    between: str
    count: int
    rate_gbps: float


@dataclass(frozen=True, slots=True)
class Growth:
    """Units there are, and how many more fit before spines must be added and before a tier must."""

    units: int
    before_spines: int
    before_tier: int


@dataclass(frozen=True, slots=True)
class SubnetPlan:
    """One subnet, or (without tiers) one fabric whose links are the provider's own or (not `planned`) which has errors."""

    name: str
    fabric: str
    plane: int
    kind: str
    topology: str
    hosts: int
    endpoints: int
    tiers: tuple[TierPlan, ...] = ()
    cables: tuple[CablePlan, ...] = ()
    growth: Growth | None = None
    switches_kw: float | None = None  # at most; None where a model's power is not known
    groups: GroupsPlan | None = None  # of a dragonfly or dragonfly+
    row: int = 0  # of spec.fabrics
    planned: bool = True
    islands: int = 1  # subnets that no cable joins and that are counted together here: the rails of a rail-only fabric


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """The whole cluster. `hosts_kw` is None where a platform's power is not known (rented hosts have none)."""

    cluster: str
    hosts: int
    hosts_kw: float | None
    subnets: tuple[SubnetPlan, ...]


def cluster_plan(spec: ClusterSpec, fabric: Fabric) -> ClusterPlan:
    """Every fabric of the spec in its order, plane by plane."""
    subnets: list[SubnetPlan] = []
    for row, written in enumerate(spec.fabrics):
        planes = fabric.of(row)
        parts = [_subnet_plan(spec, subnet) for subnet in planes]
        rails = bool(planes) and isinstance(planes[0].layout, IslandPlan)
        subnets += [together(parts, len(np.unique(np.concatenate([s.ports.host for s in planes]))))] if rails else parts
        if not planes:
            hosts = {a.pool for a in written.attach}
            count = sum(int((fabric.hosts.pool == p).sum()) for p, pool in enumerate(spec.pools) if pool.name in hosts)
            kind, opaque = written.topology.kind, written.topology.kind == "opaque"
            subnets.append(SubnetPlan(written.name, written.name, 1, written.kind, kind, count, 0, row=row, planned=opaque))
    return ClusterPlan(spec.cluster, len(fabric.hosts.names), _hosts_kw(fabric), tuple(subnets))


def _subnet_plan(spec: ClusterSpec, subnet: Subnet) -> SubnetPlan:
    written = spec.fabrics[subnet.fabric]
    topology = written.topology
    split = int(subnet.switches.split.max(initial=1))
    tiers = tuple(t for load in tier_loads(subnet) for t in _tier_plans(subnet, load, split))
    watts = [m.power_max_w for m in (subnet.models[i] for i in subnet.switches.model)]
    known = [w for w in watts if w is not None]
    return SubnetPlan(
        subnet.name, written.name, subnet.plane, written.kind, topology.kind,
        len(np.unique(subnet.ports.host)), len(subnet.ports.host), tiers, _cable_plans(subnet), _growth(subnet),
        sum(known) / 1000 if len(known) == len(watts) and watts else None, groups_plan(subnet), subnet.fabric,
    )  # fmt: skip


def together(parts: list[SubnetPlan], hosts: int) -> SubnetPlan:
    """Islands of one fabric as one: the same tiers and cables, summed."""
    first = parts[0]
    tiers, cables = list(first.tiers), list(first.cables)
    for part in parts[1:]:
        for i, t in enumerate(part.tiers):
            one = tiers[i]
            sums = (one.down + t.down, one.up + t.up, one.reserved + t.reserved, one.spare + t.spare)
            tiers[i] = TierPlan(one.tier, one.switches + t.switches, one.model, *sums, one.oversubscription)
        for c in part.cables:
            same = next((i for i, x in enumerate(cables) if (x.between, x.rate_gbps) == (c.between, c.rate_gbps)), None)
            if same is None:
                cables.append(c)
            else:
                cables[same] = replace(c, count=c.count + cables[same].count)
    power = [p.switches_kw for p in parts]
    return replace(
        first, name=first.fabric, hosts=hosts, endpoints=sum(p.endpoints for p in parts), tiers=tuple(tiers),
        cables=tuple(cables), islands=len(parts),
        switches_kw=None if any(kw is None for kw in power) else sum(kw for kw in power if kw is not None),
    )  # fmt: skip


def chain_of(plan: SubnetPlan, simulation: Simulation) -> list[ChainStep]:
    """The chain of a subnet; of islands that are counted together, step by step the sum of theirs."""
    if plan.islands == 1:
        return [step for step in simulation.steps if step.subnet == plan.name]
    summed: dict[str, ChainStep] = {}
    for step in simulation.steps:
        if step.fabric == plan.row:
            one = summed.get(step.label)
            summed[step.label] = step if one is None else replace(
                one, offered_gbps=one.offered_gbps + step.offered_gbps,
                capacity_gbps=one.capacity_gbps + step.capacity_gbps, cables=one.cables + step.cables,
            )  # fmt: skip
    return list(summed.values())


def traffic_of(plan: SubnetPlan, simulation: Simulation) -> TrafficSummary | None:
    """What was put on a subnet, on one of its shape, or on one of the islands that are counted together."""
    for t in simulation.traffic:
        if plan.name in (t.subnet, *t.alike) or (plan.islands > 1 and t.fabric == plan.row):
            return t
    return None


def _tier_plans(subnet: Subnet, load: TierLoad, split: int) -> list[TierPlan]:
    free = np.bincount(subnet.reserved.leaf[~subnet.reserved.used], minlength=len(subnet.switches.names))[load.rows]
    models = subnet.switches.model[load.rows]
    routers = isinstance(subnet.layout, GroupPlan) and not subnet.layout.plus
    plans = []
    for model in np.unique(models):
        here = models == model
        down, up, kept = int(load.down_cables[here].sum()), int(load.up_cables[here].sum()), int(free[here].sum())
        ways = split if load.tier == 0 else 1
        ports = ways * (subnet.models[model].radix * int(here.sum()) - up)
        worst = float(load.ratio[here].max()) if up else None
        name, model_id = "router" if routers else TIERS[load.tier], subnet.models[model].id
        plans.append(TierPlan(name, int(here.sum()), model_id, down, up, kept, ports - down - kept, worst))
    return plans


def _cable_plans(subnet: Subnet) -> tuple[CablePlan, ...]:
    """Cables by the tiers they join: leaf-leaf is possible where every cable is written out. In groups, by their kind."""
    cables, tier = subnet.cables, subnet.switches.tier
    if isinstance(subnet.layout, GroupPlan):
        names = {HOST_CABLE: "host-leaf" if subnet.layout.plus else "host-router", **_IN_GROUPS}
        kinds = np.unique(np.stack([cables.kind, cables.rate_gbps.astype(np.int32)], axis=1), axis=0, return_counts=True)
        return tuple(CablePlan(names[int(k)], int(n), float(rate)) for (k, rate), n in zip(*kinds, strict=True))
    host = cables.kind == HOST_CABLE
    lower = np.full(len(host), -1, dtype=np.int64)
    lower[~host] = tier[cables.lower[~host]]
    keys = np.stack([lower, tier[cables.upper].astype(np.int64)], axis=1)
    plans = []
    for low, high in np.unique(keys, axis=0):
        name = f"{'host' if low < 0 else TIERS[low]}-{TIERS[high]}"
        rates, counts = np.unique(cables.rate_gbps[(keys == (low, high)).all(axis=1)], return_counts=True)
        plans += [CablePlan(name, int(n), float(rate)) for rate, n in zip(rates, counts, strict=True)]
    return tuple(plans)


def _growth(subnet: Subnet) -> Growth | None:
    """By counting the free ports of every spine against the cables that the fullest unit has on it."""
    switches, cables = subnet.switches, subnet.cables
    leaves = subnet.tier(0)
    units = int(switches.unit.max(initial=0))
    if units == 0 or subnet.top == 0 or isinstance(subnet.layout, GroupPlan):
        return None
    radix = np.array([subnet.models[m].radix for m in switches.model])
    between = cables.kind == LEAF_CABLE
    per_unit = np.zeros((units + 1, len(switches.names)), dtype=np.int64)
    np.add.at(per_unit, (switches.unit[cables.lower[between]], cables.upper[between]), 1)
    need = per_unit[1:].max(axis=0)
    inner = cables.kind != HOST_CABLE
    used = np.bincount(cables.upper, minlength=len(radix)) + np.bincount(cables.lower[inner], minlength=len(radix))
    spines = np.flatnonzero((switches.tier == 1) & (need > 0))
    fit = (radix[spines] - used[spines]) // need[spines]
    pods = switches.pod[spines]
    before_spines = sum(int(fit[pods == pod].min()) for pod in np.unique(pods))
    return Growth(units, max(0, before_spines), max(0, _reach(subnet, radix, leaves) - units))


def _reach(subnet: Subnet, radix: npt.NDArray[np.int64], leaves: npt.NDArray[np.intp]) -> int:
    """Units that this many tiers can join: one cable per pair of switches, every port of the top tier taken."""
    switches = subnet.switches
    top = int(radix[switches.tier == subnet.top].min())
    if not (subnet.cables.kind == SPINE_CABLE).any():
        return top // int(np.bincount(switches.unit[leaves])[1:].max())
    in_pod = np.unique(np.stack([switches.pod[leaves], switches.unit[leaves]], axis=1), axis=0)
    return top * int(np.bincount(in_pod[:, 0]).max())


def _hosts_kw(fabric: Fabric) -> float | None:
    counts = np.bincount(fabric.hosts.pool, minlength=len(fabric.hosts.platforms))
    known = [(p.power_kw, int(n)) for p, n in zip(fabric.hosts.platforms, counts, strict=True) if p.gpus and n]
    if not known or any(kw is None for kw, _ in known):
        return None
    return sum(kw * n for kw, n in known if kw is not None)
