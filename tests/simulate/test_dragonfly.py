"""Dragonflies against theory: canonical minimal routing, Valiant's, the best split, and the bound of any (simulation.md 3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.route import Graph, Removed, Routes, compute, graph
from ibgen.simulate import patterns
from ibgen.simulate.adaptive import fluid_bound
from ibgen.simulate.bounding import group_nets
from ibgen.simulate.detours import GROUP, ROUTER, Detours, detours, joined
from ibgen.simulate.group_net import group_net
from ibgen.simulate.group_shift import group_shift
from ibgen.simulate.loads import flow_loads
from ibgen.simulate.patterns import Flows
from ibgen.simulate.rates import Rates, capacities
from ibgen.simulate.splits import best_split, minimal, share, valiant
from tests.route.fabrics import dragonfly as in_a_row

from .canonical import canonical
from .fabrics import loaded, spec_of

SHAPES = [(8, 4, 4), (4, 2, 2), (6, 3, 1), (3, 5, 2), (10, 2, 1)]
"""(a, p, h): two balanced ones, the others not."""


def subnet(a: int, p: int, h: int, groups: int = 0):  # type: ignore[no-untyped-def]
    text = f"{{kind: dragonfly, switch: r64, a: {a}, p: {p}, h: {h}" + (f", groups: {groups}}}" if groups else "}")
    return loaded(spec_of((groups or a * h + 1) * a * p, text, control="{kind: opensm, routing: [minhop]}"), 64)[1].subnets[0]


def ways(g: Graph, group: np.ndarray, flows: Flows) -> tuple[Detours, Rates]:
    """On links of rate 1, of the pairs that have any."""
    net = group_net(g, group, np.ones(g.switches * g.width))
    start, end, demand = net.demands(g, flows, 1.0)
    here = joined(net, start, end)
    start, end, demand = start[here], end[here], demand[here]
    return detours(net, start, end), demand


def bound(s, g: Graph, flows: Flows) -> float:  # type: ignore[no-untyped-def]
    links, injected = capacities(s, g)
    return fluid_bound(g, flows, links, injected, group_nets(s, g, links))


@pytest.mark.parametrize(("a", "p", "h"), SHAPES)
def test_case_22_canonical_minimal_tables_throttle_the_next_group_to_its_one_cable(a: int, p: int, h: int) -> None:
    """1/(a p), for every flow: walked through tables on the built graph; the fluid of the straight ways agrees."""
    s = subnet(a, p, h)
    g, group = graph(s), s.switches.pod
    near, port = np.nonzero(g.peer >= 0)
    pairs = np.stack([group[near], group[g.peer[near, port]]])[:, group[near] != group[g.peer[near, port]]]
    assert (np.unique(pairs, axis=1, return_counts=True)[1] == 1).all(), "one cable between every two groups"
    shift = group_shift(s, g)
    assert shift is not None
    loads = flow_loads(canonical(g, group), shift.flows)
    assert loads.arrived.all()
    assert (loads.max, set(loads.largest.tolist())) == (a * p, {a * p})
    made, demand = ways(g, group, shift.flows)
    assert share(made, minimal(made), demand) == pytest.approx(1 / (a * p))


@pytest.mark.parametrize(("a", "p", "h"), [(8, 4, 4), (12, 6, 6), (16, 8, 8)])
def test_case_23_valiant_keeps_half_of_the_worst_case_and_nothing_keeps_more(a: int, p: int, h: int) -> None:
    """0.5 +- 0.02 for Valiant's, for the best split (UGAL with a view of the whole fabric) and for the bound of any."""
    s = subnet(a, p, h)
    g = graph(s)
    shift = group_shift(s, g)
    assert shift is not None
    made, demand = ways(g, s.switches.pod, shift.flows)
    split = best_split(made, demand)
    found = [share(made, valiant(made, ROUTER), demand), split.best, split.bound]
    assert found == pytest.approx([0.5] * 3, abs=0.02)
    assert bound(s, g, shift.flows) == pytest.approx(split.bound, rel=0.01)


@pytest.mark.parametrize(("a", "p", "h"), SHAPES)
def test_valiant_of_unbalanced_dragonflies_is_what_counting_gives(a: int, p: int, h: int) -> None:
    """Two of the ah + 1 groups that may be drawn leave it the straight way; so all cables are alike: (ah + 1)/(2ap). With more
    than a/2 hosts on a router local links hold it back before."""
    s = subnet(a, p, h)
    shift = group_shift(s, graph(s))
    assert shift is not None
    made, demand = ways(graph(s), s.switches.pod, shift.flows)
    found, counted = share(made, valiant(made, ROUTER), demand), (a * h + 1) / (2 * a * p)
    assert found == pytest.approx(counted) if 2 * p <= a else found < counted


