"""Tables that the real OpenSM wrote, read from its dump and put under traffic (simulation.md, cases 19 and 20; failures)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ibgen.route import Graph, Removed, Routes, compute, graph, read_dump
from ibgen.route.ftree_index import indexed
from ibgen.simulate import patterns
from ibgen.simulate.loads import estimate, flow_loads
from ibgen.simulate.reroute import reroute
from ibgen.simulate.tables import laid
from ibgen.simulate.trees import all_to_all
from tests.route.fabrics import pgft, tree
from tests.route.real import opensm

from .fabrics import rows

pytestmark = pytest.mark.opensm


def tables_of_opensm(g: Graph, folder: Path, engine: str = "ftree") -> Routes:
    roots = np.flatnonzero((g.tier == g.tier.max()) & g.linked)
    options = {"dump_files_dir": str(folder)}
    opensm(g, folder, engine, options, {"root_guid_file": [int(x) for x in g.guid[roots]]})
    found, findings = read_dump((folder / "opensm-lfts.dump").read_bytes(), g, "opensm-lfts.dump")
    assert not findings, findings
    return found.routes


CASE_19 = [
    ((18, 18, 18), 0.8173, 100),
    pytest.param((18, 18, 18, 4, 2, (1, 9)), 0.7483, 40, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("shape", "value", "drawn"), CASE_19, ids=["324-hosts", "1296-hosts"])
def test_opensms_fat_tree_keeps_the_measured_bisection_and_a_perfect_all_to_all(
    shape: tuple[int, ...], value: float, drawn: int, tmp_path: Path
) -> None:
    r = tables_of_opensm(pgft(*shape), tmp_path)
    halves = estimate(r, "bisection", (patterns.bisection(rows(r), 3, k) for k in range(drawn)), 3)
    assert halves.mean == pytest.approx(value, abs=0.005 + 2 * halves.standard_error)
    assert all_to_all(r)[0].max() == r.graph.endpoints - 1


def dealt(g: Graph) -> np.ndarray:
    """Endpoints in the order in which ftree deals them out: leaf by leaf, leaves as its index sorts them (by GUIDs)."""
    targets = indexed(g, np.flatnonzero(g.tier == g.tier.max()), None, None).targets
    return np.array([e for _, rows, _ in targets.compute for e in rows])


def fullest_of_all_shifts(r: Routes, order: np.ndarray, every: int = 1) -> int:
    return max(flow_loads(r, (order, np.roll(order, -k))).max for k in range(1, len(order), every))


@pytest.mark.parametrize("shape", [(18, 18, 18), (6, 6, 6, 6, 6)], ids=["324-hosts", "216-hosts-three-tiers"])
def test_opensms_fat_tree_carries_every_shift_without_a_meeting(shape: tuple[int, ...], tmp_path: Path) -> None:
    """Case 20: load 1 on every cable, over all shifts of the order in which OpenSM deals destinations."""
    r = tables_of_opensm(pgft(*shape), tmp_path)
    assert fullest_of_all_shifts(r, dealt(r.graph)) == 1


@pytest.mark.slow
def test_3456_hosts_carry_every_shift_on_the_tables_that_opensm_would_write() -> None:
    """Cases 19 and 20 at their size, on tables that differ in no entry from OpenSM's. In an order of hosts that does not follow
    OpenSM's of the leaves two flows of a shift may meet."""
    g = pgft(12, 12, 12, 24, 12)
    r = compute(g, "ftree", np.flatnonzero(g.tier == 2).tolist())
    assert fullest_of_all_shifts(r, dealt(g)) == 1
    assert fullest_of_all_shifts(r, g.by_leaf[0], every=50) == 2
    halves = estimate(r, "bisection", (patterns.bisection(rows(r), 3, k) for k in range(40)), 3)
    assert halves.mean == pytest.approx(0.6863, abs=0.005 + 2 * halves.standard_error)
    assert all_to_all(r)[0].max() == 3455


@pytest.mark.parametrize("engine", ["ftree", "updn", "minhop"])
def test_one_dead_uplink_costs_an_all_to_all_what_opensms_new_tables_cost(engine: str, tmp_path: Path) -> None:
    """17 cables lead down to 18 hosts of the leaf: one of them serves two hosts, whatever the engine. The incremental way of a
    sweep must come to the same fullest cable as tables that OpenSM computes anew."""
    subnet = tree(324, 18, 18, leaf={"uplinks": 18})
    whole = compute(graph(subnet), "dmodk")
    dead = int(np.flatnonzero(subnet.cables.kind > 0)[100])
    damaged = graph(subnet, Removed(cables=(dead,)))
    real = tables_of_opensm(damaged, tmp_path, engine)
    ours = laid(whole, damaged, reroute(whole, damaged))
    assert all_to_all(whole)[0].max() == 323
    assert all_to_all(ours)[0].max() == all_to_all(real)[0].max() == 2 * 306  # both hosts' senders on the other 17 leaves
