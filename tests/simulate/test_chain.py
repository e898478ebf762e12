"""The counting chain against figures worked out by hand from the published design rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ibgen import assets, compiler
from ibgen.fabric import LEAF, SPINE, Fabric, Subnet
from ibgen.route import graph
from ibgen.simulate import ChainStep, Simulation, run
from ibgen.simulate.chain import chain_steps
from ibgen.simulate.tiers import tier_loads
from ibgen.simulate.trees import all_to_all

from .canonical import canonical
from .fabrics import loaded, spec_of

SPEC = """
ibgen: 1
cluster: x
pools: [{{name: gpu, hosts: "n[001-{hosts:03}]", platform: {platform}}}]
fabrics:
  - name: f
    control: {{kind: opensm, flavour: nvidia}}
    topology: {{kind: fat-tree, rails: {rails}, {topology}}}
    attach: [{{pool: gpu, hcas: compute}}]
"""


def simulate(tmp_path: Path, hosts: int, topology: str, platform: str = "dgx-h100", rails: str = "aligned") -> Simulation:
    path = tmp_path / "x.yaml"
    path.write_text(SPEC.format(hosts=hosts, platform=platform, topology=topology, rails=rails))
    c, report = compiler.compile(compiler.Input(path))
    assert c.simulation is not None, [d.message for d in report.diagnostics]
    return c.simulation


def test_superpod_chain_is_the_published_one() -> None:
    """DGX SuperPOD H100, 4 SU: 1,020 cables to hosts and UFM, 1,024 from leaf to spine, NDR against Gen5 x16 = 50/48."""
    c, _ = compiler.compile(compiler.Input(assets.examples() / "superpod-h100.yaml"))
    assert c.simulation is not None
    steps = {s.step: s for s in c.simulation.steps}
    assert steps["pcie"].ratio == pytest.approx(50 / 48)
    assert (steps["hca-leaf"].cables, steps["leaf-spine"].cables) == (1020, 1024)
    assert steps["leaf-spine"].offered_gbps == 1020 * 400
    assert steps["leaf-spine"].capacity_gbps == 1024 * 400
    leaf = next(t for t in c.simulation.tiers if t.tier == LEAF)
    assert leaf.worst == 1.0
    assert c.simulation.rails[0].design == "rail"
    assert not len(c.simulation.rails[0].strays)


@pytest.mark.parametrize(
    ("platform", "switch", "ratio"),
    [("dgx-h100", "qm9700", 50 / 48), ("dgx-a100", "qm8700", 25 / 24), ("azure/Standard_ND96isr_H100_v5", "qm9700", 50 / 48)],
)
def test_pcie_ratio_of_matched_generations_is_clean(tmp_path: Path, platform: str, switch: str, ratio: float) -> None:
    down = 32 if switch == "qm9700" else 20
    s = simulate(tmp_path, 4, f"leaf: {{switch: {switch}, downlinks: {down}}}, spine: {{switch: {switch}}}", platform)
    assert all(m.ratio == pytest.approx(ratio) for m in s.slots[0].matches)


@pytest.mark.parametrize(("down", "ratio"), [(32, 1.0), (40, 40 / 24), (48, 3.0)])
def test_leaf_oversubscription_is_counted(tmp_path: Path, down: int, ratio: float) -> None:
    """planner.md: 40 down against 24 up is 1.67:1."""
    s = simulate(tmp_path, 2 * down, f"leaf: {{switch: qm9700, downlinks: {down}}}, spine: {{switch: qm9700}}")
    leaf = next(t for t in s.tiers if t.tier == LEAF)
    assert leaf.worst == pytest.approx(ratio)
    assert {up for _, _, up in leaf.by_rail()} == {2 * (64 - down) * 400.0}


def test_an_empty_port_is_headroom_not_bandwidth(tmp_path: Path) -> None:
    s = simulate(tmp_path, 10, "unit: 40, units: 2, leaf: {switch: qm9700, downlinks: 40}, spine: {switch: qm9700}")
    assert next(t for t in s.tiers if t.tier == LEAF).worst == pytest.approx(10 / 24)


def test_three_tiers_have_a_spine_ratio(tmp_path: Path) -> None:
    s = simulate(tmp_path, 512, "unit: 32, pod: 4, leaf: {switch: qm9700}, spine: {switch: qm9700, uplinks: 16}")
    spine = next(t for t in s.tiers if t.tier == SPINE)
    assert spine.worst == 2.0  # 4 units x 8 leaves = 32 cables down, 16 up
    steps = {step.step: step for step in s.steps}
    assert steps["spine-core"].ratio == 2.0


def test_hosts_on_one_leaf_are_no_broken_rails(tmp_path: Path) -> None:
    s = simulate(tmp_path, 8, "leaf: {switch: qm9700, downlinks: 32}, spine: {switch: qm9700}", rails="host")
    assert s.rails[0].design == "host"
    assert s.rails[0].aligned == 1.0


def dragonfly_steps(a: int, p: int, h: int, groups: int = 0) -> tuple[dict[str, ChainStep], Subnet, Fabric]:
    text = f"{{kind: dragonfly, switch: r64, a: {a}, p: {p}, h: {h}" + (f", groups: {groups}}}" if groups else "}")
    _, fabric, _, _ = loaded(spec_of((groups or a * h + 1) * a * p, text, control="{kind: opensm}"), 64)
    s = fabric.subnets[0]
    return {x.step: x for x in chain_steps(s, fabric, ())}, s, fabric


@pytest.mark.parametrize(("a", "p", "h"), [(8, 4, 4), (4, 2, 2), (6, 3, 1), (3, 5, 2)])
def test_local_and_global_cables_are_offered_what_canonical_tables_carry_of_an_all_to_all(a: int, p: int, h: int) -> None:
    """One unit per ordered pair walked through tables, over N - 1: what every endpoint sends at line rate to all alike."""
    steps, s, _ = dragonfly_steps(a, p, h)
    g = graph(s)
    loads = all_to_all(canonical(g, s.switches.pod))[0].reshape(g.switches, g.width)
    far = np.where(g.peer >= 0, s.switches.pod[np.maximum(g.peer, 0)], 0)
    local, outer = (far == s.switches.pod[:, None]) & (g.peer >= 0), (far != s.switches.pod[:, None]) & (g.peer >= 0)
    for step, chosen in (("local", local), ("global", outer)):
        assert steps[step].offered_gbps == pytest.approx(200 * loads[chosen].sum() / (g.endpoints - 1)), step
        assert steps[step].capacity_gbps == 200 * chosen.sum(), step
        assert steps[step].cables == chosen.sum() / 2, step


def test_a_balanced_dragonfly_is_about_as_full_locally_as_between_groups() -> None:
    """Kim 2008: a = 2p = 2h."""
    steps = dragonfly_steps(16, 8, 8, 129)[0]
    assert [steps[x].ratio for x in ("hca-leaf", "local", "global")] == pytest.approx([1.0, 1.0, 1.0], abs=0.02)


def test_two_routers_side_by_side_both_look_up_at_each_other() -> None:
    """Hosts over local and global cables together: 4 over 7 + 4."""
    _, s, _ = dragonfly_steps(8, 4, 4)
    (load,) = tier_loads(s)
    assert load.level
    assert not load.top
    assert set(load.ratio.tolist()) == {4 / 11}
    assert set(load.up_cables.tolist()) == {11}


def test_dragonfly_plus_has_tiers_inside_its_groups_and_level_cables_between_them() -> None:
    topology = "{kind: dragonfly-plus, groups: 5, links: 4, leaf: {switch: r8, downlinks: 4}, spine: {switch: r8, uplinks: 4}}"
    _, fabric, _, _ = loaded(spec_of(80, topology, control="{kind: opensm}"), 8)
    s = fabric.subnets[0]
    leaf, spine = tier_loads(s)
    assert (leaf.worst, leaf.level, spine.level, spine.worst) == (1.0, False, True, 1.0)
    steps = {x.step: x for x in chain_steps(s, fabric, ())}
    assert list(steps) == ["hca-leaf", "leaf-spine", "global"]
    assert steps["global"].offered_gbps == pytest.approx(80 * 200 * 64 / 79)  # 64 of the 79 others are in other groups
    assert steps["global"].capacity_gbps == 2 * 40 * 200


def test_every_pool_has_its_own_slots_in_the_chain() -> None:
    """Pool a: 200G beside Gen5 x16 GPUs, 25 of 48 GB/s; pool b: 400G in Gen4 x16, 50 of 24. Summed they would seem to match."""
    text = """ibgen: 1
cluster: x
pools:
  - name: a
    hosts: "a[1-4]"
    platform: {kind: generic, gpu: H100-SXM, gpus: 1, hcas: [{name: mlx5_0, rate: 200G, pcie: 5, gpu: 0}]}
  - name: b
    hosts: "b[1-4]"
    units: [2]
    platform: {kind: generic, gpu: A100-80G, gpus: 1, hcas: [{name: mlx5_0, rate: 400G, pcie: 4, gpu: 0}]}
fabrics:
  - name: f
    control: {kind: opensm, flavour: nvidia}
    topology: {kind: fat-tree, rails: host, unit: 4, leaf: {switch: qm9700}, spine: {switch: qm9700}}
    attach: [{pool: a, hcas: compute}, {pool: b, hcas: compute}]
"""
    spec, fabric, targets, facts = loaded(text)
    steps = {s.label: s for s in run(spec, fabric, targets, facts).steps}
    assert steps["pcie a"].ratio == pytest.approx(25 / 48, abs=0.01)
    assert steps["pcie b"].ratio == pytest.approx(50 / 24, abs=0.01)
    assert "pcie" not in steps
