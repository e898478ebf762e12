"""Traffic at a glance, for `plan`, `build` and `check`: three patterns per subnet, without a table.

Takes a subnet and the order of its hosts. Gives `TrafficSummary`. Regular trees only, by the closed form pair by pair: 65,536
endpoints cost a third of a second and no table. Other shapes, and engines that come to something else, are `ibgen simulate`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.fabric import Fabric, Subnet
from ibgen.route import Graph, NotRouted, graph
from ibgen.route.pointwise import Pointwise, pointwise
from ibgen.spec import ClusterSpec

from .alike import alike
from .engines import engine_of
from .jobs import compute_rows, place_of, rings
from .loads import Estimate, estimate, flow_loads
from .patterns import Rows, permutation, shift
from .results import PatternResult, counted, estimated
from .stand_ins import STAND_INS

MODEL = "static tables, closed form of D-mod-k"
ONE_SWITCH = "static tables, one switch"
SEED = 1
FLOWS = 65_536
"""Flows of the permutation estimate: one permutation of a large fabric, up to 16 of a small one."""


@dataclass(frozen=True, slots=True)
class TrafficSummary:
    """One subnet: rail rings in host order, a shift by one leaf in leaf order, a random permutation. `alike`: the other subnets
    of its shape."""

    subnet: str
    fabric: int
    model: str
    patterns: tuple[PatternResult, ...]
    alike: tuple[str, ...] = ()


def traffic_summaries(spec: ClusterSpec, fabric: Fabric) -> tuple[TrafficSummary, ...]:
    """One per shape of subnet that the closed form answers."""
    found = []
    for rows in alike(fabric):
        s = fabric.subnets[rows[0]]
        single = len(s.switches.names) == 1
        if len(s.ports.host) < 2 or not (single or "dmodk" in STAND_INS.get(engine_of(spec, s), ())):
            continue
        g = graph(s)
        try:
            form = pointwise(g)
        except NotRouted:
            continue
        if len(g.plugged) > 1:
            model = ONE_SWITCH if single else MODEL
            others = tuple(fabric.subnets[row].name for row in rows[1:])
            found.append(TrafficSummary(s.name, s.fabric, model, tuple(_patterns(fabric, s, g, form, model)), others))
    return tuple(found)


def _patterns(fabric: Fabric, s: Subnet, g: Graph, form: Pointwise, model: str) -> list[PatternResult]:
    rows, leaf = g.by_leaf[0], int(g.host_links.max(initial=1))
    jobs = compute_rows(s, g)
    found = []
    if len(jobs) > 1:
        found.append(
            counted("rail rings", model, flow_loads(form, rings(fabric, s, jobs, place_of(fabric)), False), "in host order")
        )
    if leaf < len(rows):
        found.append(counted("shift by a leaf", model, flow_loads(form, shift(rows, leaf), False), f"by {leaf}, in leaf order"))
    found.append(estimated(_permutations(form, g.plugged), model))
    return found


def _permutations(form: Pointwise, rows: Rows) -> Estimate:
    count = max(1, min(16, FLOWS // len(rows)))
    return estimate(form, "permutation", (permutation(rows, SEED, k) for k in range(count)), SEED, False)
