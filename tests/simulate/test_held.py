"""What jobs are held to: the adapters a host really has, the slowest hop of rings, trees, experts and pipelines."""

from __future__ import annotations

import pytest

from ibgen.simulate.results import FabricRate, Study
from ibgen.simulate.study import Options, study

from .fabrics import loaded

SPEC = """ibgen: 1
cluster: x
pools: [{name: gpu, hosts: "n[01-16]", platform: dgx-h100EXCEPTIONS}]
fabrics:
  - name: f
    control: {kind: opensm, flavour: nvidia, routing: [ROUTING]}
    topology:
      {kind: fat-tree, rails: host, unit: 2, leaf: {switch: qm9700, downlinks: 16, uplinks: UPLINKS}, spine: {switch: qm9700}}
    attach: [{pool: gpu, hcas: HCAS}]
requirements: {oversubscription: 16}
workloads:
  - {name: moe, parameters: 100e9, active_parameters: 20e9, layers: 32, hidden: 4096, experts: 64, top_k: 4, expert: 32,
     pipeline: 2, global_batch: 512}
"""


def run(*, uplinks: int = 16, hcas: str = "compute", exceptions: str = "", routing: str = "ftree") -> Study:
    text = SPEC.replace("UPLINKS", str(uplinks)).replace("HCAS", hcas).replace("EXCEPTIONS", exceptions)
    return study(*loaded(text.replace("ROUTING", routing)), 0, None, Options(patterns=2))


def rate(s: Study, operation: str) -> FabricRate:
    return next(r for r in s.ratings if r.operation == operation)


def all_reduce(s: Study) -> float:
    return next(c for c in s.collectives[0].curves if c.operation == "all_reduce").points[-1].busbw_gbs


def test_one_attached_adapter_of_eight_is_an_eighth_of_the_ring() -> None:
    whole, one = run(), run(hcas="[mlx5_0]")
    assert (rate(whole, "ring").gbs, rate(whole, "ring").line_gbs) == (400, 400)
    assert (rate(one, "ring").gbs, rate(one, "ring").line_gbs) == (50, 400)
    assert all_reduce(one) <= 50 < all_reduce(whole)
    assert any("1 of 8 compute adapters" in n for n in one.notes)


def test_one_host_with_adapters_out_of_service_holds_its_pool_back() -> None:
    """A job is as fast as its slowest host: n05 has four of eight adapters."""
    s = run(exceptions=", exceptions: [{hosts: n05, hcas: {mlx5_0: down, mlx5_3: down, mlx5_4: down, mlx5_5: down}}]")
    assert rate(s, "ring").gbs == pytest.approx(200)
    assert any(n.startswith("n05 of gpu has 4 of 8") for n in s.notes)


def test_a_taper_slows_the_experts_of_a_training_step_and_not_only_its_rings() -> None:
    full, taper = run(), run(uplinks=2)
    a, b = full.training[0].step, taper.training[0].step
    assert a is not None
    assert b is not None
    expert = {s.step_s: next(x for x in s.axes if x.axis == "expert") for s in (a, b)}
    assert expert[b.step_s].total_s > 2 * expert[a.step_s].total_s
    assert b.exposed_share > a.exposed_share


def test_experts_on_a_full_fabric_have_their_share_of_the_line_and_no_worst_cable() -> None:
    """Every sender has many flows: the share is of its own part of the line."""
    s = run()
    experts = next(p for p in s.patterns if p.name == "experts moe")
    assert experts.share > 0.3
    assert not any(w.pattern == "experts moe" and w.end.name.startswith("n") for w in s.worst)


def test_adaptive_routing_cannot_make_a_ring_faster_than_the_cut_it_crosses() -> None:
    """Hosts in an order that crosses leaves at every hop: 16 flows leave a leaf over 4 uplinks, a quarter of the line each."""
    text = SPEC.replace("UPLINKS", "4").replace("HCAS", "compute").replace("EXCEPTIONS", "").replace("ROUTING", "ar_updn")
    order = tuple(f"n{i:02}" for i in [*range(1, 17, 2), *range(2, 17, 2)])
    s = study(*loaded(text), 0, None, Options(patterns=2, order=order))
    assert rate(s, "ring").share <= 0.25
    assert rate(s, "ring").share == pytest.approx(0.25 * 0.92, rel=0.1)