@pytest.mark.parametrize(("step", "least", "most"), [(1, 0.5, 0.52), (4, 0.0, 0.25)])
def test_a_random_group_alone_meets_on_local_links_where_groups_are_h_apart(step: int, least: float, most: float) -> None:
    """Ports to other groups one router after another: half of line rate by one group, at most 1/h by h groups, when the
    intermediate group has one local link for them all (Garcia et al., ICPP 2012). A random router heals it."""
    g = in_a_row(4, 8, 4, 33)
    made, demand = ways(g, np.arange(g.switches) // 8, patterns.shift(g.by_leaf[0], 32 * step))
    assert least <= share(made, valiant(made, GROUP), demand) <= most
    assert share(made, valiant(made, ROUTER), demand) == pytest.approx(0.515625)


def test_valiant_drawn_flow_by_flow_comes_to_the_expectation() -> None:
    """2,000 draws walked through canonical tables to a random endpoint and on, against the exact loads of every link."""
    s = subnet(4, 2, 2)
    g, group = graph(s), s.switches.pod
    routes = canonical(g, group)
    sources, targets = patterns.shift(g.by_leaf[0], 8)
    draw = np.random.default_rng(5)
    total = np.zeros(g.switches * g.width)
    for _ in range(2000):
        middle = draw.integers(0, g.endpoints, len(sources))
        straight = (group[g.leaf[middle]] == group[g.leaf[sources]]) | (group[g.leaf[middle]] == group[g.leaf[targets]])
        middle = np.where(straight, targets, middle)
        total += flow_loads(routes, (sources, middle)).links + flow_loads(routes, (middle, targets)).links
    switch, port = np.nonzero(g.peer >= 0)
    walked = total.reshape(g.switches, g.width)[switch, port] / 2000
    made, demand = ways(g, group, (sources, targets))
    exact = made.loads(valiant(made, ROUTER) * demand[made.pair])
    net, far = made.net, g.peer[switch, port]
    link = {(int(x), int(y)): net.local + i for i, (x, y) in enumerate(zip(net.start, net.end, strict=True))}
    inside = net.inside(switch, far.astype(np.intp))
    at = [link.get((int(x), int(y)), int(i)) for x, y, i in zip(switch, far, inside, strict=True)]
    assert walked == pytest.approx(exact[at], abs=0.12)
    assert walked.max() == pytest.approx(exact.max(), rel=0.05)


@pytest.mark.parametrize(
    ("a", "p", "h", "groups", "cables"),
    [(8, 4, 4, 33, 1), (8, 8, 4, 33, 1), (4, 2, 2, 5, 2), (8, 4, 4, 17, 2), (1, 2, 2, 3, 1)],
)
def test_the_bound_of_a_shift_by_a_group(a: int, p: int, h: int, groups: int, cables: int) -> None:
    """Straight ways pass one cable, all others two: (ah + c)/(2ap) with c cables straight."""
    s = subnet(a, p, h, groups)
    g = graph(s)
    shift = group_shift(s, g)
    assert shift is not None
    assert (shift.cables, shift.crowd) == (cables, a * p)
    assert bound(s, g, shift.flows) == pytest.approx((a * h + cables) / (2 * a * p), rel=0.01)


def test_flows_that_need_no_cable_between_groups_do_not_pay_for_those_that_do() -> None:
    """A shift by half a group of six routers with one global port each: half the flows stay inside and may have line rate, the
    others keep (ah + 1)/(2ap) of twice the demand: 0.3889. The mean is between."""
    s = subnet(6, 3, 1)
    g = graph(s)
    flows = patterns.shift(g.by_leaf[0], 9)
    made, demand = ways(g, s.switches.pod, flows)
    assert best_split(made, demand).bound == pytest.approx(7 / 18, rel=0.01)
    assert bound(s, g, flows) == pytest.approx((1 + 7 / 18) / 2, rel=0.01)


def test_neighbours_inside_groups_are_not_held_back_by_cables_between_them() -> None:
    s = subnet(8, 4, 4)
    g = graph(s)
    assert bound(s, g, patterns.ring(g.by_leaf[0])) == 1.0


def test_a_lost_cable_lowers_the_bound_and_a_lost_partner_is_left_out() -> None:
    s = subnet(4, 2, 2)
    flows = patterns.shift(graph(s).by_leaf[0], 8)
    outer = np.flatnonzero(s.cables.kind == 4)
    some = graph(s, Removed(cables=tuple(outer[:6].tolist())))
    assert bound(s, some, flows) < bound(s, graph(s), flows)
    alone = graph(s, Removed(cables=tuple(outer.tolist())))
    assert bound(s, alone, flows) == 0.0


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([(4, 2, 2, 9), (3, 2, 1, 4), (4, 3, 2, 3), (2, 2, 2, 5)]), st.integers(0, 4))
def test_no_tables_pass_the_bounds_and_no_split_does(seed: int, shape: tuple[int, int, int, int], lost: int) -> None:
    """Minhop tables whose ways cross two cables between groups at most: their mean and their slowest flow; the best split."""
    s = subnet(*shape)
    draw = np.random.default_rng(seed)
    cables = np.flatnonzero(s.cables.kind > 0)
    g = graph(s, Removed(cables=tuple(draw.choice(cables, lost, replace=False).tolist())))
    flows = patterns.permutation(g.plugged, seed)
    loads = flow_loads(compute(g, "minhop"), flows)
    made, demand = ways(g, s.switches.pod, flows)
    split = best_split(made, demand)
    assert max(share(made, minimal(made), demand), split.best) <= split.bound * (1 + 1e-9)
    if loads.arrived.all() and _two_at_most(g, s.switches.pod, loads.channels):
        assert loads.efficiency <= bound(s, g, flows) * (1 + 1e-9)
        assert 1 / loads.links[(g.peer >= 0).ravel()].max(initial=1) <= split.bound * (1 + 1e-9)


