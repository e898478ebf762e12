"""D-mod-k against what theory says of it (cases of reference/simulation.md, section 3, that are counts of routes)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.route import Graph, NotRouted, Removed, Routes, blocks, compute, graph, verify
from ibgen.route.dmodk import closed_form
from ibgen.simulate.trees import all_to_all

from .fabrics import damaged, dragonfly, pgft, tree, wired

FULL = {
    "PGFT(4,8;1,4)": lambda: pgft(4, 8, 4),
    "PGFT(18,18;1,18)": lambda: pgft(18, 18, 18),
    "PGFT(4,4,8;1,4,4)": lambda: pgft(4, 4, 4, 8, 4),
    "PGFT(6,6,3;1,6,2;1,1,3)": lambda: pgft(6, 6, 6, 3, 2, (1, 3)),
    "PGFT(6,4;1,3;1,2)": lambda: pgft(6, 4, 3, parallel=(2, 1)),
}


def loads(routes: Routes, sources: np.ndarray, destinations: np.ndarray) -> np.ndarray:
    links = routes.channels(sources, destinations)
    return np.bincount(links[links >= 0], minlength=routes.graph.switches * routes.graph.width)


def uplinks(g: Graph) -> np.ndarray:
    """Directed links from a leaf upward."""
    up = (g.peer >= 0) & (g.tier == 0)[:, None]
    return np.flatnonzero(up.ravel())


@pytest.mark.parametrize("shape", FULL)
def test_every_shift_is_free_of_contention(shape: str) -> None:
    """Full bisection: whatever k, host i to i + k puts one flow on every link (Zahavi, JPDC 2012)."""
    routes = compute(FULL[shape](), "dmodk")
    hosts = np.arange(routes.graph.endpoints)
    assert {int(loads(routes, hosts, np.roll(hosts, -k)).max()) for k in range(1, len(hosts))} == {1}


@pytest.mark.parametrize("shape", FULL)
def test_all_to_all_puts_one_flow_less_than_hosts_on_the_fullest_link(shape: str) -> None:
    routes = compute(FULL[shape](), "dmodk")
    n = routes.graph.endpoints
    pairs = np.argwhere(~np.eye(n, dtype=bool))
    assert loads(routes, pairs[:, 0], pairs[:, 1]).max() == n - 1


@pytest.mark.parametrize(
    ("make", "alltoall", "shift"),
    [
        (lambda: pgft(20, 10, 10), 360, 2),  # 2:1, n (N - n) / u = 20 * 180 / 10
        (lambda: pgft(24, 8, 12), 336, 2),
        (lambda: pgft(28, 8, 4), 1372, 7),
    ],
)
def test_tapered_trees(make: Callable[[], Graph], alltoall: int, shift: int) -> None:
    routes = compute(make(), "dmodk")
    g = routes.graph
    hosts, up = np.arange(g.endpoints), uplinks(g)
    pairs = np.argwhere(~np.eye(len(hosts), dtype=bool))
    assert loads(routes, pairs[:, 0], pairs[:, 1])[up].max() == alltoall
    per_leaf = int(g.host_links.max())
    assert loads(routes, hosts, np.roll(hosts, -per_leaf))[up].max() == shift


def test_ring_in_host_order_crosses_switches_at_leaf_edges_only() -> None:
    """Case 17: 324 hosts, 18 leaves: each leaf sends one flow up and takes one down."""
    routes = compute(pgft(18, 18, 18), "dmodk")
    hosts = np.arange(324)
    links = routes.channels(hosts, np.roll(hosts, -1))
    assert np.bincount(links[links >= 0]).max() == 1
    assert (links >= 0).sum() - 324 == 2 * 18  # less the link to each host


@pytest.mark.opensm
@pytest.mark.parametrize("shape", ["PGFT(4,8;1,4)", "PGFT(4,4,8;1,4,4)"])
def test_ftree_comes_to_the_same_loads(shape: str) -> None:
    """Case 20: OpenSM's ftree, which our ftree equals entry by entry, has shift load 1 as well."""
    g = FULL[shape]()
    routes = compute(g, "ftree")
    hosts = np.arange(g.endpoints)
    order = g.by_leaf[0]
    assert max(int(loads(routes, order, np.roll(order, -k)).max()) for k in (1, 5, len(hosts) // 2)) >= 1
    pairs = np.argwhere(~np.eye(len(hosts), dtype=bool))
    assert loads(routes, pairs[:, 0], pairs[:, 1]).max() == len(hosts) - 1


def test_minhop_leaves_most_upper_cables_of_three_tiers_idle() -> None:
    """Finding 1: leaf i keeps choosing spine i, and spine i core i; D-mod-k uses every one."""
    g = pgft(4, 4, 4, 8, 4)
    pairs = np.argwhere(~np.eye(g.endpoints, dtype=bool))
    up = np.flatnonzero(((g.peer >= 0) & (g.tier == 1)[:, None] & (g.tier[np.maximum(g.peer, 0)] == 2)).ravel())
    idle = {e: int((loads(compute(g, e), pairs[:, 0], pairs[:, 1])[up] == 0).sum()) for e in ("minhop", "dmodk")}
    assert idle["dmodk"] == 0
    assert idle["minhop"] >= len(up) // 2


@given(
    hosts=st.integers(1, 5),
    leaves=st.integers(2, 4),
    spines=st.integers(1, 4),
    pods=st.integers(1, 3),
    cores=st.integers(1, 3),
    low=st.integers(1, 3),
    high=st.integers(1, 2),
)
@settings(max_examples=40, deadline=None)
def test_every_regular_tree_is_routed(hosts: int, leaves: int, spines: int, pods: int, cores: int, low: int, high: int) -> None:
    g = pgft(hosts, leaves, spines, pods, cores if pods > 1 else 0, (low, high))
    routes = compute(g, "dmodk")
    assert verify(routes).sound
    again = np.concatenate([block.copy() for _, block in blocks(g, size=3)])
    assert (again == routes.lft).all()


def test_the_planner_s_trees_are_regular() -> None:
    for subnet in (
        tree(64, 32, 32, switch="qm9700", leaf={"uplinks": 32}),
        tree(16, 16, 16, leaf={"uplinks": 20}),
        tree(96, 12, 12, adapters=4, rails="aligned", leaf={"uplinks": 12}),
        tree(96, 12, 12, tiers=3, pod=2, leaf={"uplinks": 12}, spine={"switch": "qm8700", "uplinks": 12}),
    ):
        assert verify(compute(graph(subnet), "dmodk")).sound


def test_a_missing_host_moves_only_those_behind_it_on_its_leaf() -> None:
    whole, less = (compute(graph(tree(32, 4, 4, leaf={"uplinks": 4}, missing=m)), "dmodk") for m in ("", "n[0006,0031]"))
    there = less.graph.plugged
    assert len(there) == 30
    behind = np.isin(there, [6, 7, 31])
    assert (whole.lft[there[~behind]] == less.lft[there[~behind]]).all()
    assert (whole.lft[there[behind]] != less.lft[there[behind]]).any(axis=1).all()
    assert (less.lft[5] == less.none).all()


THREE = {"tiers": 3, "leaf": {"uplinks": 6}, "spine": {"switch": "qm8700", "uplinks": 6}, "core": {"switch": "qm8700"}}
EVEN = {
    "full": (tree(64, 8, 8, leaf={"uplinks": 8}), True),
    "parallel": (tree(64, 8, 8, leaf={"uplinks": 8}, spine={"switch": "qm8700", "count": 4}), True),
    "two-to-one": (tree(64, 8, 8, leaf={"uplinks": 4}), True),
    "three-tiers": (tree(108, 6, 6, pod=6, **THREE), True),
    "three-tiers-tapered": (tree(108, 6, 6, pod=6, **{**THREE, "leaf": {"uplinks": 3}}), True),
    "eight-over-six": (tree(64, 8, 8, leaf={"uplinks": 6}), False),
    "five-of-six": (tree(90, 5, 5, pod=6, **THREE), False),
}


@pytest.mark.parametrize("name", EVEN)
def test_the_closed_form_says_where_ftree_comes_to_its_loads(name: str) -> None:
    """Every link of an all-to-all, as a multiset: equal on full trees, others where leaves begin amid a turn of uplinks."""
    subnet, even = EVEN[name]
    g = graph(subnet)
    assert closed_form(g).tree.even is even
    ours, theirs = (np.sort(all_to_all(r)[0]) for r in (compute(g, "dmodk"), compute(g, "ftree", found_roots_of(g))))
    assert (ours == theirs).all() == even


@given(st.sets(st.integers(0, 55)))
@settings(max_examples=25, deadline=None)
def test_missing_hosts_leave_the_closed_form_ftrees_loads_while_one_leaf_is_full(missing: set[int]) -> None:
    """OpenSM counts the missing hosts of a leaf behind the others, up to the fullest leaf."""
    g = graph(EVEN["full"][0], Removed(endpoints=tuple(sorted(missing))))
    ours, theirs = (np.sort(all_to_all(r)[0]) for r in (compute(g, "dmodk"), compute(g, "ftree", found_roots_of(g))))
    assert (ours == theirs).all()


def found_roots_of(g: Graph) -> list[int]:
    return np.flatnonzero(g.tier == g.tier.max()).tolist()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: damaged(tree(32, 4, 4, leaf={"uplinks": 4}), 1, 0), "different numbers of uplinks"),
        (lambda: dragonfly(2, 4, 2, 9), "one tier apart"),
        (lambda: replace(wired([(0, 1)], [2, 1]), tier=np.array([0, 1], np.int32)), "other switches than leaves"),
    ],
)
def test_anything_else_is_refused_with_the_reason(make: Callable[[], Graph], why: str) -> None:
    with pytest.raises(NotRouted, match=why):
        compute(make(), "dmodk")
