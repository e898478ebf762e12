"""Re-routing after a failure: what is known of the undamaged fabric saves the search and changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from ibgen.route import Removed, compute, graph
from ibgen.simulate.reroute import intact, reroute
from tests.route.fabrics import tree


@pytest.mark.parametrize(("hosts", "unit", "down"), [(64, 8, 8), (48, 8, 4), (40, 4, 2)])
def test_known_distances_give_the_ways_that_a_search_gives(hosts: int, unit: int, down: int) -> None:
    """Single cables, several at once, whole switches, endpoints; some of them cut a leaf off or make ways longer."""
    drawn = np.random.default_rng(hosts)
    s = tree(hosts, unit, down)
    base = graph(s)
    before, routes = intact(base), compute(base, "minhop")
    between = np.flatnonzero(s.cables.kind != 0)
    longer = 0
    for _ in range(40):
        counts = drawn.integers(0, 3), drawn.integers(0, 3 * len(between) // 4), drawn.integers(0, 3)
        rows = (np.arange(len(s.switches.names)), between, np.arange(len(s.ports.host)))
        gone = Removed(*(tuple(drawn.permutation(r)[:n].tolist()) for r, n in zip(rows, counts, strict=True)))
        damaged = graph(s, gone)
        searched, known = reroute(routes, damaged), reroute(routes, damaged, before)
        assert (searched.rows == known.rows).all()
        assert (searched.lft == known.lft).all()
        assert (searched.hops == known.hops).all()
        longer += bool(((searched.hops > 2) & (searched.hops < 255)).any())
    assert longer, "no case made a way longer: the search was never needed"
