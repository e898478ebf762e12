"""The dealing of destinations in blocks equals dealing them one by one, on any graph."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.route import Graph, compute, verify
from ibgen.route.greedy import leaf_order

from .fabrics import wired


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> Graph:
    """Connected multigraphs with hosts anywhere."""
    n = draw(st.integers(2, most))
    links = [(i, draw(st.integers(0, i - 1))) for i in range(1, n)]
    links += draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1]), max_size=12))
    hosts = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(lambda h: sum(h) > 1))
    return wired(links, hosts, draw(st.integers(0, 9)))


def one_by_one(g: Graph) -> np.ndarray:
    """OpenSM's rule as it is written down: destination by destination, the first least counter among shortest ways."""
    far = np.full((g.switches, g.switches), 99)
    for t in range(g.switches):
        far[t, t], queue = 0, [t]
        for u in queue:
            for v in g.peer[u][g.peer[u] >= 0].tolist():
                if far[v, t] == 99:
                    far[v, t] = far[u, t] + 1
                    queue.append(v)
    lft = np.full((g.endpoints, g.switches), 255)
    count = np.zeros(g.peer.shape, int)
    for leaf in leaf_order(g).tolist():
        for e in g.at_leaf(leaf).tolist():
            for s in range(g.switches):
                if s == leaf:
                    lft[e, s] = g.leaf_port[e]
                    continue
                ports = [p for p in range(1, g.width) if g.peer[s, p] >= 0 and far[g.peer[s, p], leaf] == far[s, leaf] - 1]
                best = min(ports, key=lambda p: count[s, p])
                count[s, best] += 1
                lft[e, s] = best
    return lft


@given(graphs())
@settings(max_examples=150, deadline=None)
def test_blocks_equal_one_by_one(g: Graph) -> None:
    assert (compute(g, "minhop").lft == one_by_one(g)).all()


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_shortest_ways_reach_everybody(g: Graph) -> None:
    found = verify(compute(g, "minhop"))
    assert (found.dead_ends, found.astray, found.loops) == (0, 0, 0)


@given(graphs(), st.integers(0, 8))
@settings(max_examples=60, deadline=None)
def test_updn_never_closes_a_credit_loop(g: Graph, root: int) -> None:
    """With one root every cycle has a switch where a way would turn up again."""
    found = verify(compute(g, "updn", roots=[root % g.switches]))
    assert found.credit_loops == ((),)
    assert found.loops == 0


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_dfsssp_is_sound_and_shortest(g: Graph) -> None:
    balanced, least = compute(g, "dfsssp"), compute(g, "minhop")
    assert verify(balanced).sound
    pairs = np.argwhere(~np.eye(g.endpoints, dtype=bool))
    lengths = [(r.channels(pairs[:, 0], pairs[:, 1]) >= 0).sum(axis=1) for r in (balanced, least)]
    assert (lengths[0] == lengths[1]).all()
