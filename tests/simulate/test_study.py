"""What a study says in the words of the spec; failures and sweeps by name."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ibgen.route import compute, graph
from ibgen.simulate import patterns
from ibgen.simulate.failures import fail
from ibgen.simulate.loads import flow_loads
from ibgen.simulate.parts import find_parts
from ibgen.simulate.reroute import reroute
from ibgen.simulate.results import Options, Study
from ibgen.simulate.study import study
from ibgen.simulate.survival import hosts_on_one_leaf, lone_cables, lone_switches
from ibgen.simulate.sweeps import sweep
from ibgen.simulate.tables import laid

from .fabrics import loaded, rows, spec_of, tree_spec
from .test_oracles import RAILS

FEW = Options(patterns=5, fast=False)


def studied(text: str, *radixes: int, **options: object) -> Study:
    cluster, fabric, targets, facts = loaded(text, *radixes)
    return study(cluster, fabric, targets, facts, 0, None, replace(FEW, **options))  # type: ignore[arg-type]


def test_ring_in_shuffled_host_order_is_half_as_fast_and_the_advice_says_so() -> None:
    """nccl 1340, 1545: rings follow the given rank order; leaf order costs nothing."""
    text = RAILS % 256
    _, fabric, _, _ = loaded(text)
    mixed = patterns.shuffled(np.arange(256), 2, 0)
    order = tuple(fabric.hosts.names[i] for i in mixed)
    s = studied(text, order=order)
    assert s.order is not None
    assert s.order.leaf == 1.0
    assert s.order.given < 0.85
    assert s.order.loss == pytest.approx(1 - s.order.given)
    assert s.order.hosts == fabric.hosts.names
    assert studied(text).order.loss == 0.0  # type: ignore[union-attr]


def test_worst_cable_is_named_with_the_flows_on_it() -> None:
    s = studied(RAILS % 64)
    assert s.worst
    w = s.worst[0]
    assert w.load == len(w.flows) + w.more > 1
    assert w.text().startswith(f"{w.start.name} port {w.start.port} (")
    assert f": {w.load} flows: n00" in w.text()
    assert all("/mlx5_" in a and "/mlx5_" in b for a, b in w.flows)


def test_every_figure_names_pattern_model_and_seed() -> None:
    s = studied(RAILS % 64)
    for p in s.patterns:
        assert p.name
        assert p.model == "static tables"
        assert (p.seed is None) == (p.standard_error is None)
    assert s.tables.asked == "ar_updn"
    assert "adaptive" in s.tables.why


def test_collectives_are_held_to_a_tapered_fabric() -> None:
    """A 2:1 tree halves what an all-to-all gets; rings in leaf order feel nothing."""
    flat = RAILS.replace("leaf: {switch: qm9700, downlinks: 32}", "leaf: {switch: qm9700, downlinks: 32, uplinks: 16}")
    s = studied(flat.replace("flavour: nvidia, routing: [ar_updn]", "routing: [ftree]") % 128)
    rate = {r.operation: r.share for r in s.ratings}
    assert rate["ring"] == pytest.approx(1.0)
    assert 0.5 <= rate["alltoall"] < 0.7
    curve = next(c for c in s.collectives[0].curves if c.operation == "alltoall")
    assert curve.points[-1].limit == "fabric"


def test_adaptive_routing_is_a_pair_of_bounds_with_a_declared_parameter() -> None:
    b = studied(RAILS % 64).bounds[0]
    assert b.static <= (b.declared or 0) <= b.fluid == 1.0
    assert b.active
    assert b.source.endswith("(unverified)")


def test_one_host_is_a_note_and_no_traceback() -> None:
    s = studied(RAILS.replace('"n[0001-%d]"', "n1").replace("unit: 32, ", "unit: 32, units: 1, "))
    assert s.order is None
    assert s.ratings == ()


def test_a_fabric_without_anyone_in_service_is_a_note() -> None:
    text, radix = tree_spec(8, 4, 4, 4)
    cluster, fabric, targets, facts = loaded(text, radix)
    parts, _ = find_parts(fabric, fabric.hosts.names)
    from ibgen.simulate.failures import merged

    s = study(cluster, fabric, targets, facts, 0, None, FEW, without=merged(parts))
    assert s.endpoints == 0
    assert any("no traffic" in note for note in s.notes)


def test_parts_are_found_by_either_end_and_unknown_ones_get_a_hint() -> None:
    text, radix = tree_spec(8, 4, 4, 4)
    _, fabric, _, _ = loaded(text, radix)
    s = fabric.subnets[0]
    leaf = s.switches.names[0]
    up = int(s.cables.lower_port[np.flatnonzero(s.cables.kind > 0)[0]])
    top, port = int(s.cables.upper[s.cables.kind > 0][0]), int(s.cables.upper_port[s.cables.kind > 0][0])
    found, unknown = find_parts(
        fabric, [f"cable:{leaf}:{up}", f"cable:{s.switches.names[top]}:{port}", leaf + "x", "n00001/mlx5_9"]
    )
    assert found[0].removed == found[1].removed
    assert leaf in unknown[0].near
    assert unknown[1].near == ("n00001/mlx5_0",)


def test_a_cut_cable_moves_only_the_destinations_that_used_it() -> None:
    text, radix = tree_spec(8, 4, 4, 4)
    _, fabric, _, _ = loaded(text, radix)
    s = fabric.subnets[0]
    whole = compute(graph(s), "dmodk")
    (part,), _ = find_parts(fabric, [f"cable:{s.switches.names[0]}:{5}"])
    damaged = graph(s, part.removed)
    changed = reroute(whole, damaged)
    after = laid(whole, damaged, changed)
    assert 0 < len(changed.rows) < 32 / 2
    same = np.setdiff1d(np.arange(32), changed.rows)
    assert (after.lft[same] == whole.lft[same]).all()
    a, b = np.meshgrid(np.arange(32), np.arange(32), indexing="ij")
    assert flow_loads(after, (a[a != b], b[a != b]), False).unrouted == 0


def test_a_dead_leaf_cuts_its_hosts_and_names_them() -> None:
    text, radix = tree_spec(8, 4, 4, 4)
    cluster, fabric, _, _ = loaded(text, radix)
    parts, _ = find_parts(fabric, [fabric.subnets[0].switches.names[0]])
    f = fail(cluster, fabric, 0, parts, FEW)
    assert f.cut == ("n[00001-00004]/mlx5_0",)
    assert (f.hosts.fewer, f.hosts.cut, f.hosts.cut_count) == ((), "n[00001-00004]", 4)
    assert f.cut_pairs == 32 * 31 - 28 * 27
    assert f.ebb_loss == pytest.approx(0, abs=1e-12)


def test_a_dead_spine_of_four_takes_its_share_of_an_all_to_all() -> None:
    """Three spines carry what four did: the fullest up cable has at least 4/3 of its load."""
    text, radix = tree_spec(8, 4, 4, 4)
    cluster, fabric, _, _ = loaded(text, radix)
    s = fabric.subnets[0]
    parts, _ = find_parts(fabric, [s.switches.names[int(s.tier(1)[0])]])
    f = fail(cluster, fabric, 0, parts, FEW)
    assert f.cut_pairs == 0
    assert f.before.all_to_all_max == 31
    assert f.after.all_to_all_max >= 28 * 4 / 3
    assert f.collective_loss == pytest.approx(1 - 31 / f.after.all_to_all_max)


def test_sweep_agrees_with_failing_each_cable_by_itself() -> None:
    text, radix = tree_spec(8, 4, 4, 4)
    cluster, fabric, _, _ = loaded(text, radix)
    made = sweep(cluster, fabric, 0, "cables", FEW)
    assert made.cases == 32
    assert made.disconnecting == 0
    worst = made.rows[0]
    parts, _ = find_parts(fabric, [worst.part])
    alone = fail(cluster, fabric, 0, parts, FEW)
    assert alone.after.bisection.share == pytest.approx(worst.ebb)
    assert alone.after.all_to_all_max == max(worst.max_load, 31)
    assert alone.rerouted == worst.rerouted
    assert alone.ebb_loss == pytest.approx(worst.loss)
    assert alone.collective_loss == pytest.approx(worst.all_to_all_loss) == pytest.approx(1 - 31 / worst.max_load)


def test_a_dead_leaf_of_one_rail_leaves_its_hosts_with_seven_of_eight_adapters() -> None:
    """Survivors of the rail lose nothing: the unit's 32 hosts run on with 350 of 400 GB/s, and all of them are named."""
    cluster, fabric, _, _ = loaded(RAILS % 64)
    parts, _ = find_parts(fabric, ["leaf-u01-r2"])
    f = fail(cluster, fabric, 0, parts, FEW)
    assert (f.ebb_loss, f.ring_loss) == (pytest.approx(0, abs=1e-12), pytest.approx(0, abs=1e-12))
    assert f.cut == ("n[0001-0032]/mlx5_4",)
    (x,) = f.hosts.fewer
    assert (x.hosts, x.count, x.role, x.gpus, x.lost) == ("n[0001-0032]", 32, "compute", True, ("mlx5_4",))
    assert (x.left, x.of, x.left_gbs, x.of_gbs) == (7, 8, 350.0, 400.0)
    assert f.hosts.cut_count == 0


