"""The counting chain against figures worked out by hand from the published design rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import assets, compiler
from ibgen.fabric import LEAF, SPINE
from ibgen.simulate import Simulation

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
