"""Published and measured values of simulation.md, section 3, by their numbers: larger trees, dragonflies, rails."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from ibgen.route import Routes, compute, graph
from ibgen.route.pointwise import pointwise
from ibgen.simulate import patterns
from ibgen.simulate.jobs import compute_rows, place_of, random_rings, rings
from ibgen.simulate.loads import estimate, flow_loads
from ibgen.simulate.trees import all_to_all

from .fabrics import loaded, rows, spec_of, tables


def closed_form(n: int, leaves: int) -> float:
    """simulation.md 2: mean 1/load of a random permutation, n hosts and n uplinks a leaf, D-mod-k."""
    total, hits, draws = n * leaves - 1, leaves - 2, n - 1
    law = [comb(hits, x) * comb(total - hits, draws - x) / comb(total, draws) for x in range(min(hits, draws) + 1)]
    return 1 / leaves + (1 - 1 / leaves) * sum(p / (1 + x) for x, p in enumerate(law))


@pytest.mark.parametrize(
    ("shape", "value"), [((36, 18, 18, 18), 0.66472), ((32, 32, 32, 32), 0.66306)], ids=["case-6", "case-7"]
)
def test_permutations_of_larger_trees_meet_the_closed_form(shape: tuple[int, ...], value: float) -> None:
    r = tables(*shape)
    assert closed_form(shape[1], shape[0]) == pytest.approx(value, abs=5e-6)
    e = estimate(r, "permutation", (patterns.permutation(rows(r), 7, k) for k in range(150)), 7)
    assert abs(e.mean - value) < 3 * e.standard_error + 1e-3


THREE_TIERS = [
    ((72, 18, 18, 0, 3, 18), 1296, 0.588, 0.748, 60, "case-9"),
    ((288, 12, 12, 0, 3, 12), 3456, 0.512, 0.686, 40, "case-10"),
    pytest.param((648, 18, 18, 0, 3, 18), 11664, 0.499, 0.674, 10, "case-11", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("shape", "hosts", "permutation", "bisection", "drawn", "case"), THREE_TIERS)
def test_three_tiers_keep_the_measured_share(
    shape: tuple[int, ...], hosts: int, permutation: float, bisection: float, drawn: int, case: str
) -> None:
    """Cases 9 to 11, and 13: the all-to-all maximum is N - 1."""
    r = tables(*shape)
    assert r.graph.endpoints == hosts
    mixed = estimate(r, "permutation", (patterns.permutation(rows(r), 3, k) for k in range(drawn)), 3)
    halves = estimate(r, "bisection", (patterns.bisection(rows(r), 3, k) for k in range(drawn)), 3)
    assert mixed.mean == pytest.approx(permutation, abs=0.005 + 2 * mixed.standard_error), case
    assert halves.mean == pytest.approx(bisection, abs=0.005 + 2 * halves.standard_error), case
    if hosts < 4000:
        assert all_to_all(r)[0].max() == hosts - 1


@pytest.mark.slow
def test_65536_hosts_by_the_closed_form_without_a_table() -> None:
    """Case 12: 0.490 for a permutation, 0.665 for a bisection."""
    text, radix = _tree_65536()
    form = pointwise(graph(loaded(text, radix)[1].subnets[0]))
    order = form.graph.by_leaf[0]
    assert flow_loads(form, patterns.permutation(order, 1), False).efficiency == pytest.approx(0.490, abs=0.01)
    assert flow_loads(form, patterns.bisection(order, 1), False).efficiency == pytest.approx(0.665, abs=0.005)
    assert flow_loads(form, patterns.shift(order, 12345), False).max == 1


def _tree_65536() -> tuple[str, int]:
    from .fabrics import tree_spec

    return tree_spec(2048, 32, 32, 0, 3, 32)


@pytest.mark.slow
def test_ring_of_11664_hosts_in_order_and_at_random() -> None:
    """Cases 17 and 18: load 1, 1,368 inter-switch traversals in order; 0.4995 and a maximum of 6 to 8 at random."""
    r = tables(648, 18, 18, 0, 3, 18)
    ordered = flow_loads(r, patterns.ring(rows(r)))
    assert ordered.max == 1
    assert ordered.links[(r.graph.peer >= 0).ravel()].sum() == 1368
    mixed = [flow_loads(r, patterns.ring(patterns.shuffled(rows(r), 3, k))) for k in range(8)]
    assert np.mean([m.efficiency for m in mixed]) == pytest.approx(0.4995, abs=0.01)
    assert all(6 <= m.max <= 9 for m in mixed)


DRAGONFLY = "{kind: dragonfly, switch: r40, a: 8, p: 4, h: 4}"


def dragonfly() -> Routes:
    text = spec_of(1056, DRAGONFLY, control="{kind: opensm, routing: [minhop]}")
    return compute(graph(loaded(text, 40)[1].subnets[0]), "minhop")


def test_dragonfly_of_eight_routers_has_kims_counts() -> None:
    """Case 21: 33 groups, 264 routers, 1,056 hosts, diameter 3."""
    from ibgen.route.hops import distances

    g = dragonfly().graph
    assert (g.switches, g.endpoints) == (264, 1056)
    assert distances(g).max() == 3


def test_dragonfly_neighbour_group_is_throttled_to_the_single_cable() -> None:
    """Case 22: ways that keep to two groups have one cable for the 32 hosts of a group: 1/(a p) = 1/(2 h^2). Routes by hops
    alone also take equally long ways through third groups, so they keep more on the mean; their fullest cable is as full."""
    r = dragonfly()
    g = r.graph
    group = np.arange(g.switches) // 8
    far = np.where(g.peer >= 0, group[np.maximum(g.peer, 0)], -1)
    assert [np.count_nonzero(far[group == k] == (k + 1) % 33) for k in range(33)] == [1] * 33
    loads = flow_loads(r, patterns.shift(rows(r), 32))
    assert loads.max == 32
    assert loads.efficiency >= 1 / 32


def test_dragonfly_plus_group_shift_is_the_ratio_of_hosts_to_cables() -> None:
    """Case 24: five groups of 16 hosts with four links per pair: load 4."""
    topology = "{kind: dragonfly-plus, groups: 5, links: 4, leaf: {switch: r8, downlinks: 4}, spine: {switch: r8, uplinks: 4}}"
    text = spec_of(80, topology, control="{kind: opensm, routing: [minhop]}")
    g = graph(loaded(text, 8)[1].subnets[0])
    r = compute(g, "minhop")
    assert g.endpoints == 80
    assert flow_loads(r, patterns.shift(rows(r), 16)).max == 4


RAILS = """ibgen: 1
cluster: x
pools: [{name: gpu, hosts: "n[0001-%d]", platform: dgx-h100}]
fabrics:
  - name: f
    control: {kind: opensm, flavour: nvidia, routing: [ar_updn]}
    topology: {kind: fat-tree, rails: aligned, unit: 32, leaf: {switch: qm9700, downlinks: 32}, spine: {switch: qm9700}}
    attach: [{pool: gpu, hcas: compute}]