def test_hosts_of_a_leaf_without_uplinks_are_named_though_they_reach_one_another() -> None:
    text, radix = tree_spec(8, 4, 4, 4)
    cluster, fabric, _, _ = loaded(text, radix)
    parts, _ = find_parts(fabric, [f"cable:leaf-u03:{port}" for port in (5, 6, 7, 8)])
    f = fail(cluster, fabric, 0, parts, FEW)
    assert f.cut_pairs == 2 * 4 * 28
    assert (f.cut, f.apart) == ((), ("n[00009-00012]/mlx5_0",))
    whole, _ = find_parts(fabric, ["cable:leaf-u03:5"])
    assert fail(cluster, fabric, 0, whole, FEW).apart == ()


def test_hosts_that_lose_unlike_adapters_stand_apart() -> None:
    cluster, fabric, _, _ = loaded(RAILS % 64)
    parts, _ = find_parts(fabric, ["n0001/mlx5_0", "n0002/mlx5_0", "cable:n0002/mlx5_4", "n0040"])
    f = fail(cluster, fabric, 0, parts, FEW)
    assert [(x.hosts, x.lost, x.left) for x in f.hosts.fewer] == [
        ("n0001", ("mlx5_0",), 7), ("n0002", ("mlx5_0", "mlx5_4"), 6),
    ]  # fmt: skip
    assert (f.hosts.cut, f.hosts.cut_count) == ("n0040", 1)


