"""Fat trees as they are wired: port order, evenness, and that nothing moves that need not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.fabric import HOST_CABLE, LEAF, LEAF_CABLE, SPINE, SPINE_CABLE, Fabric, Subnet, port_labels, resolve
from ibgen.hostlist import fold

from .clusters import CATALOG, UFM, adapters, built, cabling, cluster, fabric, pool, switch_ends

RESERVED = [{"pool": "gpu"}, {"pool": "ufm", "hcas": "all", "at": "reserved"}]


def one(f: Fabric) -> Subnet:
    (subnet,) = f.subnets
    return subnet


def counts(s: Subnet) -> tuple[int, ...]:
    kinds = np.bincount(s.cables.kind, minlength=3)
    return (*(len(s.tier(t)) for t in range(3)), *(int(k) for k in kinds))


@pytest.mark.parametrize(
    ("su", "leaf", "spine", "ends", "isl"), [(1, 8, 4, 252, 256), (2, 16, 8, 508, 512), (4, 32, 16, 1020, 1024)]
)
def test_published_superpod_bills_of_cables(su: int, leaf: int, spine: int, ends: int, isl: int) -> None:
    """DGX H100 and B200 reference architectures, Network Fabrics, table 4: counted from the cables that are there."""
    nodes = 32 * su - 1
    f = built(
        [pool("gpu", f"dgx-[001-{nodes:03d}]"), pool("ufm", "ufm-[01-02]", platform=UFM)],
        fabric(attach=RESERVED, reserve={"ufm": 4}),
    )
    assert counts(one(f)) == (leaf, spine, 0, ends, isl, 0)
    assert (one(f).reserved.used.sum(), len(one(f).reserved.used)) == (4, 4)


@pytest.mark.parametrize(
    ("su", "leaf", "spine", "core", "isl", "top"), [(16, 128, 128, 64, 4096, 4096), (64, 512, 512, 256, 16384, 16384)]
)
def test_published_three_tier_superpods(su: int, leaf: int, spine: int, core: int, isl: int, top: int) -> None:
    s = one(built([pool("gpu", f"dgx-[0001-{32 * su:04d}]")], fabric()))
    assert counts(s) == (leaf, spine, core, 256 * su, isl, top)


def test_where_the_cables_of_a_rail_aligned_pod_go() -> None:
    f = built(
        [pool("gpu", "dgx-[001-127]"), pool("ufm", "ufm-[01-02]", platform=UFM)], fabric(attach=RESERVED, reserve={"ufm": 4})
    )
    plugs = cabling(f, one(f))
    hcas = [h.name for h in f.hosts.platforms[0].by_role("compute")]
    assert plugs[f"dgx-001/{hcas[0]}:1"] == "leaf-u01-r0:1"
    assert plugs[f"dgx-032/{hcas[7]}:1"] == "leaf-u01-r7:32"
    assert plugs[f"dgx-033/{hcas[3]}:1"] == "leaf-u02-r3:1"
    assert plugs["ufm-01/mlx5_0:1"] == "leaf-u04-r0:32"
    assert plugs["ufm-02/mlx5_1:1"] == "leaf-u04-r3:32"


def test_uplinks_run_spine_by_spine_and_spine_ports_leaf_by_leaf() -> None:
    s = one(built([pool("gpu", "dgx-[001-128]")], fabric()))  # 32 leaves, 16 spines, 2 cables a pair
    c, row = s.cables, s.switches.row
    keep = c.kind == LEAF_CABLE
    ends = {
        (int(a), int(p)): (int(b), int(q))
        for a, p, b, q in zip(c.lower[keep], c.lower_port[keep], c.upper[keep], c.upper_port[keep], strict=True)
    }
    assert ends[row["leaf-u01-r0"], 33] == (row["spine-01"], 1)
    assert ends[row["leaf-u01-r0"], 34] == (row["spine-01"], 2)
    assert ends[row["leaf-u01-r0"], 35] == (row["spine-02"], 1)
    assert ends[row["leaf-u01-r1"], 33] == (row["spine-01"], 3)
    assert ends[row["leaf-u04-r7"], 64] == (row["spine-16"], 64)


def test_all_adapters_of_a_host_on_one_leaf_side_by_side() -> None:
    f = built([pool("gpu", "n[1-4]")], fabric(rails="host", unit=2, leaf={"switch": "qm9700", "count": 2}))
    plugs = cabling(f, one(f))
    hcas = [h.name for h in f.hosts.platforms[0].by_role("compute")]
    assert plugs[f"n1/{hcas[0]}:1"] == "leaf-u01:1"
    assert plugs[f"n2/{hcas[7]}:1"] == "leaf-u01:16"
    assert plugs[f"n3/{hcas[0]}:1"] == "leaf-u02:1"


def test_one_switch_has_no_uplinks_and_is_called_leaf_01() -> None:
    s = one(built([pool("gpu", "n[1-4]")], fabric(spine=None)))
    assert s.switches.names == ("leaf-01",)
    assert sorted(s.ports.leaf_port) == list(range(1, 33))
    assert set(s.cables.kind) == {HOST_CABLE}


def test_ports_of_a_split_leaf_are_numbered_by_lane_and_uplinks_skip_one() -> None:
    """QM8700 split-ready profile: physical port p is 2p-1 and 2p (public dumps show 81 ports)."""
    hdr = {"tiers": 2, "leaf": {"switch": "qm8700", "split": 2}, "spine": {"switch": "qm8700"}}
    s = one(built([pool("gpu", "n[01-80]", platform=adapters(1, rate="200G"))], fabric(**hdr)))
    assert s.plan is not None
    assert (s.plan.unit, s.plan.leaves, s.plan.up) == (40, 2, 20)
    assert sorted(s.ports.leaf_port[s.ports.leaf == 0]) == list(range(1, 41))
    up = s.cables.lower_port[(s.cables.kind == LEAF_CABLE) & (s.cables.lower == 0)]
    assert list(up) == list(range(41, 81, 2))
    assert set(s.ports.rate_gbps) == {100.0}
    assert list(s.switches.ports) == [80, 80, 40]
    labels = port_labels(s, 0)
    assert (labels[1], labels[2], labels[41]) == ("1/1", "1/2", "21")


def test_link_rate_is_the_slower_of_adapter_and_switch() -> None:
    s = one(built([pool("gpu", "n[1-2]", platform=adapters(1, rate="400G"))], fabric(leaf={"switch": "qm8700"})))
    assert set(s.ports.rate_gbps) == {200.0}


def test_parts_of_a_rail_hold_whole_nvlink_domains() -> None:
    quantum_x800 = {"leaf": {"switch": "q3400-ra"}, "spine": {"switch": "q3400-ra"}}
    f = built([pool("gpu", "gb[001-144]", platform=adapters(4), domain=18)], fabric(unit=144, **quantum_x800))
    s = one(f)
    assert s.switches.names[:3] == ("leaf-u01-r0-a", "leaf-u01-r0-b", "leaf-u01-r1-a")
    plugs = cabling(f, s)
    assert plugs["gb072/mlx5_0:1"] == "leaf-u01-r0-a:72"
    assert plugs["gb073/mlx5_0:1"] == "leaf-u01-r0-b:1"


def test_planes_are_copies_with_names_of_their_own() -> None:
    dual = adapters(8, ports=2)
    f = built([pool("gpu", "n[01-33]", platform=dual)], fabric(planes=2, prefix="x"))
    assert [s.name for s in f.subnets] == ["compute-p1", "compute-p2"]
    assert [set(s.ports.port) for s in f.subnets] == [{1}, {2}]
    assert f.subnets[1].switches.names[0] == "x-p2-leaf-u01-r0"
    assert len({n for s in f.subnets for n in s.switches.names}) == 2 * len(f.subnets[0].switches.names)


def test_ports_go_to_the_planes_that_the_spec_names() -> None:
    attach = [{"pool": "gpu", "ports": {1: "plane-b", 2: "plane-a"}}]
    f = built([pool("gpu", "n[1-2]", platform=adapters(1, ports=2))], fabric(planes=2, attach=attach))
    assert [set(s.ports.port) for s in f.subnets] == [{2}, {1}]


def test_pools_with_units_of_their_own_share_a_fabric() -> None:
    pools = [pool("gpu", "n[01-32]", units=[1]), pool("new", "m[01-20]", units=[3]), pool("more", "k[01-40]", units=[2, 4])]
    f = built(pools, fabric(attach=[{"pool": p["name"]} for p in pools]))
    plugs = cabling(f, one(f))
    hca = f.hosts.platforms[0].by_role("compute")[0].name
    assert plugs[f"m01/{hca}:1"] == "leaf-u03-r0:1"
    assert plugs[f"k33/{hca}:1"] == "leaf-u04-r0:1"


def test_exceptions_mark_hosts_and_single_adapters_and_keep_their_cables() -> None:
    hosts = [{"hosts": "n2", "hcas": {"mlx5_0": "down"}}, {"hosts": "n[3-4]", "state": "planned"}]
    s = one(built([pool("gpu", "n[1-4]", platform=adapters(2), exceptions=hosts)], fabric()))
    assert list(s.ports.state) == [0, 0, 2, 0, 1, 1, 1, 1]
    assert len(s.cables.kind) == 8


def test_reserved_ports_take_spare_downlinks_before_another_leaf() -> None:
    lab = {"rails": "host", "unit": 2, "leaf": {"switch": "qm9700", "count": 2}, "reserve": {"ufm": 4}}
    f = built([pool("gpu", "n[1-4]"), pool("ufm", "ufm-[01-02]", platform=UFM)], fabric(attach=RESERVED, **lab))
    assert cabling(f, one(f))["ufm-01/mlx5_0:1"] == "leaf-u02:25"


def test_uneven_spines_stay_level() -> None:
    s = one(built([pool("gpu", "dgx-[001-128]")], fabric(spine={"switch": "qm9700", "count": 18})))
    per_spine = np.bincount(s.cables.upper[s.cables.kind == LEAF_CABLE])[s.tier(SPINE)]
    assert per_spine.max() - per_spine.min() <= 1


@pytest.mark.parametrize("cores", [64, 32 * 3, 48, 128])
def test_given_cores_reach_every_pod(cores: int) -> None:
    s = one(
        built(
            [pool("gpu", "dgx-[001-512]")],
            fabric(core={"switch": "qm9700", "count": cores}, spine={"switch": "qm9700", "uplinks": 24}),
        )
    )
    c = s.cables
    top = c.kind == SPINE_CABLE
    pod = s.switches.pod[c.lower[top]]
    reached = {(int(u), int(p)) for u, p in zip(c.upper[top], pod, strict=True)}
    assert s.plan is not None
    assert len(reached) == cores * s.plan.pods


sizes = st.fixed_dictionaries(
    {
        "n": st.one_of(st.integers(1, 100), st.integers(1, 2_000), st.integers(1, 20_000)),
        "ports": st.sampled_from([1, 2, 4, 8]),
        "rails": st.sampled_from(["aligned", "host"]),
        "leaf": st.sampled_from([{}, {"downlinks": 40}, {"downlinks": 24}, {"split": 2}, {"downlinks": 33, "uplinks": 23}]),
        "model": st.sampled_from(["qm9700", "qm8700"]),
        "reserve": st.sampled_from([{}, {"ufm": 4}, {"sm": 1, "ufm": 9}]),
        "spine": st.sampled_from([{}, {"uplinks": 12}]),
    }
)


def grown(size: dict[str, Any], n: int) -> Fabric | None:
    leaf = {"switch": size["model"]} | size["leaf"]
    if leaf.get("downlinks", 0) + leaf.get("uplinks", 0) > 40 and size["model"] == "qm8700":
        leaf = {"switch": size["model"]}
    fields = {
        "rails": size["rails"],
        "leaf": leaf,
        "spine": {"switch": size["model"]} | size["spine"],
        "reserve": size["reserve"],
    }
    spec_pool = pool("gpu", f"n[1-{n}]", platform=adapters(size["ports"]))
    result, findings = resolve(cluster([spec_pool], fabric(**fields)), CATALOG)
    return None if findings else result


@settings(max_examples=60, deadline=None)
@given(size=sizes)
def test_any_fabric_uses_each_port_once_within_the_radix_and_is_even(size: dict[str, Any]) -> None:
    f = grown(size, size["n"])
    if f is None:
        return
    s = one(f)
    ends = switch_ends(s)
    assert len(np.unique(ends, axis=0)) == len(ends)
    assert (ends[:, 1] >= 1).all()
    assert (ends[:, 1] <= s.switches.ports[ends[:, 0]]).all()
    used = np.bincount(ends[:, 0], minlength=len(s.switches.names))
    assert (used <= s.switches.ports).all()
    c = s.cables
    for kind in (LEAF_CABLE, SPINE_CABLE):
        pairs = np.stack([c.lower[c.kind == kind], c.upper[c.kind == kind]], axis=1)
        if len(pairs):
            assert len(set(np.unique(pairs, axis=0, return_counts=True)[1])) == 1, "every pair has as many cables"
    if s.plan is not None and s.plan.tiers > 1:
        up = np.bincount(c.lower[c.kind == LEAF_CABLE], minlength=len(s.tier(LEAF)))
        assert set(up) == {s.plan.up}, "every leaf has its full set of uplinks"
        rows = c.lower[c.kind == LEAF_CABLE]
        assert s.plan.tiers == 2 or (s.switches.pod[rows] == s.switches.pod[c.upper[c.kind == LEAF_CABLE]]).all()


@settings(max_examples=40, deadline=None)
@given(size=sizes, n=st.integers(2, 200), data=st.data())
def test_removing_or_adding_a_host_moves_no_other_cable(size: dict[str, Any], n: int, data: st.DataObject) -> None:
    gone = data.draw(st.integers(1, n - 1))  # the last one may end a unit
    fields = {"rails": size["rails"], "reserve": size["reserve"]}

    def plugs(names: list[str], **more: Any) -> dict[str, str]:
        f = built([pool("gpu", fold(names), platform=adapters(size["ports"]), **more)], fabric(**fields))
        return cabling(f, one(f)) | {
            f"kept {i}": str(p) for i, p in enumerate(zip(one(f).reserved.leaf, one(f).reserved.leaf_port, strict=True))
        }

    hosts = [f"n{i:03d}" for i in range(1, n + 1)]
    before = plugs(hosts)
    first = 1 if gone > 1 else 0  # the range still begins with slot 1, or slot 1 is pinned
    pins = {} if first else {"slots": {h: i for i, h in enumerate(hosts, 1) if i > 1}}
    after = plugs([h for i, h in enumerate(hosts, 1) if i != gone], **pins)
    assert after == {end: port for end, port in before.items() if not end.startswith(f"n{gone:03d}/")}


def test_replacing_a_host_by_a_pin_moves_no_other_cable() -> None:
    before = built([pool("gpu", "n[001-040]")], fabric())
    after = built([pool("gpu", "n[001-004,006-040],n005a", slots={"n005a": 5})], fabric())
    ours, theirs = cabling(before, one(before)), cabling(after, one(after))
    assert {k.replace("n005a", "n005"): v for k, v in theirs.items()} == ours


@settings(max_examples=25, deadline=None)
@given(units=st.integers(1, 20))
def test_growing_by_a_unit_keeps_every_name_and_host_port(units: int) -> None:
    one_more = built([pool("gpu", f"n[001-{32 * (units + 1):03d}]")], fabric())
    now = built([pool("gpu", f"n[001-{32 * units:03d}]")], fabric())
    after = cabling(one_more, one(one_more))
    assert all(after[end] == port for end, port in cabling(now, one(now)).items())
