"""dragonfly+ against the counts of the simulation reference: 5 groups of 16 hosts, and 100 groups of 1,024 endpoints."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.fabric import GLOBAL_CABLE, HOST_CABLE, LEAF_CABLE, GroupPlan, Subnet, resolve

from .clusters import CATALOG, adapters, built, cluster, fabric, found, pool, switch_ends

LARGE = {"kind": "dragonfly-plus", "groups": 100, "links": 10, "leaf": {"switch": "qm9700"}, "spine": {"switch": "qm9700"}}


def between(subnet: Subnet) -> np.ndarray:
    """Cables between every two groups, [G, G], counted from the cables."""
    own = subnet.switches.pod - 1
    rows = subnet.cables.kind == GLOBAL_CABLE
    groups = int(own.max()) + 1
    table = np.zeros((groups, groups), int)
    np.add.at(table, (own[subnet.cables.lower[rows]], own[subnet.cables.upper[rows]]), 1)
    return table + table.T


def test_a_hundred_groups_have_102400_endpoints_6400_switches_and_254300_cables() -> None:
    spec = cluster([pool("gpu", "n[00001-12800]", platform=adapters(8))], fabric(**LARGE))
    start = time.process_time()
    whole, findings = resolve(spec, CATALOG)
    spent = time.process_time() - start
    assert not findings
    assert whole is not None
    subnet = whole.subnets[0]
    assert (len(subnet.ports.host), len(subnet.switches.names), len(subnet.cables.kind)) == (102_400, 6_400, 254_300)
    kinds = np.bincount(subnet.cables.kind, minlength=5)
    assert (kinds[HOST_CABLE], kinds[LEAF_CABLE], kinds[GLOBAL_CABLE]) == (102_400, 102_400, 49_500)
    assert (between(subnet)[~np.eye(100, dtype=bool)] == 10).all()
    ends = switch_ends(subnet)
    assert len(np.unique(ends[:, 0].astype(np.int64) * 128 + ends[:, 1])) == len(ends)
    assert ends[:, 1].max() <= 64
    assert spent < 2, "0.15 s on an idle core"


def test_a_spine_carries_as_many_cables_to_other_groups_as_the_next_one() -> None:
    subnet = built([pool("gpu", "n[1-8]", platform=adapters(8))], fabric(**LARGE)).subnets[0]
    rows = subnet.cables.kind == GLOBAL_CABLE
    counts = np.bincount(np.concatenate([subnet.cables.lower[rows], subnet.cables.upper[rows]]))[3200:]
    assert set(counts.tolist()) == {30, 31}, "990 cables of a group on 32 spines"


def test_five_groups_of_sixteen_hosts_with_four_cables_a_pair() -> None:
    small = {"switch": "qm8700", "downlinks": 4, "uplinks": 4, "count": 4}
    shape = {"kind": "dragonfly-plus", "groups": 5, "links": 4, "leaf": small, "rails": "host"}
    shape["spine"] = {"switch": "qm8700", "count": 4, "uplinks": 4}
    subnet = built([pool("gpu", "n[01-80]", platform=adapters(1))], fabric(**shape)).subnets[0]
    assert np.bincount(subnet.cables.kind, minlength=5).tolist() == [80, 80, 0, 0, 40]
    assert (between(subnet)[~np.eye(5, dtype=bool)] == 4).all()
    assert subnet.switches.names[0] == "g01-leaf-01"
    assert subnet.switches.names[20] == "g01-spine-01"


@settings(max_examples=60, deadline=None)
@given(
    leaves=st.integers(1, 8), up=st.integers(1, 12), outward=st.integers(1, 12), groups=st.integers(2, 9),
    rails=st.sampled_from(["aligned", "host"]), ports=st.integers(1, 4),
)  # fmt: skip
def test_whatever_is_written_builds_evenly_or_says_why(
    leaves: int, up: int, outward: int, groups: int, rails: str, ports: int
) -> None:
    leaf: dict[str, Any] = {"switch": "qm8700", "downlinks": 4, "uplinks": up, "count": leaves}
    spine = {"switch": "qm8700", "uplinks": outward}
    shape = {"kind": "dragonfly-plus", "groups": groups, "leaf": leaf, "spine": spine, "rails": rails}
    spec = cluster([pool("gpu", "n[1-3]", platform=adapters(ports))], fabric(**shape))
    whole, findings = resolve(spec, CATALOG)
    assert whole is not None
    assert bool(findings) == bool(whole.failed)
    assert all(f.hint for f in findings)
    for subnet in whole.subnets:
        ends = switch_ends(subnet)
        assert len(np.unique(ends, axis=0)) == len(ends)
        assert ends[:, 1].max() <= 40
        pairs = between(subnet)[~np.eye(groups, dtype=bool)]
        assert 1 <= pairs.min() <= pairs.max() <= pairs.min() + 1
        layout = subnet.layout
        assert isinstance(layout, GroupPlan)
        inside = subnet.cables.kind == LEAF_CABLE
        per_leaf = np.bincount(subnet.cables.lower[inside], minlength=groups * leaves)
        assert set(per_leaf.tolist()) == {up}
        pod = subnet.switches.pod
        assert (pod[subnet.cables.lower[inside]] == pod[subnet.cables.upper[inside]]).all()


def test_too_many_leaves_for_a_spine_is_said_with_both_numbers() -> None:
    leaf = {"switch": "qm8700", "count": 30}
    shape = {"kind": "dragonfly-plus", "groups": 3, "leaf": leaf, "spine": {"switch": "qm8700"}, "rails": "host"}
    findings = found([pool("gpu", "n1", platform=adapters(1))], fabric(**shape))
    assert [f.code.id for f in findings] == ["IBG247"]
    assert "30 leaves" in findings[0].message