PLANES = """ibgen: 1
cluster: x
pools: [{name: n, hosts: "n[1-8]", platform: {kind: generic, gpu: H200-SXM, gpus: 8, hcas: [
  {name: mlx5_0, rate: 200G, ports: 2}, {name: mlx5_1, rate: 200G, ports: 2}]}}]
fabrics:
  - name: f
    control: {kind: opensm}
    topology: {kind: fat-tree, planes: 2, rails: host, unit: 8, leaf: {switch: qm8700}}
    attach: [{pool: n, hcas: all}]
"""


def test_an_adapter_with_a_port_left_on_another_plane_is_no_lost_adapter() -> None:
    """Two adapters of two ports of 200 Gb/s: a port less leaves both adapters and 75 of 100 GB/s."""
    cluster, fabric, _, _ = loaded(PLANES)
    parts, _ = find_parts(fabric, ["n2/mlx5_1:1", "n3/mlx5_1"])
    gone = {p.subnet: p.removed for p in parts if p.subnet == 1}
    f = fail(cluster, fabric, 0, parts, FEW, gone=gone)
    assert [(x.hosts, x.lost, x.left, x.of, x.left_gbs, x.of_gbs) for x in f.hosts.fewer] == [
        ("n2", ("mlx5_1:1",), 2, 2, 75.0, 100.0), ("n3", ("mlx5_1",), 1, 2, 50.0, 100.0),
    ]  # fmt: skip
    assert f.hosts.cut_count == 0


