"""Loads, effective bandwidth and rates against closed forms and published values (reference cases by their numbers)."""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen import catalog, source, spec
from ibgen.fabric import Subnet, resolve
from ibgen.route import Routes, compute, graph
from ibgen.simulate import patterns
from ibgen.simulate.adaptive import fluid_bound
from ibgen.simulate.loads import estimate, flow_loads
from ibgen.simulate.rates import capacities, max_min
from ibgen.simulate.trees import all_to_all

ROW = "{{id: r{n}, fabric: infiniband, generation: HDR, radix: {n}, rate_gbps: 200, cages: {n}}}"


@cache
def tree(leaves: int, down: int, up: int, spines: int, tiers: int = 2, pod: int = 0) -> Subnet:
    """A fat tree with one endpoint per host: `leaves` leaves of `down` hosts and `up` uplinks."""
    radix = max(down + up, leaves * up // spines if tiers == 2 else 2 * down)
    extra = f"tiers: {tiers}, " + (f"pod: {pod}, " if pod else "")
    counts = f", count: {spines}" if tiers == 2 else ""
    text = (
        f"ibgen: 1\ncluster: x\npools: [{{name: n, hosts: 'n[00001-{leaves * down:05}]', platform: {{kind: generic,"
        " hcas: [{name: mlx5_0, rate: 200G}]}}]\nfabrics: [{name: f, control: {kind: opensm, routing: [ftree]},"
        f" attach: [{{pool: n}}], topology: {{kind: fat-tree, rails: host, unit: {down}, {extra}"
        f"leaf: {{switch: r{radix}, downlinks: {down}, uplinks: {up}}}, spine: {{switch: r{radix}{counts}}}}}}}]\n"
    )
    document, found = source.parse(text, "x")
    cluster, more = spec.load(document)
    assert cluster is not None, (found, more)
    facts, _ = catalog.load((("own.yaml", f"switches: [{ROW.format(n=radix)}]\n"),))
    fabric, findings = resolve(cluster, facts)
    assert fabric is not None
    assert fabric.subnets, [f.message for f in findings]
    return fabric.subnets[0]


@cache
def tables(*shape: int, engine: str = "dmodk") -> Routes:
    return compute(graph(tree(*shape)), engine)


def rows(routes: Routes) -> np.ndarray:
    return np.arange(routes.graph.endpoints)


SMALL = (8, 4, 4, 4)
FULL_324 = (18, 18, 18, 18)


@pytest.mark.parametrize("shape", [SMALL, FULL_324], ids=["case-1", "case-2"])
def test_every_shift_is_conflict_free_on_a_full_tree(shape: tuple[int, ...]) -> None:
    """Zahavi: D-mod-k routes all shifts of a full-bisection tree with load 1."""
    r = tables(*shape)
    assert max(flow_loads(r, f).max for f in patterns.shifts(rows(r))) == 1


def closed_form(n: int, leaves: int) -> float:
    """simulation.md 2: mean 1/load of a random permutation, n hosts and n uplinks a leaf, D-mod-k."""
    total, hits, draws = n * leaves - 1, leaves - 2, n - 1
    law = [comb(hits, x) * comb(total - hits, draws - x) / comb(total, draws) for x in range(min(hits, draws) + 1)]
    return 1 / leaves + (1 - 1 / leaves) * sum(p / (1 + x) for x, p in enumerate(law))


def test_closed_form_is_the_published_value() -> None:
    assert closed_form(4, 8) == pytest.approx(0.77322, abs=5e-6)
    assert closed_form(18, 18) == pytest.approx(0.68668, abs=5e-6)


@pytest.mark.parametrize(("shape", "patterns_drawn"), [(SMALL, 2000), (FULL_324, 300), ((7, 5, 5, 5), 2000)])
def test_random_permutation_meets_the_closed_form(shape: tuple[int, ...], patterns_drawn: int) -> None:
    """Cases 4 and 5, and an unusual size."""
    r = tables(*shape)
    e = estimate(r, "permutation", (patterns.permutation(rows(r), 7, k) for k in range(patterns_drawn)), 7)
    assert abs(e.mean - closed_form(shape[1], shape[0])) < 3 * e.standard_error + 1e-3


def test_bisection_of_324_hosts_is_the_orcs_value() -> None:
    """Case 8: 0.821 with D-mod-k, one-way flows."""
    r = tables(*FULL_324)
    e = estimate(r, "bisection", (patterns.bisection(rows(r), 1, k) for k in range(200)), 1)
    assert e.mean == pytest.approx(0.821, abs=0.004)
    assert (e.flows, e.patterns) == (162, 200)


@pytest.mark.parametrize("shape", [SMALL, FULL_324])
def test_all_to_all_loads_every_link_alike_on_a_full_tree(shape: tuple[int, ...]) -> None:
    """Case 13: the maximum is N - 1."""
    r = tables(*shape)
    links, injected = all_to_all(r)
    assert links.max() == injected.max() == len(rows(r)) - 1


@pytest.mark.parametrize(
    ("shape", "uplink", "by_leaf"), [((10, 20, 10, 10), 360, None), ((8, 24, 12, 12), 336, 2), ((8, 28, 4, 4), 1372, 7)]
)
def test_oversubscribed_all_to_all_and_leaf_shift(shape: tuple[int, ...], uplink: int, by_leaf: int | None) -> None:
    """Cases 14 to 16: uplink maximum n(N - n)/u; a shift by one leaf loads uplinks by the oversubscription."""
    r = tables(*shape)
    links, _ = all_to_all(r)
    g = r.graph
    up = (g.peer >= 0) & (g.tier[:, None] == 0)
    assert links.reshape(g.switches, g.width)[up].max() == uplink
    if by_leaf is not None:
        assert flow_loads(r, patterns.shift(rows(r), shape[1])).max == by_leaf


def test_all_to_all_by_trees_equals_all_pairs() -> None:
    r = tables(*SMALL)
    n = len(rows(r))
    a, b = np.meshgrid(rows(r), rows(r), indexing="ij")
    every = flow_loads(r, (a[a != b], b[a != b]))
    links, injected = all_to_all(r, block=5)
    assert (links == every.links).all()
    assert (injected == every.injected).all()
    assert n * (n - 1) == injected.sum()


def test_ring_in_host_order_and_in_random_order() -> None:
    """Cases 17 and 18: load 1 and 36 inter-switch traversals in order; e = 0.684 at random on 324 hosts."""
    r = tables(*FULL_324)
    ordered = flow_loads(r, patterns.ring(rows(r)))
    g = r.graph
    to_switch = (g.peer >= 0).ravel()
    assert ordered.max == 1
    assert ordered.links[to_switch].sum() == 36
    mixed = [flow_loads(r, patterns.ring(patterns.shuffled(rows(r), 3, k))).efficiency for k in range(200)]
    assert np.mean(mixed) == pytest.approx(0.684, abs=0.01)


def test_three_tiers_keep_the_published_share() -> None:
    """Case 13 and the shift law on PGFT(4,4,8;1,4,4) (case 3)."""
    r = tables(32, 4, 4, 0, 3, 4)
    assert r.graph.endpoints == 128
    assert max(flow_loads(r, patterns.shift(rows(r), k)).max for k in range(1, 128)) == 1
    assert all_to_all(r)[0].max() == 127


def test_rates_never_exceed_the_cables_and_are_max_min() -> None:
    subnet, r = tree(*FULL_324), tables(*FULL_324)
    links, injected = capacities(subnet, r.graph)
    flows = patterns.permutation(rows(r), 11)
    loads = flow_loads(r, flows)
    rates = max_min(loads, flows[0], links, injected)
    moving = flows[0] != flows[1]
    used = np.zeros(len(links))
    for column in loads.channels.T:
        on = column >= 0
        np.add.at(used, column[on], rates[on])
    assert (used <= links * (1 + 1e-9)).all()
    assert rates[moving].min() > 0
    # every moving flow meets a full link on which nobody gets more: the definition of max-min fairness
    full = used >= links * (1 - 1e-9)
    most = np.zeros(len(links))
    for column in loads.channels.T:
        on = column >= 0
        np.maximum.at(most, column[on], rates[on])
    own = rates >= 25.0 * (1 - 1e-9)
    for f in np.flatnonzero(moving & ~own):
        way = loads.channels[f][loads.channels[f] >= 0]
        assert any(full[c] and rates[f] >= most[c] * (1 - 1e-9) for c in way)


def test_conflict_free_traffic_runs_at_line_rate_and_background_takes_its_share() -> None:
    subnet, r = tree(*SMALL), tables(*SMALL)
    links, injected = capacities(subnet, r.graph)
    flows = patterns.shift(rows(r), 4)
    loads = flow_loads(r, flows)
    assert max_min(loads, flows[0], links, injected) == pytest.approx(25.0)
    assert max_min(loads, flows[0], links, injected, background=0.2) == pytest.approx(20.0)


@pytest.mark.parametrize(("shape", "bound"), [(FULL_324, 1.0), ((8, 24, 12, 12), 0.5), ((8, 28, 4, 4), 1 / 7)])
def test_fluid_bound_is_the_taper(shape: tuple[int, ...], bound: float) -> None:
    """simulation.md finding 8: fluid adaptive routing on full bisection is 100 %; on a tapered tree the taper."""
    subnet, r = tree(*shape), tables(*shape)
    flows = patterns.shift(rows(r), shape[1])
    static = flow_loads(r, flows).efficiency
    fluid = fluid_bound(r.graph, flows, *capacities(subnet, r.graph))
    assert fluid == pytest.approx(bound)
    assert fluid >= static - 1e-9


def test_random_draws_are_the_same_everywhere() -> None:
    """Raw Philox words are fixed by Random123; the mapping is ours: these numbers may never change."""
    words = np.random.Philox(key=np.array([1, 2], dtype=np.uint64)).random_raw(3)
    assert patterns.shuffled(np.arange(3), 1, 2).tolist() == np.argsort(words, kind="stable").tolist()
    assert patterns.shuffled(np.arange(8), 1, 2).tolist() != patterns.shuffled(np.arange(8), 1, 3).tolist()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8, 12, 31, 127, 256])
