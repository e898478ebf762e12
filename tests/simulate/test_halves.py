"""Max-flow between halves: against the theorem of the least cut, against the graph that is not reduced, and against theory."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.route import Graph
from ibgen.simulate.halves import Halves, halves
from ibgen.simulate.max_flow import max_flow
from tests.route.fabrics import damaged, dragonfly, pgft, tree, wired

ARCS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9)), max_size=20)


@given(ARCS)
def test_the_flow_is_the_least_cut(arcs: list[tuple[int, int, int]]) -> None:
    """Ford and Fulkerson 1956, over all cuts of six vertices."""
    cuts = []
    for size in range(5):
        for inside in combinations((1, 2, 3, 4), size):
            left = {0, *inside}
            cuts.append(sum(room for a, b, room in arcs if a in left and b not in left))
    assert max_flow(6, [(a, b, room) for a, b, room in arcs if a != b], 0, 5) == min(cuts)


def between(g: Graph, rate: float = 1.0) -> Halves:
    links, injected = np.full(g.switches * g.width, rate), np.full(g.endpoints, rate)
    found = halves(g, links, injected, np.zeros(g.switches, np.intp))
    assert found is not None
    return found


def whole(g: Graph, rate: float) -> float:
    """The same flow over every switch by itself, in GB/s."""
    rows, at = g.by_leaf
    ends = [int(x) for x in np.unique(at) if 0 < x < len(rows)]
    cut = min(ends, key=lambda x: abs(x - len(rows) / 2)) if ends else len(rows) // 2
    source, sink, room = g.switches, g.switches + 1, round(rate * 1000)
    arcs = [(source, int(g.leaf[e]), room) for e in rows[:cut]] + [(int(g.leaf[e]), sink, room) for e in rows[cut:]]
    arcs += [(int(s), int(g.peer[s, p]), room) for s, p in np.argwhere(g.peer >= 0)]
    return max_flow(g.switches + 2, arcs, source, sink) / 1000


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 7), st.integers(1, 4))
def test_the_reduced_graph_carries_what_the_whole_one_does(seed: int, switches: int, hosts: int) -> None:
    draw = np.random.default_rng(seed)
    links = [(int(a), b) for b in range(1, switches) for a in draw.integers(0, b, draw.integers(1, 4))]
    g = wired(links, [*draw.integers(0, hosts + 1, switches - 1).tolist(), hosts], seed)
    if len(np.unique(g.leaf)) > 1:
        assert between(g, 25.0).capacity_gbs == pytest.approx(whole(g, 25.0))


@pytest.mark.parametrize("cut", range(4))
def test_a_damaged_tree_of_many_alike_switches_is_reduced_and_still_exact(cut: int) -> None:
    g = damaged(tree(128, 4, 4, leaf={"uplinks": 4}), 3 * cut, cut % 2, seed=cut)
    found = between(g, 12.5)
    assert found.exact
    assert found.vertices < g.switches
    assert found.capacity_gbs == pytest.approx(whole(g, 12.5))


@pytest.mark.parametrize(("shape", "ratio"), [((16, 8, 16), 1.0), ((16, 8, 8), 2.0), ((28, 8, 4), 7.0)])
def test_a_tree_keeps_its_taper_between_the_halves(shape: tuple[int, int, int], ratio: float) -> None:
    found = between(pgft(*shape))
    assert found.ratio == ratio
    assert found.vertices == 3, "leaves that send, leaves that hear, spines"


def test_groups_of_a_dragonfly_meet_over_their_global_cables() -> None:
    """Eight groups with one cable per pair: 4 x 4 cables between the halves, for 4 groups of 16 hosts."""
    found = between(dragonfly(4, 4, 2, 8))
    assert (found.offered_gbs, found.capacity_gbs) == (64, 16)


def test_more_kinds_of_switches_than_are_taken_one_by_one_are_bounded_by_groups() -> None:
    g = dragonfly(4, 4, 2, 8)
    found = halves(g, np.ones(g.switches * g.width), np.ones(g.endpoints), np.repeat(np.arange(1, 9), 4), most=4)
    assert found is not None
    assert not found.exact
    assert (found.vertices, found.capacity_gbs) == (8, 16)


def test_one_switch_sends_to_itself_and_one_endpoint_to_nobody() -> None:
    assert between(wired([], [9])).ratio == 1.0
    g = wired([], [1])
    assert halves(g, np.ones(g.switches * g.width), np.ones(1), np.zeros(1, np.intp)) is None