STORAGE = """ibgen: 1
cluster: x
pools: [{name: s, hosts: "s[1-4]", platform: {kind: generic, hcas: [
  {name: mlx5_0, rate: 200G, role: storage}, {name: mlx5_1, rate: 200G, role: storage}]}}]
fabrics:
  - name: f
    control: {kind: opensm}
    topology: {kind: fat-tree, rails: host, unit: 4, leaf: {switch: qm8700}}
    attach: [{pool: s, hcas: all}]
"""


def test_a_fabric_without_compute_adapters_has_no_rings_before_or_after_a_failure() -> None:
    cluster, fabric, _, _ = loaded(STORAGE)
    parts, _ = find_parts(fabric, ["s2/mlx5_1"])
    f = fail(cluster, fabric, 0, parts, FEW)
    assert (f.before.ring_share, f.after.ring_share, f.ring_loss) == (None, None, None)
    (x,) = f.hosts.fewer
    assert (x.hosts, x.role, x.gpus, x.lost, x.left, x.of, x.left_gbs) == ("s2", "storage", False, ("mlx5_1",), 1, 2, 25.0)


def test_a_sweep_ranks_by_what_is_cut_then_by_the_larger_loss() -> None:
    """A cable that costs bisection less than another may cost an all-to-all more: it stands first. Leaves cut their hosts off:
    they stand before the spines though the others feel nothing of them."""
    text, radix = tree_spec(5, 6, 4, 4)
    cluster, fabric, _, _ = loaded(text, radix)
    cables, switches = (sweep(cluster, fabric, 0, kind, FEW).rows for kind in ("cables", "switches"))
    for rows_ in (cables, switches):
        keys = [(r.cut_pairs, r.hosts, round(max(r.loss, r.all_to_all_loss), 9)) for r in rows_]
        assert keys == sorted(keys, reverse=True)
    assert any(a.loss < b.loss - 1e-9 for a, b in pairwise(cables))
    assert [(r.part.startswith("leaf"), r.hosts) for r in switches] == [(True, 6)] * 5 + [(False, 0)] * 4


def test_losing_a_switch_never_improves_a_fabric() -> None:
    """Fewer hosts meet less, so their share rises; the loss of their own flows is what is spread over the cases. No flow
    between survivors of a dead leaf went by it; a dead spine of four leaves its load to three."""
    text, radix = tree_spec(8, 4, 4, 4)
    cluster, fabric, _, _ = loaded(text, radix)
    made = sweep(cluster, fabric, 0, "switches", FEW)
    assert made.base_max_load == 31
    assert any(r.ebb > made.base for r in made.rows)
    assert all(r.loss == pytest.approx(0, abs=1e-12) and r.hosts == 4 for r in made.rows[:8])
    least, worst = made.quantiles[0], made.quantiles[-1]
    assert least == (0.0, pytest.approx(0, abs=1e-12), pytest.approx(0, abs=1e-12))
    assert worst[2] == pytest.approx(max(1 - 31 / r.max_load for r in made.rows[8:]))
    assert worst[2] >= 1 / 4


@pytest.mark.parametrize(("engine", "said"), [("minhop", True), ("updn", True), ("dmodk", False)])
def test_a_sweep_says_where_a_failure_by_name_comes_to_other_figures(engine: str, said: bool) -> None:
    text, radix = tree_spec(8, 4, 4, 4)
    control = "{kind: opensm, routing: [%s]}" % ("ftree" if engine == "dmodk" else engine)
    cluster, fabric, _, _ = loaded(text.replace("{kind: opensm, routing: [ftree]}", control), radix)
    made = sweep(cluster, fabric, 0, "switches", FEW)
    assert made.engine == engine
    assert (f"--fail of one part computes all of {engine}'s tables anew" in made.method) is said
    parts, _ = find_parts(fabric, [made.rows[-1].part])
    assert ("anew" in fail(cluster, fabric, 0, parts, FEW).method) is said


