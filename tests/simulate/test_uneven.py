"""All-to-all on fabrics whose uplinks are faster than their hosts."""

from __future__ import annotations

import numpy as np
import pytest

from ibgen import assets
from ibgen.compiler import Input, compile
from ibgen.route import graph
from ibgen.simulate.study import Options, Study, study
from ibgen.simulate.uneven import by_rate

from .fabrics import loaded


def test_two_flows_of_a_fast_uplink_are_one_of_a_host() -> None:
    """25 GB/s hosts under 50 GB/s uplinks: 2 flows there fill it as 1 fills a host's link, 3 as 1.5, rounded up."""
    filled = by_rate(np.array([2, 3, 0, 4]), np.array([50.0, 50.0, 0.0, 25.0]), 25.0)
    assert filled.tolist() == [1, 2, 0, 4]


SLOW = """ibgen: 1
cluster: x
pools: [{name: n, hosts: "n[1-8]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
fabrics:
  - name: f
    control: {kind: opensm}
    topology:
      kind: explicit
      switches: [{names: "leaf-[1-2]", switch: qm8700, role: leaf}, {names: "spine-[1-2]", switch: SPINE, role: spine}]
      cables: [CABLES]
    attach: [{pool: n, hcas: all}]
"""
CABLES = [f"leaf-{leaf}:{port} n{4 * leaf + port - 4}/mlx5_0:1" for leaf in (1, 2) for port in (1, 2, 3, 4)]
CABLES += [f"leaf-{leaf}:{4 + p} spine-{(p + 1) // 2}:{2 * leaf - p % 2}" for leaf in (1, 2) for p in (1, 2, 3, 4)]


def between(spine: str) -> Study:
    text = SLOW.replace("SPINE", spine).replace("CABLES", ", ".join(f'"{c}"' for c in CABLES))
    spec, fabric, targets, facts = loaded(text)
    return study(spec, fabric, targets, facts, 0, None, Options(patterns=40, collectives=False))


def test_spines_of_half_the_rate_hold_an_all_to_all_back_by_what_their_cables_carry() -> None:
    """4 x 4 of the 7 x 8 pairs cross each way, over 4 cables of 12.5 GB/s: 4 * 12.5 / (4 * 4 / 7) = 21.875 of 25 GB/s."""
    found = {p.name: p for p in between("sb7800").patterns}
    assert found["all-to-all"].share == pytest.approx(0.875)
    full = {p.name: p for p in between("qm8700").patterns}
    assert full["all-to-all"].share == 1.0
    assert found["permutation"].share < full["permutation"].share
    assert found["all-to-all"].max_load == full["all-to-all"].max_load, "the same flows on other cables"


def test_no_share_of_static_tables_is_above_what_max_min_rates_come_to() -> None:
    """e counts every flow at its slowest link as if all were of one size; fair rates can only be more."""
    found = between("sb7800")
    bisection = next(b for b in found.bounds if b.pattern == "permutation")
    rate = next(r for r in found.rates if r.pattern == "permutation")
    assert bisection.static * rate.line_gbs <= rate.mean_gbs * (1 + 1 / 7) + 1e-9  # one flow goes to itself and counts with 1
    assert bisection.fluid <= 1.0


def test_a_slow_pool_does_not_hold_back_the_all_to_all_of_another() -> None:
    """Two 100 Gb/s hosts beside eight of 400 on full leaves: jobs do not span pools."""
    text = """ibgen: 1
cluster: x
pools:
  - {name: big, hosts: "b[1-8]", platform: {kind: generic, gpu: H100-SXM, gpus: 1, hcas: [{name: mlx5_0, rate: 400G, gpu: 0}]}}
  - name: small
    hosts: "s[1-2]"
    units: [3]
    platform: {kind: generic, gpu: A100-80G, gpus: 1, hcas: [{name: mlx5_0, rate: 100G, gpu: 0}]}
fabrics:
  - name: f
    control: {kind: opensm, flavour: nvidia, routing: [ftree]}
    topology: {kind: fat-tree, rails: host, unit: 4, leaf: {switch: qm9700, downlinks: 4, uplinks: 4}, spine: {switch: qm9700}}
    attach: [{pool: big, hcas: all}, {pool: small, hcas: all}]
workloads: [{name: w, pool: big, parameters: 7e9, layers: 32, hidden: 4096, heads: 32, global_batch: 256}]
"""
    both = study(*loaded(text), 0)
    alone_text = text.replace(text[text.index("  - name: small") : text.index("fabrics:")], "").replace(
        ", {pool: small, hcas: all}", ""
    )
    alone = study(*loaded(alone_text), 0)
    for operation in ("ring", "alltoall"):
        (mine,) = (r for r in both.ratings if r.pool == 0 and r.operation == operation)
        (only,) = (r for r in alone.ratings if r.operation == operation)
        assert mine.gbs == pytest.approx(only.gbs), operation
    assert both.training[0].step is not None
    assert alone.training[0].step is not None
    assert both.training[0].step.mfu == pytest.approx(alone.training[0].step.mfu)


def test_split_leaves_under_whole_uplinks_carry_an_all_to_all() -> None:
    """The example's leaves have 63 host ports of 200 Gb/s and 32 uplinks of 400: 0.99:1, so D-mod-k holds nothing back."""
    c, _ = compile(Input(assets.examples() / "multi-plane.yaml"))
    assert c.spec is not None
    assert c.fabric is not None
    assert c.targets is not None
    assert c.catalog is not None
    found = study(c.spec, c.fabric, c.targets, c.catalog, 0, None, Options(patterns=2, collectives=False))
    every = next(p for p in found.patterns if p.name == "all-to-all")
    assert every.share == 1.0
    assert every.max_load > graph(c.fabric.subnets[0]).endpoints  # by counts alone it would be held back
    assert any("Links differ in rate" in note for note in found.notes)
