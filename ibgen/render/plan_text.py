"""A cluster's plan for a person: one block per fabric, then the bandwidth chain.

Takes `ClusterPlan` and, where it was simulated, `Simulation`. Gives text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ibgen.simulate import ChainStep, Simulation
from ibgen.simulate.chain import UNIFORM

from .cells import table
from .plan import ClusterPlan, SubnetPlan, TierPlan, chain_of, traffic_of
from .plan_groups import GroupsPlan
from .simulation import names_of, wrapped
from .style import Paint, paint
from .traffic_text import pattern_table
from .training_text import training_text

if TYPE_CHECKING:
    from ibgen.simulate.halves import Halves


def plan_text(
    plan: ClusterPlan, simulation: Simulation | None = None, *, workloads: Sequence[str] = (), color: bool = False
) -> str:
    """The whole plan, a blank line between two fabrics. `workloads`: their names, by row of the spec."""
    draw = paint(color)
    blocks = [_block(s, simulation, draw) for s in plan.subnets]
    if simulation is not None and (training := training_text(simulation.training, workloads, None, draw, "at line rate")):
        blocks.append(training)
    blocks.append([f"{plan.cluster}: {plan.hosts:,} hosts" + (f", {_kw(plan.hosts_kw)}" if plan.hosts_kw else "")])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def rate(gbps: float) -> str:
    """`400 Gb/s`, `16.0 Tb/s`: from ten terabits on in terabits."""
    return f"{gbps:g} Gb/s" if gbps < 10_000 else f"{gbps / 1000:,.1f} Tb/s"


def ratio(value: float | None) -> str:
    """`1.67:1`; a dash where there is nothing above."""
    if value is None:
        return "-"
    return "no uplink" if value == float("inf") else f"{value:.2f}:1"


def _block(s: SubnetPlan, simulation: Simulation | None, draw: Paint) -> list[str]:
    head = draw("strong", s.name) + f": {s.kind} {s.topology}, {s.hosts:,} hosts"
    if not s.planned:
        return [f"{head}; not planned, because of the errors"]
    if not s.tiers:
        return [f"{head}; its links are the provider's own"]
    lines = [f"{head}, {s.endpoints:,} endpoints", *_table(_tiers(s.tiers), {1, 3, 4, 5, 6, 7}, draw)]
    cables = [["cables", "count", "rate"], *([c.between, f"{c.count:,}", rate(c.rate_gbps)] for c in s.cables)]
    lines += ["", *_table(cables, {1}, draw)]
    if simulation is not None:
        lines += _simulated(s, simulation, draw)
    facts = []
    if s.growth is not None:
        g = s.growth
        text = f"{_units(g.before_spines)} before more spines, {g.before_tier:,} before a further tier"
        facts.append(["grows by", f"{text} ({_units(g.units)} now)"])
    if s.groups is not None:
        facts += _groups(s.groups)
    if s.islands > 1:
        facts.append(["islands", f"{s.islands:,} subnets that no cable joins, one per unit and rail"])
    if s.switches_kw is not None:
        facts.append(["power", f"{_kw(s.switches_kw)} in switches, at most"])
    return [*lines, *([""] if facts else []), *("  " + line for line in table(facts))]


def _simulated(s: SubnetPlan, simulation: Simulation, draw: Paint) -> list[str]:
    """The chain, and what the closed form says of traffic."""
    t = traffic_of(s, simulation)
    if t is None:
        traffic = wrapped("", "traffic: `ibgen simulate` puts it on this fabric's tables", hang=0)
    elif s.name in t.alike:
        traffic = wrapped("", f"traffic: as {t.subnet}, which has the same shape", hang=0)
    else:
        others = names_of((t.subnet, *t.alike))
        traffic = pattern_table(t.patterns, draw)
        traffic += wrapped("", f"of {t.subnet}, and so of {others}", hang=0) if t.alike else []
    return [line for part in (chain_table(chain_of(s, simulation), draw), traffic) if part for line in ("", *part)]


def _groups(g: GroupsPlan) -> list[list[str]]:
    """Groups, the cables between two, and what leaves a group."""
    pair = f"{g.pair}" if g.pair == g.pair_most else f"{g.pair} or {g.pair_most}"
    rows = [["groups", f"{g.groups:,} of at most {g.most:,}, {pair} cable{'s' * (g.pair_most > 1)} between every two"]]
    if g.oversubscription is not None:
        rows.append(["outward", f"{ratio(g.oversubscription)}, a group's hosts over its cables to other groups"])
    return rows


def _tiers(tiers: tuple[TierPlan, ...]) -> list[list[str]]:
    rows = [["tier", "switches", "model", "down", "up", "reserved", "spare", "oversubscription"]]
    for t in tiers:
        ports = [f"{n:,}" for n in (t.down, t.up, t.reserved, t.spare)]
        rows.append([t.tier, f"{t.switches:,}", t.model, *ports, ratio(t.oversubscription)])
    return rows


CAPACITY = {
    "pcie": "usable rate of the slots, not raw",
    "hca-leaf": "cables of the adapters",
    "leaf-spine": "uplinks of the leaves",
    "spine-core": "uplinks of the spines",
    "local": "cables within groups",
    "global": "cables between groups",
}
"""What is counted as the capacity of a step."""


def chain_table(steps: list[ChainStep], draw: Paint, halves: Halves | None = None) -> list[str]:
    """Capacity against offered, step by step; nothing where there are no steps."""
    rows = [["chain", "offered", "capacity", "ratio", ""]]
    rows += [[s.label, rate(s.offered_gbps), rate(s.capacity_gbps), ratio(s.ratio), CAPACITY[s.step]] for s in steps]
    if not steps:
        return []
    if halves is not None:
        bound = "" if halves.exact else ", at most: groups taken as one switch each"
        gbps = (rate(8 * halves.offered_gbs), rate(8 * halves.capacity_gbs))
        rows.append(["half to half", *gbps, ratio(halves.ratio), f"max-flow between the halves of the leaves{bound}"])
    between = any(s.step in ("local", "global") for s in steps)
    return _table(rows, {1, 2, 3}, draw) + ([f"  {UNIFORM}"] if between else [])


def _table(rows: list[list[str]], right: set[int], draw: Paint) -> list[str]:
    head, *rest = table(rows, frozenset(right))
    return ["  " + draw("dim", head), *("  " + line for line in rest)]


def _units(n: int) -> str:
    return f"{n:,} unit" + ("" if n == 1 else "s")


def _kw(value: float) -> str:
    return f"{value:,.1f} kW"
