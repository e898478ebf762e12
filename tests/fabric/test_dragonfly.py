"""Dragonflies against what the paper counts (Kim et al., ISCA 2008) and against graph facts computed independently."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.fabric import GLOBAL_CABLE, LOCAL_CABLE, GroupPlan, Subnet

from .clusters import adapters, built, cabling, fabric, found, pool, switch_ends


def dragonfly(hosts: str = "n[0001-1056]", ports: int = 1, **topology: Any) -> Subnet:
    shape = {"kind": "dragonfly", "switch": "qm8700"} | topology
    return built([pool("gpu", hosts, platform=adapters(ports))], fabric(**shape)).subnets[0]


def diameter(subnet: Subnet) -> int:
    """Longest of the shortest paths between switches, by breadth-first search from every one."""
    count = len(subnet.switches.names)
    near: list[set[int]] = [set() for _ in range(count)]
    between = subnet.cables.kind > 0
    for a, b in zip(subnet.cables.lower[between].tolist(), subnet.cables.upper[between].tolist(), strict=True):
        near[a].add(b)
        near[b].add(a)
    longest = 0
    for start in range(count):
        seen, front, steps = {start}, {start}, 0
        while front := {n for s in front for n in near[s]} - seen:
            seen |= front
            steps += 1
        assert len(seen) == count, "a switch is cut off"
        longest = max(longest, steps)
    return longest


def per_pair(subnet: Subnet) -> np.ndarray:
    """Cables between every two groups, [G, G], counted from the cables."""
    own = subnet.switches.pod - 1
    globals_ = subnet.cables.kind == GLOBAL_CABLE
    groups = int(own.max()) + 1
    table = np.zeros((groups, groups), int)
    np.add.at(table, (own[subnet.cables.lower[globals_]], own[subnet.cables.upper[globals_]]), 1)
    return table + table.T


def test_the_papers_example_has_33_groups_264_routers_1056_hosts_and_diameter_3() -> None:
    subnet = dragonfly(a=8, p=4, h=4)
    layout = subnet.layout
    assert isinstance(layout, GroupPlan)
    assert (layout.groups, len(subnet.switches.names), len(subnet.ports.host)) == (33, 264, 1056)
    kinds = np.bincount(subnet.cables.kind, minlength=5)
    assert kinds[LOCAL_CABLE] == 33 * 8 * 7 // 2
    assert kinds[GLOBAL_CABLE] == 33 * 32 // 2
    assert diameter(subnet) == 3
    table = per_pair(subnet)
    assert (table[~np.eye(33, dtype=bool)] == 1).all()
    assert (np.diag(table) == 0).all()
    ends = switch_ends(subnet)
    assert len(np.unique(ends, axis=0)) == len(ends) == 264 * 15
    assert ends[:, 1].max() == 15, "p + a - 1 + h ports of each router, without holes"


def test_every_router_of_a_group_has_equally_many_ports_to_other_groups() -> None:
    subnet = dragonfly(a=8, p=4, h=4)
    globals_ = subnet.cables.kind == GLOBAL_CABLE
    ends = np.concatenate([subnet.cables.lower[globals_], subnet.cables.upper[globals_]])
    assert set(np.bincount(ends).tolist()) == {4}


@settings(max_examples=60, deadline=None)
@given(a=st.integers(1, 6), p=st.integers(1, 4), h=st.integers(1, 4), data=st.data())
def test_groups_of_any_number_are_joined_as_evenly_as_can_be(a: int, p: int, h: int, data: st.DataObject) -> None:
    groups = data.draw(st.integers(2, a * h + 1))
    subnet = dragonfly("n1", a=a, p=p, h=h, groups=groups)
    table = per_pair(subnet)
    pairs = table[~np.eye(groups, dtype=bool)]
    assert pairs.min() >= 1
    assert pairs.max() - pairs.min() <= 1
    assert (table.sum(axis=1) <= a * h).all()
    assert (a * h - table.sum(axis=1) <= 1).all(), "at most one port of a group stays free"
    assert diameter(subnet) <= 3
    ends = switch_ends(subnet)
    assert len(np.unique(ends, axis=0)) == len(ends)
    assert ends[:, 1].max() <= p + a - 1 + h
    layout = subnet.layout
    assert isinstance(layout, GroupPlan)
    assert (layout.pair, layout.pair_most) == (pairs.min(), pairs.max())


def test_a_further_group_moves_no_cable() -> None:
    """Growth never recables, while the cables of a pair are given."""
    few, more = (dragonfly("n1", a=8, p=4, h=4, links=2, groups=n) for n in (10, 11))

    def lines(subnet: Subnet) -> set[tuple[Any, ...]]:
        c, names = subnet.cables, subnet.switches.names
        up = c.kind > 0
        columns = (c.lower, c.lower_port, c.upper, c.upper_port)
        ends = zip(*(x[up].tolist() for x in columns), strict=True)
        return {(names[a], p, names[b], q) for a, p, b, q in ends}

    assert lines(few) < lines(more)
    assert set(few.switches.names) < set(more.switches.names)


def test_parallel_cables_of_a_pair_end_on_different_routers() -> None:
    subnet = dragonfly("n1", a=8, p=4, h=4, links=4, groups=9)
    globals_ = subnet.cables.kind == GLOBAL_CABLE
    ends = np.stack([subnet.cables.lower[globals_], subnet.cables.upper[globals_]])
    pod = subnet.switches.pod[ends]
    first = ends[0][(pod[0] == 1) & (pod[1] == 2)]
    assert len(first) == len(set(first.tolist())) == 4


def test_hosts_fill_router_after_router_and_aligned_rails_have_routers_of_their_own() -> None:
    one = built([pool("gpu", "n[1-9]", platform=adapters(2))], fabric(kind="dragonfly", switch="qm8700", a=4, p=4, h=1))
    plugged = cabling(one, one.subnets[0])
    assert [plugged[f"n{n}/mlx5_0:1"] for n in (1, 2, 3, 9)] == ["g01-r01:1", "g01-r01:3", "g01-r02:1", "g02-r01:1"]
    assert plugged["n1/mlx5_1:1"] == "g01-r01:2"
    shape = {"kind": "dragonfly", "switch": "qm8700", "a": 4, "p": 2, "h": 1, "rails": "aligned"}
    two = built([pool("gpu", "n[1-5]", platform=adapters(2))], fabric(**shape))
    plugged = cabling(two, two.subnets[0])
    assert [plugged[f"n{n}/mlx5_0:1"] for n in (1, 2, 3, 5)] == ["g01-r01:1", "g01-r01:2", "g01-r02:1", "g02-r01:1"]
    assert [plugged[f"n{n}/mlx5_1:1"] for n in (1, 3)] == ["g01-r03:1", "g01-r04:1"]
    assert two.subnets[0].switches.rail[:4].tolist() == [0, 0, 1, 1]


def test_service_hosts_take_reserved_ports_of_the_last_group() -> None:
    pools = [pool("gpu", "n[01-70]", platform=adapters(1)), pool("ufm", "ufm-[1-2]", platform=adapters(1, role="management"))]
    attach = [{"pool": "gpu"}, {"pool": "ufm", "hcas": "all", "at": "reserved"}]
    one = built(pools, fabric(attach=attach, kind="dragonfly", switch="qm8700", a=4, p=2, h=2, reserve={"ufm": 2}))
    plugged = cabling(one, one.subnets[0])
    assert {plugged["ufm-1/mlx5_0:1"], plugged["ufm-2/mlx5_0:1"]} == {"g09-r04:1", "g09-r04:2"}


@pytest.mark.parametrize(
    ("hosts", "topology", "code", "key"),
    [
        ("n1", {"a": 24, "p": 12, "h": 12}, "IBG243", "a"),
        ("n1", {"a": 4, "p": 2, "h": 2, "groups": 10}, "IBG244", "groups"),
        ("n1", {"a": 4, "p": 2, "h": 2, "groups": 5, "links": 3}, "IBG244", "links"),
        ("n1", {"a": 4, "p": 2, "h": 2, "links": 9}, "IBG244", "links"),  # not one group in silence
        ("n[1-9]", {"a": 2, "p": 2, "h": 1, "groups": 2}, "IBG108", "groups"),
    ],
)
def test_impossible_numbers_are_findings_at_their_key(hosts: str, topology: dict[str, Any], code: str, key: str) -> None:
    shape = {"kind": "dragonfly", "switch": "qm8700"} | topology
    findings = found([pool("gpu", hosts, platform=adapters(1))], fabric(**shape))
    assert len(findings) == 1
    assert findings[0].hint
    assert findings[0].at == ("fabrics", 0, "topology", key)
    assert findings[0].code.id == code
