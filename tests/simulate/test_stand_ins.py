"""What stands in for an engine is said, and no sentence claims what is not so."""

from __future__ import annotations

import pytest

from ibgen.route import graph
from ibgen.simulate.engines import TablesOf, tables_of_graph
from ibgen.simulate.study import study
from ibgen.targets.opensm_routing import ADAPTIVE

from .fabrics import loaded, spec_of

PLUS = "{kind: dragonfly-plus, groups: 5, links: 4, leaf: {switch: r8, downlinks: 4}, spine: {switch: r8, uplinks: 4}}"


def told(engine: str) -> TablesOf:
    """The tables of a small dragonfly+ for a manager that is told `engine`."""
    g = graph(loaded(spec_of(80, PLUS), 8)[1].subnets[0])
    return tables_of_graph(engine, g, [0])[1]


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("dfp", "by way of a third"),
        ("dfp2", "by way of a third"),
        ("dor", "evens out only cables between the same two switches"),
        ("lash", "evens out lanes, not links"),
        ("torus-2QoS", "OpenSM falls back to minhop"),
        ("dnup", "some of its ways are longer"),
        ("file", "--tables"),
    ],
)
def test_minhop_stands_in_and_it_is_said_how_the_engine_differs(engine: str, said: str) -> None:
    found = told(engine)
    assert (found.engine, found.asked, found.origin) == ("minhop", engine, "exact")
    assert said in found.why
    assert engine in found.why


@pytest.mark.parametrize("engine", ["dfsssp", "sssp", "nue"])
def test_balanced_shortest_ways_are_called_our_own(engine: str) -> None:
    found = told(engine)
    assert found.engine == "dfsssp"
    assert "our own" in found.why


@pytest.mark.parametrize("engine", ["minhop", "updn"])
def test_nothing_is_said_where_the_engine_itself_is_computed(engine: str) -> None:
    assert told(engine).why == ""


@pytest.mark.parametrize("engine", sorted(ADAPTIVE))
def test_adaptive_engines_are_called_a_lower_bound_or_said_to_be_of_another_shape(engine: str) -> None:
    why = told(engine).why
    assert "at least" in why or "cannot route" in why or "made for meshes" in why


def test_the_stand_in_is_a_note_of_the_study_too() -> None:
    text = spec_of(80, PLUS, control="{kind: opensm, flavour: nvidia, routing: [dfp]}")
    cluster, fabric, targets, catalog = loaded(text, 8)
    found = study(cluster, fabric, targets, catalog, 0)
    assert any(n.startswith("The manager is told dfp, these are tables of minhop: ") for n in found.notes)
    assert found.tables.why in " ".join(found.notes)
    shift = {p.name: p for p in found.patterns}["shift by a group"]
    assert (shift.max_load, shift.flows, shift.note) == (4, 80, "group i to group i + 1: up to 16 flows over 4 cables")
    assert found.detours is not None
    assert found.detours.router is None
    assert found.detours.minimal == 0.25
    assert found.detours.bound == pytest.approx((16 + 4) / 32, rel=0.01)
    bounded = {b.pattern: b for b in found.bounds}["shift by a group"]
    assert (bounded.static, bounded.active) == (0.25, True)
    assert bounded.fluid == pytest.approx(0.625, rel=0.01)
