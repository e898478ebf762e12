"""GUIDs: synthetic ones that depend on names alone, and the file that binds real ones."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgen.diagnostics import Finding, Span
from ibgen.fabric import Bindings, Fabric, guids, is_synthetic, read_bindings, resolve

from .clusters import CATALOG, adapters, built, cluster, fabric, pool

HEAD = "host,hca,port,node_guid,port_guid,system_image_guid\n"


def of(f: Fabric, host: str, hca: int) -> tuple[int, int]:
    (s,) = f.subnets
    (row,) = np.flatnonzero((s.ports.host == f.hosts.row[host]) & (s.ports.hca == hca))
    return int(s.ports.node_guid[row]), int(s.ports.port_guid[row])


def test_layout_is_local_and_leaves_room_for_the_port() -> None:
    f = built([pool("gpu", "n[1-2]", platform=adapters(2))], fabric())
    node, port = of(f, "n1", 1)
    assert node >> 56 == 0x02, "locally administered: no vendor has it"
    assert port == node + 1, "as ibsim numbers ports"
    assert of(f, "n1", 0)[0] + (1 << 4) == node
    assert is_synthetic(node)
    assert is_synthetic(int(f.subnets[0].switches.guid[0]))
    assert not is_synthetic(0x9C63C00300A1B200)


def test_every_guid_is_distinct() -> None:
    f = built([pool("gpu", "dgx-[001-256]")], fabric())
    (s,) = f.subnets
    every = np.concatenate([s.ports.node_guid, s.ports.port_guid, s.switches.guid])
    assert len(np.unique(every)) == len(every)


def test_guids_do_not_depend_on_the_order_or_the_company_of_a_host() -> None:
    a, b = pool("gpu", "n[1-4]"), pool("new", "m[1-4]", units=[2])
    attach = [{"pool": "gpu"}, {"pool": "new"}]
    one = built([a, b], fabric(attach=attach))
    two = built([b, a], fabric(attach=attach[::-1]))
    alone = built([pool("gpu", "n3")], fabric())
    assert of(one, "n3", 0) == of(two, "n3", 0) == of(alone, "n3", 0)
    assert dict(zip(one.subnets[0].switches.names, one.subnets[0].switches.guid, strict=True)) == dict(
        zip(two.subnets[0].switches.names, two.subnets[0].switches.guid, strict=True)
    )


@given(
    names=st.lists(st.text(alphabet="abc0123456789-", min_size=1, max_size=8), unique=True, max_size=40),
    seed=st.integers(0, 99),
)
def test_names_give_distinct_guids_in_any_order(names: list[str], seed: int) -> None:
    shuffled = random.Random(seed).sample(names, len(names))
    one = dict(zip(names, guids.name_guids(names, guids.HOST).tolist(), strict=True))
    assert len(set(one.values())) == len(names)
    assert one == dict(zip(shuffled, guids.name_guids(shuffled, guids.HOST).tolist(), strict=True))


def test_colliding_names_are_told_apart_in_the_order_of_the_names() -> None:
    hashes = np.array([7, 7, 9, 7], np.uint64)
    one = dict(zip("dacb", guids._apart("dacb", hashes).tolist(), strict=True))
    assert one["a"] == 7
    assert len(set(one.values())) == 4
    other = guids._apart("bcad", np.array([7, 9, 7, 7], np.uint64))
    assert dict(zip("bcad", other.tolist(), strict=True)) == one


def only(text: str) -> Finding:
    (finding,) = read_bindings(text, "b.csv")[1]
    assert finding.hint
    return finding


ROW = "n1,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200\n"


def test_bindings_of_ports_and_switches_replace_the_synthetic_guids() -> None:
    text = HEAD + ROW + "n2,mlx5_0,1,9c63:c003:00a1:b300,0x9c63c00300a1b301,\n# spine rack\nleaf-01,,,0xfc6a1c0300b00040,,\n"
    bindings, findings = read_bindings(text, "b.csv")
    assert not findings
    spec = cluster([pool("gpu", "n[1-2]", platform=adapters(1))], fabric())
    f, findings = resolve(spec, CATALOG, bindings)
    assert not findings
    assert f is not None
    assert of(f, "n1", 0) == (0x9C63C00300A1B200, 0x9C63C00300A1B200)
    assert of(f, "n2", 0) == (0x9C63C00300A1B300, 0x9C63C00300A1B301)
    assert f.subnets[0].switches.guid[0] == 0xFC6A1C0300B00040
    assert f.subnets[0].bound


def test_partly_bound_counts_as_unbound_and_lists_the_hosts() -> None:
    bindings, _ = read_bindings(HEAD + ROW + "leaf-01,,,0xfc6a1c0300b00040,,\n", "b.csv")
    planned = [{"hosts": "n3", "state": "planned"}]
    spec = cluster([pool("gpu", "n[1-3]", platform=adapters(1), exceptions=planned)], fabric())
    f, _ = resolve(spec, CATALOG, bindings)
    assert f is not None
    assert not f.subnets[0].bound
    assert [f.hosts.names[r] for r in f.subnets[0].unbound_hosts] == ["n2"], "a planned host has no GUIDs yet"


@pytest.mark.parametrize(
    ("row", "name", "span"),
    [
        (ROW.replace("0x9c63c00300a1b200", "9c63c00300a1b200", 1), "guid-unreadable", (2, 13)),
        (ROW.replace("0x9c63c00300a1b200", "0x9c63c00300a1b2000", 1), "guid-unreadable", (2, 13)),
        (ROW.replace("0x9c63c00300a1b200", "", 1), "guid-unreadable", (2, 13)),
        (ROW.replace("0x9c63c00300a1b200", "0x0", 1), "guid-zero", (2, 13)),
        ("n1,mlx5_0,1,0x9c63c00300a1b200,0x0000000000000000,\n", "guid-zero", (2, 32)),
        ("n1,mlx5_0,1,0x9c63c00300a1b200\n", "bindings-unreadable", (2, 1)),
        ("n1,mlx5_0,,0x9c63c00300a1b200,0x9c63c00300a1b200,\n", "bindings-unreadable", (2, 1)),
        ("n1,mlx5_0,x,0x9c63c00300a1b200,0x9c63c00300a1b200,\n", "bindings-unreadable", (2, 1)),
        (ROW + ROW.replace("b200", "b300"), "binding-twice", (3, 1)),
    ],
)
def test_a_bad_row_is_named_with_its_place(row: str, name: str, span: tuple[int, int]) -> None:
    finding = only(HEAD + row)
    assert finding.code.name == name
    assert isinstance(finding.at, Span)
    assert (finding.at.file, finding.at.line, finding.at.column) == ("b.csv", *span)


def test_k13_the_same_guid_on_two_hosts_names_both_lines() -> None:
    finding = only(HEAD + ROW + "\n" + ROW.replace("n1", "n2"))
    assert finding.code.name == "guid-on-two-hosts"
    assert isinstance(finding.at, Span)
    assert (finding.at.line, finding.labels[0].at) == (4, Span("b.csv", 2))
    assert "n1" in finding.message
    assert "n2" in finding.message


def test_two_ports_of_one_adapter_share_their_node_guid() -> None:
    text = HEAD + "n1,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,\nn1,mlx5_0,2,0x9c63c00300a1b200,0x9c63c00300a1b201,\n"
    assert not read_bindings(text, "b.csv")[1]


def test_missing_columns_are_named() -> None:
    finding = only("host,hca,port,node_guid\nn1,mlx5_0,1,0x1\n")
    assert finding.code.name == "bindings-unreadable"
    assert "port_guid" in finding.message
    assert only("").code.name == "bindings-unreadable"


@pytest.mark.parametrize("row", ["n9,mlx5_0,1", "n1,mlx5_7,1", "n1,mlx5_0,2", "leaf-77,,"])
def test_a_name_the_spec_does_not_have_is_named_at_its_line(row: str) -> None:
    bindings, findings = read_bindings(f"{HEAD}{row},0x9c63c00300a1b200,0x9c63c00300a1b200,\n", "b.csv")
    assert not findings
    spec = cluster([pool("gpu", "n[1-2]", platform=adapters(1))], fabric())
    (finding,) = resolve(spec, CATALOG, bindings)[1]
    assert finding.code.name == "binding-unknown-name"
    assert isinstance(finding.at, Span)
    assert finding.at.line == 2


def test_no_bindings_at_all_are_unbound() -> None:
    assert not built([pool("gpu", "n1")], fabric()).subnets[0].bound
    f, _ = resolve(cluster([pool("gpu", "n1")], fabric()), CATALOG, Bindings("b.csv"))
    assert f is not None
    assert not f.subnets[0].bound
