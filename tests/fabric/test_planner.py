"""The planner against the published reference architectures and the arithmetic of fat trees (planner.md sections 1-3, 8)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.catalog import SwitchModel, standard
from ibgen.fabric.columns import Plan
from ibgen.fabric.planner import divisor, plan_fat_tree
from ibgen.spec import FatTree

CATALOG = standard()


def switch(name: str) -> SwitchModel:
    model = CATALOG.switch(name)
    assert model is not None
    return model


def topology(**fields: Any) -> FatTree:
    return FatTree.model_validate({"kind": "fat-tree", "leaf": {"switch": "qm9700"}, "spine": {"switch": "qm9700"}} | fields)


def planned(t: FatTree, *, slots: int = 0, ports: int = 8, domain: int = 1) -> Plan:
    spine = switch(t.spine.switch) if t.spine else None
    core = switch(t.core.switch) if t.core else None
    plan, findings = plan_fat_tree(t, switch(t.leaf.switch), spine, core, ports=ports, slots=slots, domain=domain)
    assert not findings, findings
    assert plan is not None
    return plan


def refused(t: FatTree, *, slots: int = 0, ports: int = 8, domain: int = 1) -> tuple[str, str]:
    spine = switch(t.spine.switch) if t.spine else None
    core = switch(t.core.switch) if t.core else None
    plan, findings = plan_fat_tree(t, switch(t.leaf.switch), spine, core, ports=ports, slots=slots, domain=domain, at=("t",))
    assert plan is None
    (finding,) = findings
    assert finding.hint
    return finding.code.name, finding.message


def figures(p: Plan) -> tuple[int, int, int, int, int]:
    """leaf, spine, core, leaf-spine cables, spine-core cables"""
    return p.leaves, p.spines, p.cores, p.leaves * p.up, p.spines * p.spine_up if p.tiers == 3 else 0


# SU -> leaf, spine, core, leaf-spine cables, spine-core cables
SUPERPOD = {
    1: (8, 4, 0, 256, 0),
    2: (16, 8, 0, 512, 0),
    4: (32, 16, 0, 1024, 0),
    8: (64, 32, 0, 2048, 0),
    16: (128, 128, 64, 4096, 4096),
    64: (512, 512, 256, 16384, 16384),
}
B300 = {1: (8, 4, 0, 576, 0), 2: (16, 8, 0, 1152, 0), 18: (144, 72, 0, 10368, 0)}


@pytest.mark.parametrize(("su", "row"), SUPERPOD.items())
def test_superpod_h100_rows_from_nodes_and_from_units(su: int, row: tuple[int, ...]) -> None:
    by_nodes = planned(topology(), slots=32 * su)
    by_units = planned(topology(units=su))
    assert figures(by_nodes) == figures(by_units) == row
    assert by_nodes.unit == 32
    assert by_nodes.even


@pytest.mark.parametrize(("su", "nodes"), [(1, 31), (2, 63), (4, 127)])
def test_superpod_h100_gives_up_one_dgx_slot_for_ufm(su: int, nodes: int) -> None:
    assert nodes == 32 * su - 1
    plan = planned(topology(reserve={"ufm": 4}), slots=nodes)
    assert figures(plan) == SUPERPOD[su]


def test_one_node_too_many_for_the_ufm_slot_is_one_unit_more() -> None:
    plan = planned(topology(reserve={"ufm": 4}), slots=128)
    assert (plan.units, plan.leaves) == (5, 40)


@pytest.mark.parametrize(("su", "row"), B300.items())
def test_superpod_b300_rows_from_nodes_and_from_units(su: int, row: tuple[int, ...]) -> None:
    q3400 = {"leaf": {"switch": "q3400-ra"}, "spine": {"switch": "q3400-ra"}}
    by_nodes = planned(topology(**q3400), slots=72 * su)
    assert figures(by_nodes) == figures(planned(topology(units=su, **q3400))) == row
    assert by_nodes.unit == 72


def test_under_filled_unit_keeps_its_full_switch_set() -> None:
    """A public 32-node B300 build has 8 leaf and 4 spine Q3400-RA."""
    plan = planned(topology(leaf={"switch": "q3400-ra"}, spine={"switch": "q3400-ra"}), slots=32)
    assert figures(plan) == B300[1]


def test_largest_three_tier_fabric_of_64_port_switches() -> None:
    """R^3/4 endpoints, 5R^2/4 switches, 3 x endpoints cables."""
    plan = planned(topology(), slots=8192)
    assert plan.leaves + plan.spines + plan.cores == 5120
    assert plan.endpoints + plan.leaves * plan.up + plan.spines * plan.spine_up == 196_608
    assert refused(topology(), slots=8193)[0] == "tiers-impossible"


def test_one_node_more_than_a_unit_holds_brings_a_full_further_leaf_set() -> None:
    plan = planned(topology(), slots=33)
    assert (plan.leaves, plan.spines, plan.leaf_pair) == (16, 8, 4)


def test_endpoints_r_times_d_fit_two_tiers_and_one_more_needs_three() -> None:
    assert planned(topology(rails="host"), ports=1, slots=64 * 32).tiers == 2
    assert planned(topology(rails="host"), ports=1, slots=64 * 32 + 1).tiers == 3


def test_oversubscribed_leaf_takes_six_spines_where_ceil_says_five() -> None:
    plan = planned(topology(leaf={"switch": "qm9700", "downlinks": 40}, rails="host"), ports=1, slots=13 * 40)
    assert (plan.leaves, plan.up, plan.spines, plan.leaf_pair, plan.spine_down) == (13, 24, 6, 4, 52)
    assert plan.even


@pytest.mark.parametrize("up", [22, 23, 31])
def test_uplinks_with_few_divisors_keep_even_pairs(up: int) -> None:
    plan = planned(topology(leaf={"switch": "qm9700", "downlinks": 32, "uplinks": up}, rails="host"), ports=1, slots=20 * 32)
    assert plan.even
    assert plan.spines * 64 >= 20 * up
    assert not [s for s in range(1, plan.spines) if up % s == 0 and s * 64 >= 20 * up]


def test_everything_on_one_switch() -> None:
    plan = planned(topology(rails="host", spine=None), slots=8)
    assert (plan.tiers, plan.leaves, plan.spines, plan.endpoints) == (1, 1, 0, 64)
    assert planned(topology(), slots=7).tiers == 1
    assert planned(topology(), slots=9).tiers == 2


def test_reserved_ports_count_for_the_one_switch_limit() -> None:
    assert planned(topology(reserve={"ufm": 4}), slots=7).tiers == 1
    assert planned(topology(reserve={"ufm": 4}), slots=8).tiers == 2


def test_two_leaf_lab_by_count() -> None:
    plan = planned(topology(rails="host", unit=2, leaf={"switch": "qm9700", "count": 2}), slots=4)
    assert (plan.tiers, plan.leaves, plan.spines, plan.leaf_pair) == (2, 2, 1, 32)


def test_given_spine_count_is_kept_though_pairs_are_uneven() -> None:
    plan = planned(topology(spine={"switch": "qm9700", "count": 5}), slots=32)
    assert (plan.spines, plan.spines_needed, plan.leaf_pair, plan.even) == (5, 4, 6, False)


def test_given_core_count_is_kept() -> None:
    assert planned(topology(core={"switch": "qm9700", "count": 128}), slots=512).cores == 128
    halved = planned(topology(spine={"switch": "qm9700", "uplinks": 16}, core={"switch": "qm9700", "count": 32}), slots=512)
    assert (halved.cores, halved.spine_up, halved.even) == (32, 16, True)


def test_two_way_split_doubles_the_host_ports() -> None:
    plan = planned(topology(leaf={"switch": "qm9700", "split": 2}), slots=128)
    assert (plan.unit, plan.down, plan.up, plan.leaves) == (64, 64, 32, 16)


def test_unit_larger_than_a_leaf_is_cut_into_whole_nvlink_domains() -> None:
    plan = planned(topology(unit=144), slots=144, ports=4, domain=18)
    assert (plan.leaves_per_rail, plan.leaves) == (8, 32)
    big = planned(topology(unit=144, leaf={"switch": "q3400-ra"}, spine={"switch": "q3400-ra"}), slots=144, ports=4, domain=18)
    assert (big.leaves_per_rail, big.leaves) == (2, 8)


def test_default_unit_holds_whole_nvlink_domains() -> None:
    assert planned(topology(), slots=18, ports=4, domain=18).unit == 18


@pytest.mark.parametrize(
    ("fields", "slots", "name", "numbers"),
    [
        ({"spine": {"switch": "qm9700", "count": 3}}, 32, "spine-count-impossible", ("256", "192")),
        ({"spine": {"switch": "qm9700", "count": 40}}, 32, "spine-count-impossible", ("40", "32")),
        ({"leaf": {"switch": "qm9700", "count": 8}}, 33, "leaf-count-impossible", ("16", "8")),
        ({"leaf": {"switch": "qm9700", "count": 12}}, 32, "leaf-count-impossible", ("12", "8")),
        ({"leaf": {"switch": "qm9700", "count": 8}, "units": 2}, 32, "units-and-leaves-disagree", ("16", "8")),
        ({"units": 1}, 33, "slot-outside-units", ("2", "1")),
        ({"tiers": 2}, 257, "tiers-impossible", ("64", "72")),
        ({"tiers": 1}, 9, "tiers-impossible", ("72", "64")),
        ({"spine": None}, 9, "spine-missing", ("8",)),
        ({"leaf": {"switch": "qm9700", "downlinks": 40, "uplinks": 32}}, 32, "leaf-ports-exceeded", ("40", "32", "64")),
        ({"leaf": {"switch": "qm9700", "downlinks": 64}}, 32, "leaf-ports-exceeded", ("64", "0")),
        ({"leaf": {"switch": "sb7800", "split": 2}}, 32, "switch-cannot-split", ("2",)),
        ({"leaf": {"switch": "qm9700", "downlinks": 4}, "rails": "host"}, 32, "host-wider-than-leaf", ("8", "4")),
        ({"units": 4, "reserve": {"ufm": 4}}, 128, "reserve-without-room", ("4",)),
        ({"reserve": {"ufm": {"ports": 4, "unit": 4}}}, 128, "reserve-without-room", ("4",)),
        ({"units": 1, "reserve": {"ufm": {"ports": 4, "unit": 4}}}, 31, "reserve-without-room", ("4", "1")),
        ({"tiers": 3, "pod": 9}, 512, "pod-impossible", ("72", "63")),
        ({"tiers": 3, "spine": {"switch": "qm9700", "count": 130}}, 512, "spine-count-impossible", ("130", "4")),
        ({"tiers": 3, "core": {"switch": "qm9700", "count": 32}}, 512, "core-count-impossible", ("4096", "2048")),
        ({"tiers": 3, "spine": {"switch": "qm9700", "uplinks": 64}}, 512, "pod-impossible", ("8", "0")),
    ],
)  # fmt: skip
def test_impossible_is_refused_with_both_numbers(
    fields: dict[str, Any], slots: int, name: str, numbers: tuple[str, ...]
) -> None:
    found, message = refused(topology(**fields), slots=slots)
    assert found == name
    assert all(n in message for n in numbers), message


def test_domain_that_no_cut_keeps_whole_is_refused() -> None:
    assert refused(topology(unit=32), slots=32, ports=4, domain=18)[0] == "unit-does-not-divide"
    assert refused(topology(), slots=32, ports=4, domain=36)[0] == "unit-does-not-divide"


@given(number=st.integers(1, 300), least=st.integers(0, 320))
def test_divisor_is_the_smallest_that_reaches(number: int, least: int) -> None:
    expected = [n for n in range(1, number + 1) if number % n == 0 and n >= least]
    assert divisor(number, least) == (expected[0] if expected else None)


shapes = st.fixed_dictionaries(
    {
        "rails": st.sampled_from(["aligned", "host"]),
        "ports": st.sampled_from([1, 2, 4, 8]),
        "down": st.sampled_from([None, 20, 32, 36, 40, 48]),
        "model": st.sampled_from(["qm9700", "q3400-ra", "qm8700"]),
    }
)


def _plan(s: dict[str, Any], n: int) -> Plan | None:
    leaf: dict[str, Any] = {"switch": s["model"]}
    if s["down"] and s["down"] < switch(s["model"]).radix:
        leaf["downlinks"] = s["down"]
    t = topology(rails=s["rails"], leaf=leaf, spine={"switch": s["model"]})
    model = switch(s["model"])
    return plan_fat_tree(t, model, model, model, ports=s["ports"], slots=n)[0]


@settings(max_examples=150, deadline=None)
@given(s=shapes, n=st.integers(1, 20_000), more=st.integers(0, 3000))
def test_any_size_fits_its_ports_is_even_and_grows_monotonely(s: dict[str, Any], n: int, more: int) -> None:
    radix = switch(s["model"]).radix
    plan, larger = _plan(s, n), _plan(s, n + more)
    if plan is None:
        assert larger is None, "what is too large stays too large"
        return
    assert plan.even
    assert plan.endpoints >= n * s["ports"]
    if plan.tiers > 1:
        assert plan.down + plan.up <= radix
        assert plan.spine_down + plan.spine_up <= radix
        assert plan.leaves_per_pod * plan.up <= plan.spines_per_pod * plan.spine_down
    if plan.tiers == 3:
        assert plan.pods * plan.core_pair <= radix
    if larger is not None:
        ours = (plan.tiers, plan.leaves, plan.spines, plan.cores)
        assert all(a <= b for a, b in zip(ours, (larger.tiers, larger.leaves, larger.spines, larger.cores), strict=True))
