"""What holds of every shape without a common top, whatever its numbers: odd sizes, holes, planes, reserved ports."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.fabric import GLOBAL_CABLE, HOST_CABLE, LEAF_CABLE, LOCAL_CABLE, Fabric, GroupPlan, IslandPlan, Subnet, resolve
from ibgen.fabric.port_labels import port_labels

from .clusters import CATALOG, adapters, cluster, fabric, pool, switch_ends

_small = st.integers(1, 5)
DRAGONFLY = st.fixed_dictionaries(
    {"kind": st.just("dragonfly"), "switch": st.just("qm8700"), "a": _small, "p": st.integers(1, 8), "h": st.integers(1, 4)},
    optional={"groups": st.integers(1, 7), "links": st.integers(1, 4), "rails": st.sampled_from(["host", "aligned"])},
)
LEAF = st.fixed_dictionaries(
    {"switch": st.just("qm8700"), "downlinks": st.integers(1, 8), "uplinks": st.integers(1, 8)},
    optional={"count": _small, "split": st.sampled_from([1, 2])},
)
SPINE = st.fixed_dictionaries({"switch": st.just("qm8700"), "uplinks": st.integers(1, 39)}, optional={"count": _small})
PLUS = st.fixed_dictionaries(
    {"kind": st.just("dragonfly-plus"), "groups": st.integers(1, 7), "leaf": LEAF, "spine": SPINE},
    optional={"links": st.integers(1, 4), "rails": st.sampled_from(["host", "aligned"])},
)
RAIL_LEAF = st.fixed_dictionaries(
    {"switch": st.just("qm8700")}, optional={"downlinks": st.integers(1, 12), "split": st.sampled_from([1, 2])}
)
RAILS = st.fixed_dictionaries(
    {"kind": st.just("rail-only"), "leaf": RAIL_LEAF}, optional={"unit": st.integers(1, 8), "units": st.integers(1, 6)}
)
HOSTS = st.sampled_from(["n1", "n[1-3]", "n[1-4,6,9]", "n[01-17]", "n[02-30]"])


def whole(topology: dict[str, Any], hosts: str, ports: int, planes: int, kept: int) -> Fabric | None:
    """The fabric, or None where it cannot be built; then a located finding with a hint says why."""
    shape = topology | ({"planes": planes} if planes > 1 and topology["kind"] != "rail-only" else {})
    shape |= {"reserve": {"sm": kept}} if kept else {}
    cards = adapters(ports, ports=shape.get("planes", 1))
    spec = cluster([pool("gpu", hosts, platform=cards)], fabric(**shape))
    result, findings = resolve(spec, CATALOG)
    assert result is not None
    assert bool(findings) == bool(result.failed)
    assert all(f.hint and f.at[0] == "fabrics" for f in findings)
    return None if result.failed else result


def cabled_once(subnet: Subnet) -> None:
    """Every port of a switch and of a host has one cable at most, none leads back to its own switch, all have a label."""
    ends = switch_ends(subnet)
    assert len(np.unique(ends, axis=0)) == len(ends)
    assert (ends[:, 1] >= 1).all()
    assert (ends[:, 1] <= subnet.switches.ports[ends[:, 0]]).all()
    between = subnet.cables.kind != HOST_CABLE
    assert (subnet.cables.lower[between] != subnet.cables.upper[between]).all()
    mine = np.stack([subnet.ports.host, subnet.ports.hca, subnet.ports.port])
    assert len(np.unique(mine, axis=1).T) == mine.shape[1]
    labels = [port_labels(subnet, s) for s in range(len(subnet.switches.names))]
    assert all(port in labels[switch] for switch, port in ends.tolist())
    assert len(set(subnet.switches.names)) == len(subnet.switches.names)


def counted(subnet: Subnet, plan: GroupPlan) -> None:
    """Switches and cables by formula; every two groups joined, evenly; a group's cables outward evenly over its switches."""
    kinds = np.bincount(subnet.cables.kind, minlength=5)
    groups, pod = plan.groups, subnet.switches.pod - 1
    assert len(subnet.switches.names) == groups * (plan.leaves + plan.spines)
    inside = groups * plan.leaves * (plan.up if plan.plus else plan.leaves - 1) // (1 if plan.plus else 2)
    assert kinds[LEAF_CABLE if plan.plus else LOCAL_CABLE] == inside
    rows = subnet.cables.kind == GLOBAL_CABLE
    ends = np.stack([subnet.cables.lower[rows], subnet.cables.upper[rows]])
    pairs = np.zeros((groups, groups), int)
    np.add.at(pairs, (pod[ends[0]], pod[ends[1]]), 1)
    pairs += pairs.T
    assert (np.diag(pairs) == 0).all()
    apart = pairs[~np.eye(groups, dtype=bool)]
    if groups > 1:
        assert (apart.min(), apart.max()) == (plan.pair, plan.pair_most)
        assert 1 <= plan.pair <= plan.pair_most <= plan.pair + 1
    outward = np.bincount(ends.ravel(), minlength=len(subnet.switches.names))
    carrying = subnet.switches.tier == (1 if plan.plus else 0)
    assert (outward[~carrying] == 0).all()
    for g in range(groups):
        own = outward[carrying & (pod == g)]
        assert own.max() - own.min() <= 1
        assert own.sum() <= plan.ports


def near_their_kind(result: Fabric, subnet: Subnet, unit: int) -> None:
    """Hosts fill group after group (unit after unit) by their slot."""
    place = result.hosts.slot[subnet.ports.host] - 1
    assert (subnet.switches.unit[subnet.ports.leaf] == place // unit + 1).all()


@settings(max_examples=150, deadline=None)
@given(DRAGONFLY | PLUS, HOSTS, st.integers(1, 3), st.sampled_from([1, 1, 2]), st.sampled_from([0, 0, 2]))
def test_groups_are_built_right_or_it_is_said_why_not(
    topology: dict[str, Any], hosts: str, ports: int, planes: int, kept: int
) -> None:
    result = whole(topology, hosts, ports, planes, kept)
    for subnet in result.subnets if result else ():
        plan = subnet.layout
        assert isinstance(plan, GroupPlan)
        cabled_once(subnet)
        counted(subnet, plan)
        near_their_kind(result, subnet, plan.endpoints // plan.groups // ports)  # type: ignore[arg-type]
    if result:
        assert len(result.subnets) == planes
        assert len({tuple(s.cables.kind.tolist()) for s in result.subnets}) == 1, "planes are copies"


@settings(max_examples=100, deadline=None)
@given(RAILS, HOSTS, st.integers(1, 3), st.sampled_from([0, 0, 2]))
def test_rails_are_built_right_or_it_is_said_why_not(topology: dict[str, Any], hosts: str, ports: int, kept: int) -> None:
    result = whole(topology, hosts, ports, 1, kept)
    for subnet in result.subnets if result else ():
        plan = subnet.layout
        assert isinstance(plan, IslandPlan)
        cabled_once(subnet)
        assert (subnet.cables.kind == HOST_CABLE).all()
        near_their_kind(result, subnet, plan.slots)  # type: ignore[arg-type]
        assert len(result.subnets) == plan.units * plan.rails == plan.units * ports  # type: ignore[union-attr]