def test_single_points_of_failure_are_named() -> None:
    """Two leaves under one spine: the spine and every cable of a leaf with a single uplink are such points."""
    lone = "{kind: fat-tree, rails: host, unit: 4, leaf: {switch: r8, downlinks: 4, uplinks: 1}, spine: {switch: r8, count: 1}}"
    _, fabric, _, _ = loaded(spec_of(8, lone), 8)
    s = fabric.subnets[0]
    assert lone_switches(s) == (s.switches.names[2],)
    assert len(lone_cables(s)) == 2
    assert len(hosts_on_one_leaf(fabric, 0)) == 8
    text, radix = tree_spec(8, 4, 4, 4)
    whole = loaded(text, radix)[1].subnets[0]
    assert lone_switches(whole) == lone_cables(whole) == ()


ISLANDS = """ibgen: 1
cluster: x
pools: [{name: n, hosts: "n[1-4]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
fabrics:
  - name: f
    control: {kind: opensm}
    topology:
      kind: explicit
      switches: [{names: "leaf-[1-4]", switch: qm8700, role: leaf}, {names: "spine-[1-3]", switch: qm8700, role: spine}]
      cables: ["leaf-1:1 n1/mlx5_0:1", "leaf-2:1 n2/mlx5_0:1", "leaf-3:1 n3/mlx5_0:1", "leaf-4:1 n4/mlx5_0:1",
               "leaf-1:2 spine-1:1", "leaf-2:2 spine-1:2", "leaf-3:2 spine-2:1", "leaf-4:2 spine-2:2"]
    attach: [{pool: n, hcas: all}]
"""


def test_single_points_of_every_island_are_named_though_a_switch_has_no_cable() -> None:
    """Two islands of two leaves under one spine, and a spine that is not cabled yet."""
    _, fabric, _, _ = loaded(ISLANDS)
    assert lone_switches(fabric.subnets[0]) == ("spine-1", "spine-2")
    assert len(lone_cables(fabric.subnets[0])) == 4


def test_rows_of_the_small_tree_are_in_leaf_order() -> None:
    text, radix = tree_spec(8, 4, 4, 4)
    r = compute(graph(loaded(text, radix)[1].subnets[0]), "dmodk")
    assert (np.diff(r.graph.leaf[rows(r)]) >= 0).all()


def test_a_dead_spine_moves_only_the_destinations_that_were_dealt_to_it() -> None:
    text, radix = tree_spec(8, 4, 4, 4)
    cluster, fabric, _, _ = loaded(text, radix)
    s = fabric.subnets[0]
    parts, _ = find_parts(fabric, [s.switches.names[int(s.tier(1)[0])]])
    assert fail(cluster, fabric, 0, parts, FEW).rerouted == 32 // 4


def test_a_ring_is_as_fast_as_its_slowest_hop_after_a_failure_too() -> None:
    """Eight leaves of four hosts and four uplinks, hosts taken leaf by leaf in turn: every uplink is in use, so without one two
    flows meet and the ring has half of its line; a mean over 32 flows would say 2 or 3 %."""
    text, radix = tree_spec(8, 4, 4, 4)
    spec, fabric, _, _ = loaded(text, radix)
    names = fabric.hosts.names
    order = tuple(names[leaf * 4 + place] for place in range(4) for leaf in range(8))
    parts, _ = find_parts(fabric, [f"cable:{fabric.subnets[0].switches.names[0]}:5"])
    f = fail(spec, fabric, 0, parts, Options(order=order, patterns=2))
    assert (f.before.ring_share, f.after.ring_share) == (1.0, 0.5)
    assert f.ring_loss == pytest.approx(0.5)
