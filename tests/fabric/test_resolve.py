"""What is attached, what is refused, and where the finding points: the whole room through its front door."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.diagnostics import Finding, Span
from ibgen.fabric import path_of_endpoint, path_of_host, path_of_switch, resolve

from .clusters import CATALOG, UFM, adapters, built, cluster, fabric, found, pool, switch_ends

OPAQUE = {"name": "rented", "control": {"kind": "provider"}, "topology": {"kind": "opaque"}}
GPU = pool("gpu", "n[1-4]")


def single(pools: list[dict[str, Any]], *fabrics: dict[str, Any]) -> Finding:
    (finding,) = found(pools, *fabrics)
    assert finding.hint
    return finding


def test_compute_and_storage_fabrics_share_the_hosts() -> None:
    f = built([GPU], fabric(), fabric("storage", [{"pool": "gpu", "hcas": "storage"}], prefix="st"))
    compute, storage = f.subnets
    assert compute.ports.compute.all()
    assert not storage.ports.compute.any()
    assert storage.switches.names == ("st-leaf-01",)
    assert path_of_host(f, 0) == ("pools", 0, "hosts")
    assert path_of_switch(storage, 0) == ("fabrics", 1, "topology", "leaf")
    assert path_of_endpoint(storage, 0) == ("fabrics", 1, "attach", 0)


def test_opaque_fabric_has_hosts_and_no_subnet() -> None:
    f = built([GPU], OPAQUE)
    assert f.hosts.names == ("n1", "n2", "n3", "n4")
    assert f.of(0) == ()
    assert f.failed == ()


def test_one_impossible_fabric_leaves_the_others_standing() -> None:
    spec = cluster([GPU], fabric(spine=None, units=2), fabric("storage", [{"pool": "gpu", "hcas": "storage"}], prefix="st"))
    f, findings = resolve(spec, CATALOG)
    assert f is not None
    assert [s.name for s in f.subnets] == ["storage"]
    assert f.failed == (0,)
    assert [x.code.name for x in findings] == ["spine-missing"]


def test_everything_is_said_at_once() -> None:
    pools = [
        pool("gpu", "n[1-4]", exceptions=[{"hosts": "n1", "hcas": {"mlx5_99": "down"}}]),
        pool("new", "m[1-4]", platform="dgx-h1000"),
    ]
    names = {
        f.code.name for f in found(pools, fabric(leaf={"switch": "qm970"}), fabric("b", [{"pool": "gpu", "hcas": ["mlx5_x"]}]))
    }
    assert names == {"hca-unknown", "platform-unknown", "switch-unknown"}


def test_nothing_known_gives_no_fabric() -> None:
    f, findings = resolve(cluster([pool("gpu", "n1", platform="nope")], fabric()), CATALOG)
    assert f is None
    assert [x.code.name for x in findings] == ["platform-unknown"]


def test_names_that_nothing_bears_are_left_to_the_loading_of_the_spec() -> None:
    f, findings = resolve(cluster([GPU], fabric(attach=[{"pool": "gpus"}])), CATALOG)
    assert f is not None
    assert f.failed == (0,)
    assert not findings


def test_host_in_two_pools_does_not_upset_the_columns() -> None:
    f, _ = resolve(cluster([GPU, pool("more", "n[3-6]")], fabric()), CATALOG)
    assert f is not None
    assert f.hosts.names == ("n1", "n2", "n3", "n4", "n5", "n6")


def test_two_pools_that_both_count_from_one_meet() -> None:
    finding = single([GPU, pool("login", "login-1")], fabric(attach=[{"pool": "gpu"}, {"pool": "login"}]))
    assert finding.code.name == "slot-taken-twice"
    assert finding.at == ("pools", 1, "hosts")
    assert all(word in finding.message for word in ("n1", "login-1", "`gpu`", "`login`"))
    assert "units" in finding.hint


@pytest.mark.parametrize(
    ("extra", "name", "at"),
    [
        ({"slots": {"n2": 1}}, "slot-taken-twice", ("pools", 0, "slots", "n2")),
        ({"units": [1], "hosts": "n[1-33]"}, "slot-outside-units", ("pools", 0, "units")),
        ({"hosts": "n[1,01]"}, "slots-unclear", ("pools", 0, "hosts")),
        (
            {"exceptions": [{"hosts": "n1", "hcas": {"mlx5_77": "down"}}]},
            "hca-unknown",
            ("pools", 0, "exceptions", 0, "hcas", "mlx5_77"),
        ),
        ({"exceptions": [{"hosts": "ufm-1", "state": "down"}]}, "host-of-another-pool", ("pools", 0, "exceptions", 0, "hosts")),
        ({"slots": {"ufm-1": 7}}, "host-of-another-pool", ("pools", 0, "slots", "ufm-1")),
        (
            {"platform": {"kind": "generic", "gpus": 8, "hcas": [{"name": "mlx5_0", "rate": "400G"}]}},
            "platform-contradicts-itself",
            ("pools", 0, "platform", "gpus"),
        ),
    ],
)
def test_a_fault_in_a_pool_is_named_at_its_place(extra: dict[str, Any], name: str, at: tuple[Any, ...]) -> None:
    finding = single([GPU | extra, pool("ufm", "ufm-1", platform=UFM)], fabric())
    assert (finding.code.name, finding.at) == (name, at)


@pytest.mark.parametrize(
    ("attach", "name", "at"),
    [
        ({"hcas": ["mlx5_0", "mlx5_77"]}, "hca-unknown", ("hcas", 1)),
        ({"pool": "bare", "hcas": "management"}, "nothing-attached", ("hcas",)),
        ({"hcas": "management"}, "hca-wrong-link-kind", ("hcas",)),
        ({"ports": {"2": "plane-a"}}, "hca-port-missing", ("ports", "2")),
        ({"ports": {"1": "plane-b"}}, "hca-port-missing", ("ports", "1")),
        ({"at": "reserved"}, "nothing-attached", ()),
    ],
)
def test_a_fault_in_an_attachment_is_named_at_its_place(attach: dict[str, Any], name: str, at: tuple[Any, ...]) -> None:
    pools = [GPU, pool("bare", "b1", platform=adapters(1))]
    finding = single(pools, fabric(attach=[{"pool": "gpu"} | attach]))
    assert finding.code.name == name
    assert finding.at[:3] == ("fabrics", 0, "attach")
    assert not at or finding.at[4:] == at


def test_single_port_cards_cannot_serve_two_planes() -> None:
    assert single([GPU], fabric(planes=2)).code.name == "hca-port-missing"


def test_efa_adapters_do_not_fit_an_infiniband_fabric() -> None:
    aws = pool("aws", "a[1-2]", platform="aws/p5.48xlarge")
    assert single([aws], fabric(attach=[{"pool": "aws"}])).code.name == "hca-wrong-link-kind"


def test_ethernet_switches_do_not_fit_an_infiniband_fabric() -> None:
    finding = single([GPU], fabric(leaf={"switch": "sn5600"}))
    assert (finding.code.name, finding.at) == ("switch-wrong-fabric", ("fabrics", 0, "topology", "leaf", "switch"))


def test_one_port_on_two_fabrics_names_both() -> None:
    finding = single([GPU], fabric(), fabric("b", [{"pool": "gpu", "hcas": ["mlx5_0"]}], prefix="b"))
    assert finding.code.name == "hca-attached-twice"
    assert finding.at == ("fabrics", 1, "attach", 0)
    assert finding.labels[0].at == ("fabrics", 0, "attach", 0)


def test_switches_of_two_fabrics_with_one_name_ask_for_a_prefix() -> None:
    finding = single([GPU], fabric(), fabric("storage", [{"pool": "gpu", "hcas": "storage"}]))
    assert finding.code.name == "switch-named-twice"
    assert "prefix" in finding.hint


def test_a_switch_may_not_be_called_like_a_host() -> None:
    assert single([GPU, pool("odd", "leaf-01")], fabric()).code.name == "switch-named-twice"


SERVICE = [GPU, pool("ufm", "ufm-[1-2]", platform=UFM)]


@pytest.mark.parametrize(
    ("reserve", "entry", "name", "at"),
    [
        ({"ufm": 3}, {}, "reserve-too-small", ()),
        ({}, {}, "reserve-without-room", ("at",)),
        ({"sm": 4, "gw": 4}, {}, "reserve-without-room", ("at",)),
        ({"sm": 4}, {"reserved_for": "sn"}, "reserve-without-room", ("reserved_for",)),
    ],
)
def test_a_fault_in_reserved_ports_is_named_at_its_place(
    reserve: dict[str, Any], entry: dict[str, Any], name: str, at: tuple[Any, ...]
) -> None:
    attach = [{"pool": "gpu"}, {"pool": "ufm", "hcas": "all", "at": "reserved"} | entry]
    finding = single(SERVICE, fabric(attach=attach, reserve=reserve))
    assert (finding.code.name, finding.at) == (name, ("fabrics", 0, "attach", 1, *at))


def test_service_hosts_keep_their_port_when_a_sibling_goes() -> None:
    """ufm-2 has the third and fourth reserved port, whether ufm-1 is there or not."""

    def ports(hosts: str, **more: Any) -> list[int]:
        attach = [{"pool": "gpu"}, {"pool": "ufm", "hcas": "all", "at": "reserved"}]
        f = built([GPU, pool("ufm", hosts, platform=UFM, **more)], fabric(attach=attach, reserve={"ufm": 4}))
        s = f.subnets[0]
        return [int(p) for p in s.ports.leaf_port[s.ports.host == f.hosts.row["ufm-2"]]]

    assert ports("ufm-[1-2]") == ports("ufm-2", slots={"ufm-2": 2}) == [59, 60]


def test_reservation_of_its_own_name_is_taken_where_there_are_several() -> None:
    attach = [{"pool": "gpu"}, {"pool": "ufm", "hcas": "all", "at": "reserved"}]
    s = built(SERVICE, fabric(attach=attach, reserve={"gw": 2, "ufm": 4})).subnets[0]
    assert [p for p, used in zip(s.reserved.purpose, s.reserved.used, strict=True) if used] == ["ufm"] * 4
    assert list(s.ports.rail[-4:]) == [-1] * 4


def test_adapters_listed_by_name_make_rails_in_the_order_of_the_list() -> None:
    f = built([pool("gpu", "n[1-2]", platform=adapters(4))], fabric(attach=[{"pool": "gpu", "hcas": ["mlx5_3", "mlx5_0"]}]))
    s = f.subnets[0]
    assert [(int(h), int(r)) for h, r in zip(s.ports.hca, s.ports.rail, strict=True)] == [(0, 1), (3, 0)] * 2


_small = st.one_of(*[st.none()] * 5, st.integers(1, 70))
_tier = st.fixed_dictionaries(
    {"switch": st.sampled_from(["qm9700", "qm8700", "sb7800", "q3400-ra"])}, optional={"count": _small, "uplinks": _small}
)
_leaf = st.builds(
    lambda tier, more: tier | more,
    _tier,
    st.fixed_dictionaries({}, optional={"downlinks": _small, "split": st.sampled_from([1, 1, 1, 2])}),
)
_topologies = st.fixed_dictionaries(
    {"kind": st.just("fat-tree"), "leaf": _leaf, "spine": st.one_of(_tier, _tier, _tier, st.none())},
    optional={
        "rails": st.sampled_from(["aligned", "host"]),
        "unit": _small,
        "units": _small,
        "core": st.one_of(st.none(), _tier),
        "tiers": st.sampled_from([None, None, 1, 2, 3]),
        "pod": _small,
        "planes": st.sampled_from([1, 1, 1, 2]),
        "reserve": st.dictionaries(
            st.sampled_from(["ufm", "sm"]),
            st.one_of(st.integers(1, 40), st.fixed_dictionaries({"ports": st.integers(1, 9), "unit": _small})),
        ),
    },
)
_pools = st.fixed_dictionaries(
    {
        "hosts": st.sampled_from(["n1", "n[1-8]", "n[001-300]", "n[001-999]", "n[3,90]", "a[1-4],b[1-2]"]),
        "platform": st.builds(lambda n, p: adapters(n, ports=p), st.integers(1, 9), st.integers(1, 3)),
    },
    optional={"units": st.lists(st.integers(1, 9), max_size=3), "domain": st.sampled_from([None, None, 2, 4, 18, 40])},
)


@settings(max_examples=300, deadline=None)
@given(topology=_topologies, gpu=_pools, ports=st.sampled_from([None, {"1": "plane-a"}, {"1": "a", "2": "a"}, {"1": "b"}]))
def test_whatever_is_written_gives_a_fabric_or_a_finding_that_helps(
    topology: dict[str, Any], gpu: dict[str, Any], ports: Any
) -> None:
    attach = [{"pool": "gpu", "ports": ports}, {"pool": "ufm", "hcas": "all", "at": "reserved", "ports": {"1": "a"}}]
    spec = cluster([gpu | {"name": "gpu"}, pool("ufm", "ufm-[1-2]", platform=UFM)], fabric(attach=attach, **topology))
    result, findings = resolve(spec, CATALOG)
    assert result is not None
    assert bool(result.failed) == bool(findings)
    for finding in findings:
        assert finding.hint
        assert not isinstance(finding.at, Span)
    for subnet in result.subnets:
        ends = switch_ends(subnet)
        assert len(np.unique(ends, axis=0)) == len(ends)
        assert (ends[:, 1] <= subnet.switches.ports[ends[:, 0]]).all()
        kinds = subnet.cables.kind
        assert len(set(np.bincount(subnet.cables.lower[kinds == 1]))) <= 1, "every leaf has its full set of uplinks"