def _two_at_most(g: Graph, group: np.ndarray, channels: np.ndarray) -> bool:
    """Whether no flow crosses more than two cables between groups."""
    switch, far = channels // g.width, g.peer.ravel()[np.maximum(channels, 0)]
    crossing = (channels >= 0) & (far >= 0) & (group[switch] != group[np.maximum(far, 0)])
    return int(crossing.sum(axis=1).max(initial=0)) <= 2


def test_the_shift_is_the_one_by_which_groups_have_the_fewest_cables() -> None:
    """Seven groups of four routers with two global ports: one cable a pair, and a second to either neighbour: two groups on."""
    s = subnet(4, 2, 2, 7)
    shift = group_shift(s, graph(s))
    assert shift is not None
    assert (shift.step, shift.cables, shift.crowd) == (2, 1, 8)
    assert shift.note == "group i to group i + 2: up to 8 flows over 1 cable"
    group = s.switches.pod[s.ports.leaf]
    assert set(((group[shift.flows[1]] - group[shift.flows[0]]) % 7).tolist()) == {2}
    assert len(np.unique(shift.flows[0])) == len(np.unique(shift.flows[1])) == 56


PLUS = """ibgen: 1
cluster: x
pools: [{name: gpu, hosts: 'n[00001-12800]', platform: dgx-h100}]
fabrics:
  - name: f
    control: {kind: opensm, routing: [minhop]}
    attach: [{pool: gpu, hcas: compute}]
    topology:
      {kind: dragonfly-plus, groups: 100, links: 10, rails: host, leaf: {switch: qm9700, downlinks: 32},
       spine: {switch: qm9700, uplinks: 32}}
"""


def test_dragonfly_plus_of_102400_hosts_is_bounded_by_half_in_seconds() -> None:
    """990 cables out of a group, ten of them straight, for 1,024 hosts: (990 + 10)/2,048."""
    s = loaded(PLUS)[1].subnets[0]
    g = graph(s)
    shift = group_shift(s, g)
    assert shift is not None
    assert (g.endpoints, shift.crowd, shift.cables) == (102_400, 1024, 10)
    assert bound(s, g, shift.flows) == pytest.approx(1000 / 2048, rel=1e-3)


def test_what_passes_through_a_group_of_a_dragonfly_plus_takes_its_uplinks_too() -> None:
    """Groups of one leaf, two uplinks, four hosts; neighbours' cables end on different spines. What goes straight takes one
    uplink, what passes another group one more there: (U + c)/(2H) = 3/8, where the leaf alone would let 2/4 out."""
    text = "leaf: {switch: r8, downlinks: 4, uplinks: 2, count: 1}, spine: {switch: r8, count: 2, uplinks: 3}}"
    spec = spec_of(28, "{kind: dragonfly-plus, groups: 7, " + text, control="{kind: opensm, routing: [minhop]}")
    s = loaded(spec, 8)[1].subnets[0]
    g = graph(s)
    shift = group_shift(s, g)
    assert shift is not None
    assert (shift.crowd, shift.cables) == (4, 1)
    assert bound(s, g, shift.flows) == pytest.approx(3 / 8, rel=0.01)


@pytest.mark.slow
def test_case_25_dragonfly_plus_of_102400_hosts_shifts_by_a_group_on_minhop_tables() -> None:
    """Max load 103 = ceil(1024/10), e .0098. So even is min-hop where LIDs follow the leaves, as here and in the reference; in
    the order of scattered GUIDs the counters of a leaf differ, and the fullest cable carries half as much again."""
    s = loaded(PLUS)[1].subnets[0]
    g = graph(s)
    in_order = replace(g, guid=np.arange(1, g.switches + 1, dtype=np.uint64).byteswap())
    routes: Routes = compute(in_order, "minhop")
    loads = flow_loads(routes, patterns.shift(g.by_leaf[0], 1024))
    assert loads.max == 103
    assert loads.efficiency == pytest.approx(0.0098, abs=0.0005)
