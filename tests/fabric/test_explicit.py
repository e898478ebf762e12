"""Cables written out one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.diagnostics import Finding
from ibgen.fabric import Fabric, Subnet, cable_lines, path_of_cable, path_of_switch
from ibgen.hostlist import fold

from .clusters import adapters, built, cabling, fabric, found, pool

LEAVES = [
    {"names": "leaf-[1-2]", "switch": "qm9700", "role": "leaf"},
    {"names": "spine-1", "switch": "qm9700", "role": "spine"},
]
GPU = pool("gpu", "n[1-2]", platform=adapters(2))
CABLES = [
    "leaf-1:1 n1/mlx5_0:1",
    "leaf-2:1 n1/mlx5_1:1",
    "leaf-1:2 n2/mlx5_0:1",
    "n2/mlx5_1:1 leaf-2:2",
    "leaf-1:33 spine-1:1",
    "spine-1:2 leaf-2:33",
]


def written(cables: list[str], switches: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    return fabric(kind="explicit", switches=switches or LEAVES, cables=cables, **more)


def wrong(*cables: str) -> list[tuple[str, tuple[Any, ...], str]]:
    """Findings for the base cables and these: code name, path within the topology, message."""
    return [(f.code.name, f.at[3:], f.message) for f in found([GPU], written([*CABLES, *cables])) if not isinstance(f.at, str)]


def test_cables_become_columns_whichever_end_comes_first() -> None:
    f = built([GPU], written(CABLES))
    (s,) = f.subnets
    assert cabling(f, s) == {
        "n1/mlx5_0:1": "leaf-1:1",
        "n1/mlx5_1:1": "leaf-2:1",
        "n2/mlx5_0:1": "leaf-1:2",
        "n2/mlx5_1:1": "leaf-2:2",
    }
    assert [int(x) for x in s.cables.kind] == [0, 0, 0, 0, 1, 1]
    assert [
        (s.switches.names[a], s.switches.names[b]) for a, b in zip(s.cables.lower[4:], s.cables.upper[4:], strict=True)
    ] == [
        ("leaf-1", "spine-1"),
        ("leaf-2", "spine-1"),
    ]
    assert path_of_cable(s, 5) == ("fabrics", 0, "topology", "cables", 5)
    assert path_of_switch(s, 2) == ("fabrics", 0, "topology", "switches", 1)


def test_order_of_lines_and_groups_means_nothing() -> None:
    (one,) = built([GPU], written(CABLES)).subnets
    (other,) = built([GPU], written(CABLES[::-1], LEAVES[::-1])).subnets
    assert one.switches.names == other.switches.names
    for column in ("kind", "lower", "lower_port", "upper", "upper_port"):
        assert (getattr(one.cables, column) == getattr(other.cables, column)).all()
    assert (one.ports.node_guid == other.ports.node_guid).all()


def test_rails_and_units_are_read_off_the_cables() -> None:
    (s,) = built([GPU], written(CABLES)).subnets
    assert list(s.switches.rail) == [0, 1, -1]
    assert list(s.switches.unit) == [1, 1, 0]
    assert list(s.ports.rail) == [0, 1, 0, 1]


def test_a_port_may_be_written_as_its_label_on_the_switch() -> None:
    """A QM9700 has twin-port cages: 1/2 is port 2, 17/1 port 33."""
    cables = [CABLES[0], CABLES[1], "leaf-1:1/2 n2/mlx5_0:1", CABLES[3], "leaf-1:17/1 spine-1:1/1", CABLES[5]]
    one, other = built([GPU], written(cables)), built([GPU], written(CABLES))
    assert cable_lines(one.subnets[0], one.hosts) == cable_lines(other.subnets[0], other.hosts)


@pytest.mark.parametrize(
    ("cable", "name", "part"),
    [
        ("leaf-1:3 n3/mlx5_0:1", "cable-unknown-end", "n3"),
        ("leaf-1:3 n1/mlx5_9:1", "cable-unknown-end", "mlx5_9"),
        ("leaf-9:3 spine-1:9", "cable-unknown-end", "leaf-9"),
        ("leaf-1:65 spine-1:9", "cable-port-missing", "65"),
        ("leaf-1:0 spine-1:9", "cable-port-missing", "0"),
        ("leaf-1:99/1 spine-1:9", "cable-port-missing", "99/1"),
        ("leaf-1:9 spine-1:99999999999999999999", "cable-port-missing", "99999999999999999999"),
        ("leaf-1:3 n1/mlx5_0:2", "cable-port-missing", "2"),
        ("leaf-1:4 leaf-1:5", "cable-not-possible", "itself"),
        ("n1/mlx5_0:1 n2/mlx5_0:1", "cable-not-possible", "two hosts"),
        ("leaf-1:1 spine-1:9", "port-cabled-twice", "port 1 of leaf-1"),
        ("leaf-1:9 n1/mlx5_0:1", "port-cabled-twice", "n1/mlx5_0"),
        ("leaf-1:9", "cable-unreadable", "leaf-1:9"),
        ("leaf-1:9 spine-1:9 n1/mlx5_0:1", "cable-unreadable", "leaf-1"),
        ("leaf-1:x spine-1:9", "cable-unreadable", "leaf-1:x"),
        ("leaf-1:9\nspine-1:9", "cable-unreadable", "leaf-1"),
        ("", "cable-unreadable", ""),
    ],
)
def test_a_bad_line_is_named_with_its_place(cable: str, name: str, part: str) -> None:
    findings = wrong(cable)
    assert (name, ("cables", len(CABLES))) in [(n, at) for n, at, _ in findings]
    assert any(part in message for n, _, message in findings if n == name)


def test_every_bad_line_is_named_at_once() -> None:
    assert [at for _, at, _ in wrong("leaf-1:70 spine-1:3", "leaf-7:1 spine-1:4", "leaf-2:9 n1/mlx5_7:1")] == [
        ("cables", 6), ("cables", 7), ("cables", 8)
    ]  # fmt: skip


def test_a_port_used_twice_names_both_lines() -> None:
    (finding,) = found([GPU], written([*CABLES, "leaf-2:33 spine-1:9"]))
    assert finding.at == ("fabrics", 0, "topology", "cables", 6)
    assert [x.at for x in finding.labels] == [("fabrics", 0, "topology", "cables", 5)]


def test_attached_adapter_without_a_cable_is_listed() -> None:
    (finding,) = found([GPU], written(CABLES[1:]))
    assert finding.code.name == "hca-without-cable"
    assert "n1/mlx5_0" in finding.message


def test_unknown_name_gets_the_nearest_one() -> None:
    finding: Finding
    (finding,) = found([GPU], written([*CABLES, "laef-1:5 spine-1:9"]))
    assert "`leaf-1`" in finding.hint


def explicit_form(f: Fabric, s: Subnet) -> dict[str, Any]:
    roles = ("leaf", "spine", "core")
    models = [s.models[s.switches.model[s.tier(t)[0]]].id for t in range(s.top + 1)]
    groups = [
        {"names": fold(s.switches.names[r] for r in s.tier(t)), "switch": models[t], "role": roles[t]} for t in range(s.top + 1)
    ]
    return written(cable_lines(s, f.hosts), groups)


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(1, 400),
    ports=st.sampled_from([1, 2, 8]),
    rails=st.sampled_from(["aligned", "host"]),
    tiers=st.sampled_from([None, 3]),
)
def test_a_planned_fabric_written_out_reads_back_as_the_same_cables(n: int, ports: int, rails: str, tiers: int | None) -> None:
    hosts = [pool("gpu", f"n[001-{n:03d}]", platform=adapters(ports))]
    planned = built(hosts, fabric(rails=rails, tiers=tiers, unit=8))
    again = built(hosts, explicit_form(planned, planned.subnets[0]))
    a, b = planned.subnets[0], again.subnets[0]
    assert a.switches.names == b.switches.names
    assert (a.switches.guid == b.switches.guid).all()
    for column in ("kind", "lower", "lower_port", "upper", "upper_port", "rate_gbps"):
        assert (getattr(a.cables, column) == getattr(b.cables, column)).all(), column
    for column in ("host", "hca", "port", "rail", "leaf", "leaf_port", "node_guid", "port_guid", "compute"):
        assert (getattr(a.ports, column) == getattr(b.ports, column)).all(), column
    served = np.unique(a.ports.leaf) if rails == "aligned" else []
    assert len(set(b.switches.unit[served])) == len(set(a.switches.unit[served]))
