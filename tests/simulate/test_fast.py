"""Compiled or not, with a table or by the closed form: the same integers."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from ibgen.route import Routes, compute, graph
from ibgen.route.pointwise import pointwise
from ibgen.simulate import patterns
from ibgen.simulate.loads import flow_loads
from ibgen.simulate.rates import max_min
from ibgen.simulate.trees import all_to_all
from ibgen.simulate.walking import walk

from .fabrics import loaded, rows, spec_of, tables

SHAPES = [(8, 4, 4, 4), (8, 24, 12, 12), (32, 4, 4, 0, 3, 4), (18, 18, 18, 18)]
compiled = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs numba, `ibgen[fast]`")


def dragonfly() -> Routes:
    text = spec_of(72, "{kind: dragonfly, switch: r16, a: 4, p: 2, h: 2}", control="{kind: opensm, routing: [minhop]}")
    return compute(graph(loaded(text, 16)[1].subnets[0]), "minhop")


@pytest.mark.parametrize("shape", SHAPES)
def test_closed_form_walks_as_the_table_does(shape: tuple[int, ...]) -> None:
    r = tables(*shape)
    form = pointwise(r.graph)
    for flows in (patterns.permutation(rows(r), 5), patterns.shift(rows(r), shape[1])):
        assert (walk(form, flows).channels == walk(r, flows, False).channels).all()
    assert (all_to_all(form, fast=False)[0] == all_to_all(r, fast=False)[0]).all()


@compiled
@pytest.mark.parametrize("shape", [*SHAPES, ()], ids=str)
def test_compiled_kernels_equal_numpy_to_the_bit(shape: tuple[int, ...]) -> None:
    r = tables(*shape) if shape else dragonfly()
    for flows in (patterns.permutation(rows(r), 5), patterns.bisection(rows(r), 5), patterns.incast(rows(r)[3:], rows(r)[:3])):
        slow, fast = flow_loads(r, flows, False), flow_loads(r, flows, True)
        assert (slow.channels == fast.channels).all()
        assert (slow.links == fast.links).all()
        assert (slow.injected == fast.injected).all()
        assert (slow.largest == fast.largest).all()
    assert (all_to_all(r, fast=True)[0] == all_to_all(r, fast=False)[0]).all()


def test_a_flow_without_a_way_loads_nothing_and_counts_as_zero() -> None:
    whole = tables(8, 4, 4, 4)
    lft = whole.lft.copy()
    lft[5] = whole.none
    r = Routes("broken", whole.graph, lft)
    loads = flow_loads(r, patterns.shift(rows(whole), 4), False)
    assert loads.unrouted == 1
    assert loads.efficiency == pytest.approx(31 / 32)
    capacity = np.full(len(loads.links), 25.0)
    rates = max_min(loads, rows(whole), capacity, np.full(32, 25.0))
    assert sorted(rates.tolist()) == [0.0] + [25.0] * 31


def test_tables_that_go_round_end_all_the_same() -> None:
    """A loop in imported tables is counted as unrouted flows, not walked for ever."""
    whole = tables(8, 4, 4, 4)
    g = whole.graph
    lft = whole.lft.copy()
    leaf = int(g.leaf[0])
    other = int(g.leaf[31])
    up = int(np.flatnonzero(g.peer[other] >= 0)[0])
    spine = int(g.peer[other, up])
    lft[0, :] = np.where(g.tier == 0, up, int(g.peer_port[other, up]))  # leaves send up, the spine sends back down
    lft[0, leaf] = up
    r = Routes("loop", g, lft)
    loads = flow_loads(r, (np.array([31]), np.array([0])), False)
    assert (loads.unrouted, loads.links.sum()) == (1, 0)
    assert all_to_all(r, fast=False)[0].sum() > 0
    assert spine >= 0