"""


def test_same_rail_rings_cross_only_the_edges_of_units() -> None:
    """Case 26: 64 nodes of eight rails, units of 32: two edges x eight rails = 16 uplinks in use."""
    _, fabric, _, _ = loaded(RAILS % 64)
    s = fabric.subnets[0]
    r = compute(graph(s), "dmodk")
    loads = flow_loads(r, rings(fabric, s, compute_rows(s, r.graph), place_of(fabric)))
    up = (r.graph.peer >= 0) & (r.graph.tier[:, None] == 0)
    assert np.count_nonzero(loads.links.reshape(up.shape)[up]) == 16
    assert loads.max == 1


@pytest.mark.parametrize("radix", [8, 12])
def test_a_full_three_tier_tree_has_the_textbook_counts(radix: int) -> None:
    """Case 27: R^3/4 hosts, 5R^2/4 switches, 3N cables."""
    half = radix // 2
    s = tables(radix * half, half, half, 0, 3, half).graph
    hosts = radix**3 // 4
    assert s.endpoints == hosts
    assert s.switches == 5 * radix**2 // 4
    assert np.count_nonzero(s.peer >= 0) // 2 + hosts == 3 * hosts


@pytest.mark.slow
def test_8192_nodes_ring_by_rail_in_node_order_and_at_random() -> None:
    """Case 28: load 1 in node order, 0.507 in random node order."""
    _, fabric, _, _ = loaded(RAILS % 8192)
    s = fabric.subnets[0]
    form = pointwise(graph(s))
    jobs = compute_rows(s, form.graph)
    assert flow_loads(form, rings(fabric, s, jobs, place_of(fabric)), False).max == 1
    assert flow_loads(form, random_rings(fabric, s, jobs, 1, 0), False).efficiency == pytest.approx(0.507, abs=0.01)
