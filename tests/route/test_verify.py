"""Faults that are put into tables are found, and those that theory promises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ibgen.route import NotRouted, Routes, compute, graph, link_name, verify
from ibgen.route.dfsssp import dfsssp

from .fabrics import damaged, dragonfly, pgft, tree, wired


def tree_routes() -> Routes:
    return compute(pgft(4, 8, 4), "dmodk")


def changed(routes: Routes, endpoint: int, switch: int, port: int) -> Routes:
    lft = routes.lft.copy()
    lft[endpoint, switch] = port
    return replace(routes, lft=lft)


def test_a_good_tree() -> None:
    found = verify(tree_routes())
    assert found.sound
    assert found.pairs == 8 * 32
    assert found.unplugged == ()


def test_a_missing_entry_is_a_dead_end_for_all_who_pass() -> None:
    """The spine that leads to host 0 forgets it: the 7 other leaves do not get there."""
    routes = tree_routes()
    spine = int(routes.next_switch(np.array([0]), np.array([5]))[0])
    found = verify(changed(routes, 0, spine, 255))
    assert (found.dead_ends, found.loops, found.astray) == (7, 0, 0)
    assert found.dead_end_cases == ((0, spine),) * 7


def test_a_port_without_a_cable_is_a_dead_end() -> None:
    routes = tree_routes()
    free = int(np.flatnonzero((routes.graph.peer[9] < 0) & (routes.graph.endpoint[9] < 0))[-1])
    assert verify(changed(routes, 1, 9, free)).dead_ends > 0


def test_a_table_that_points_back_is_a_loop() -> None:
    routes = tree_routes()
    g = routes.graph
    spine = int(routes.next_switch(np.array([0]), np.array([5]))[0])
    back = int(np.flatnonzero(g.peer[spine] == 5)[0])
    found = verify(changed(routes, 0, spine, back))
    assert found.loops == 7
    assert found.dead_ends == 0


def test_somebody_else_s_door() -> None:
    routes = tree_routes()
    found = verify(changed(routes, 0, 0, int(routes.graph.leaf_port[1])))
    assert found.astray == 8
    assert found.astray_cases[0] == (0, 0)


def test_a_ring_of_five_has_a_credit_loop_and_one_of_three_has_none() -> None:
    """Shortest ways on a ring of n pass n // 2 links: from two links on they wait for one another all the way round."""
    loops = {n: verify(compute(wired([(i, (i + 1) % n) for i in range(n)], [1] * n), "minhop")).credit_loops for n in (3, 5)}
    assert loops[3] == ((),)
    (ring,) = loops[5]
    assert len(ring) == 5


def test_layers_open_the_ring() -> None:
    g = wired([(i, (i + 1) % 5) for i in range(5)], [1] * 5)
    routes = compute(g, "dfsssp")
    assert routes.layer_count == 2
    assert verify(routes).sound
    assert not verify(replace(routes, layers=None)).sound
    with pytest.raises(NotRouted, match="1 virtual lanes are too few"):
        dfsssp(g, lanes=1)


def test_minhop_on_a_dragonfly_closes_a_credit_loop() -> None:
    """Measured with ibdmchk on a dragonfly of 72 hosts (opensm.md, section 3)."""
    g = dragonfly(2, 4, 2, 9)
    found = verify(compute(g, "minhop"))
    assert not found.sound
    assert link_name(g, found.credit_loops[0][0]).startswith("sw-")
    assert verify(compute(g, "dfsssp")).sound


@pytest.mark.slow
def test_a_dragonfly_of_1056_hosts_needs_no_more_than_eight_lanes() -> None:
    routes = compute(dragonfly(4, 8, 4, 33), "dfsssp")
    assert routes.layer_count <= 8
    assert verify(routes).sound


def test_hosts_of_an_island_are_cut_off_and_counted() -> None:
    topology = {"leaf": {"uplinks": 12}, "spine": {"switch": "qm8700", "uplinks": 12}, "core": {"switch": "qm8700"}}
    subnet = tree(96, 12, 12, tiers=3, pod=2, **topology)
    g = damaged(subnet, 0, 1)
    found = verify(compute(g, "minhop"))
    # one pod of two leaves lost its only spine: 24 hosts are out of reach of 8 leaves, and reach nobody themselves
    assert found.dead_ends == 24 * 8 + 72 * 2
    assert found.unplugged == ()


def test_planned_hosts_are_not_plugged_in_unless_asked_for() -> None:
    subnet = tree(32, 4, 4, leaf={"uplinks": 4}, missing="n0003")
    assert verify(compute(graph(subnet), "dmodk")).unplugged == (2,)
    assert verify(compute(graph(subnet, planned=True), "dmodk")).unplugged == ()
