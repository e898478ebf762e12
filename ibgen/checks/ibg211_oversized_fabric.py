from __future__ import annotations

from collections.abc import Iterator

from ibgen.catalog import Catalog
from ibgen.checks import rule
from ibgen.checks.smaller_trees import smallest
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.fabric import Fabric, Plan
from ibgen.spec import ClusterSpec, FatTree

MUCH, MANY = 1.5, 4
"""A tree is called oversized where it has this multiple of the switches of a smaller one, and so many more; our judgement."""


@rule("IBG211", "oversized-fabric", Severity.WARNING)
def oversized_fabric(spec: ClusterSpec, fabric: Fabric, catalog: Catalog) -> Iterator[Finding]:
    """A fat tree with far more switches than the hosts need.

    A leaf's uplinks are built whether its downlinks are used or not, and every unit has a leaf per rail: small units on large
    leaves multiply switches and cables. The finding names the smallest tree that the planner finds with the same models, rails
    and hosts, two spines at least and no more than 1:1 or what there is, and what in the spec leads to it. A prime number of
    uplinks (`downlinks: 33` of 64) can only be shared evenly by as many spines. A count of spines beyond need is IBG204's.

    Give `units` where the room is meant for hosts to come: it is not judged then.

    Bad:
        fabrics: [{name: compute, topology: {rails: aligned, leaf: {downlinks: 16}, spine: {count: ~}}}]
    Good:
        fabrics: [{name: compute, topology: {rails: aligned, unit: 32, units: 2, leaf: {downlinks: 32}, spine: {count: ~}}}]
    """
    for subnet in fabric.subnets:
        topology, plan = spec.fabrics[subnet.fabric].topology, subnet.plan
        if plan is None or plan.tiers == 1 or subnet.plane != 1 or not isinstance(topology, FatTree):
            continue
        found = smallest(spec, fabric, subnet, topology, catalog)
        have = _switches(plan)
        if found is None or have < MUCH * _switches(found.plan) or have - _switches(found.plan) < MANY:
            continue
        at: Path = ("fabrics", subnet.fabric, "topology")
        keys = [(*at, *path) for path in found.changed if _written(topology, path)]
        ports = len(subnet.ports.host)
        yield oversized_fabric.finding(
            f"{have} switches and {_cables(plan):,} cables between them for {ports:,} host ports: "
            f"{_switches(found.plan)} and {_cables(found.plan):,} do",
            keys[0] if keys else at,
            label=_tiers(plan),
            labels=[Label(key, "with this") for key in keys[1:]],
            hint=f"{found.advice}: {_tiers(found.plan)}; or give `units` where hosts are to come",
            facts={"host ports": ports, "as planned": _tiers(plan), "smaller": _tiers(found.plan)},
        )


def _written(topology: FatTree, path: tuple[str, ...]) -> bool:
    section = topology if len(path) == 1 else getattr(topology, path[0])
    return section is not None and path[-1] in section.model_fields_set


def _switches(plan: Plan) -> int:
    return plan.leaves + plan.spines + plan.cores


def _cables(plan: Plan) -> int:
    """Between switches."""
    return 0 if plan.tiers == 1 else plan.leaves * plan.up + plan.spines * plan.spine_up


def _tiers(plan: Plan) -> str:
    """`16 leaves, 31 spines`."""
    if plan.tiers == 1:
        return "one switch"
    cores = f", {plan.cores} cores" if plan.cores else ""
    return f"{plan.leaves} {'leaf' if plan.leaves == 1 else 'leaves'}, {plan.spines} spines{cores}"