def test_both_trees_span_all_ranks_and_nobody_has_children_in_both(count: int) -> None:
    """Sanders, Speck, Traff 2009: every rank is inner in one tree at most, and the trees are of logarithmic depth."""
    inner = []
    for parent in patterns.double_tree(count):
        (root,) = np.flatnonzero(parent < 0)
        at, steps = np.arange(count), 0
        while (at != root).any():
            at, steps = np.where(at == root, root, parent[at]), steps + 1
        assert steps <= np.ceil(np.log2(count + 1)) + 1
        children = np.bincount(parent[parent >= 0], minlength=count)
        assert children.max(initial=0) <= 2
        inner.append(children > 0)
    assert (inner[0] & inner[1]).sum() <= count % 2


def test_a_tree_of_fourteen_ranks_is_the_one_drawn_in_nccls_source() -> None:
    """src/graph/trees.cc draws it: 8 below the root, 4 and 12 below 8, 2, 6, 10 and 13 below those, odd ranks at the ends."""
    first, second = patterns.double_tree(14)
    assert first.tolist() == [-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12]
    assert second.tolist() == [13 - p if p >= 0 else -1 for p in reversed(first.tolist())]


def test_trees_in_host_order_fill_no_cable_of_a_full_tree_beyond_the_busiest_adapter() -> None:
    """An inner rank sends to two children and a parent, and to its parent in the other tree: four flows."""
    g = graph(tree(8, 4, 4, 4))
    rows = g.by_leaf[0]
    flows = patterns.rail_trees(np.arange(32), np.zeros(32, np.intp), rows)
    loads = flow_loads(compute(g, "dmodk"), flows)
    assert len(flows[0]) == 4 * 31
    assert loads.injected.max() == 4
    assert loads.unrouted == 0


@given(st.integers(0, 2**32), st.sampled_from(["permutation", "bisection"]), st.integers(1, 40))
@settings(max_examples=20, deadline=None)
def test_patterns_taken_together_are_what_each_is_by_itself(seed: int, kind: str, count: int) -> None:
    r = compute(graph(tree(8, 4, 4, 4)), "dmodk")
    draw = patterns.permutation if kind == "permutation" else patterns.bisection
    flows = [draw(r.graph.plugged, seed, k) for k in range(count)]
    one = [flow_loads(r, pair) for pair in flows]
    e = estimate(r, kind, flows, seed)
    assert e.mean == float(np.mean([loads.efficiency for loads in one]))
    assert (e.max_load, e.unrouted, e.patterns) == (max(loads.max for loads in one), 0, count)
