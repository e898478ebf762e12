"""What is advised where a fabric cannot be built: it names the cause, and following it helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import compiler
from ibgen.diagnostics import Diagnostic

TWO = """\
ibgen: 1
cluster: lab
pools:
  - {name: gpu, hosts: "dgx-[01-HOSTS]", platform: dgx-h200}
  - name: sm
    hosts: sm-[01-02]
    schedulable: false
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: NDR, role: management}, {name: mlx5_1, rate: NDR, role: storage}]}
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, version: "5.24", hosts: [sm-01, sm-02], subnet_prefix: "0xfec0000000000001"}
    topology: {kind: fat-tree, rails: aligned, unit: UNIT, leaf: {switch: qm9700, downlinks: DOWN}, spine: {SPINE}RESERVE}
    attach: [{pool: gpu, hcas: compute}, {pool: sm, hcas: [mlx5_0]AT}]
  - name: storage
    control: {kind: opensm, flavour: nvidia, version: "5.24", hosts: [sm-01, sm-02], subnet_prefix: "0xfec0000000000002"}
    topology: {kind: fat-tree, prefix: st, unit: 16, leaf: {switch: qm9700}, spine: {switch: qm9700}RESERVE}
    attach: [{pool: gpu, hcas: storage}, {pool: sm, hcas: [mlx5_1]AT}]
"""
PLANES = """\
ibgen: 1
cluster: lab
pools:
  - {name: gpu, hosts: "n[01-16]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}, {name: mlx5_1, rate: 200G}]}}
  - {name: sm, hosts: "sm-[01-02]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}, {name: mlx5_1, rate: 200G}]}}
fabrics:
  - name: compute
    control: {kind: opensm}
    topology: {kind: fat-tree, planes: 2, leaf: {switch: qm8700}, reserve: {sm: 2}}
    attach:
      - {pool: gpu, hcas: [mlx5_0], ports: {1: plane-a}}
      - {pool: gpu, hcas: [mlx5_1], ports: {1: SECOND}}
      - {pool: sm, hcas: [mlx5_0], ports: {1: plane-a}, at: reserved}
      - {pool: sm, hcas: [mlx5_1], ports: {1: SECOND}, at: reserved}
"""
SPLIT = """\
ibgen: 1
cluster: lab
pools: [{name: gpu, hosts: "node-[01-16]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}]}}]
fabrics:
  - name: net
    kind: KIND
    control: {kind: provider}
    topology: {kind: fat-tree, leaf: {switch: SWITCH, split: 2}}
    attach: [{pool: gpu, hcas: all}]
"""


def errors(text: str, tmp_path: Path, catalog: str = "") -> list[Diagnostic]:
    spec = tmp_path / "lab.yaml"
    spec.write_text(text)
    if catalog:
        (tmp_path / "own.yaml").write_text(catalog)
    _, report = compiler.compile(compiler.Input(spec))
    return [d for d in report.diagnostics if d.severity.value == "error"]


def two(
    tmp_path: Path, hosts: int = 64, unit: int = 32, down: int = 32, count: str = "", reserved: bool = True
) -> list[Diagnostic]:
    text = TWO.replace("HOSTS", f"{hosts:02}").replace("UNIT", str(unit)).replace("DOWN", str(down))
    text = text.replace("{SPINE}", "{switch: qm9700" + count + "}")
    text = text.replace("RESERVE", ", reserve: {sm: 2}" if reserved else "").replace(
        "AT}", ", at: reserved}" if reserved else "}"
    )
    return errors(text, tmp_path)


def test_managers_among_gpu_hosts_are_told_of_reserved_ports(tmp_path: Path) -> None:
    """One answer on both fabrics, no `units` that would be right on one of them alone; and it helps."""
    said = [d for d in two(tmp_path, reserved=False) if d.code.id == "IBG107"]
    assert len(said) == 2
    assert len({d.hint for d in said}) == 1
    assert "`reserve: {sm: 2}`" in said[0].hint
    assert "at: reserved" in said[0].hint
    assert "units" not in said[0].hint
    assert two(tmp_path, reserved=True) == []


def test_too_few_spines_because_reserved_ports_added_a_unit(tmp_path: Path) -> None:
    """64 hosts fill two units of 32; two reserved ports are a third one: 24 leaves x 32 uplinks = 768 ports = 12 spines."""
    (said,) = two(tmp_path, count=", count: 8")
    assert said.code.id == "IBG228"
    assert "unit 3 holds nothing but reserved ports and adds 8 leaves" in said.hint
    assert "12 spines or more" in said.hint
    assert two(tmp_path, hosts=63, count=", count: 8") == [], "a free slot is enough"


def test_too_few_spines_because_a_unit_is_larger_than_a_leaf(tmp_path: Path) -> None:
    """Two leaves per rail and unit: 32 leaves x 31 uplinks = 992 ports, 16 spines of 64; 31 only because it divides."""
    (said,) = two(tmp_path, hosts=63, unit=34, down=33, count=", count: 8")
    assert "34 slots of a unit are more than the 33 of a leaf, so a unit takes 2 leaves per rail" in said.hint
    assert "use 16 spines or more" in said.hint
    assert two(tmp_path, hosts=63, unit=34, down=33, count=", count: 16") == []


def test_both_entries_on_one_plane_name_the_empty_one(tmp_path: Path) -> None:
    (said,) = errors(PLANES.replace("SECOND", "plane-a"), tmp_path)
    assert said.code.id == "IBG112"
    assert "nothing is attached to plane-b of fabric `compute`" in said.message
    assert said.span.line == 12
    assert errors(PLANES.replace("SECOND", "plane-b"), tmp_path) == []


def test_splits_that_the_catalog_does_not_know_can_be_stated(tmp_path: Path) -> None:
    """An SN5600 does split its ports; the row lacks it. The row that the hint shows is one that works."""
    text = SPLIT.replace("KIND", "roce").replace("SWITCH", "sn5600")
    (said,) = errors(text, tmp_path)
    assert said.code.id == "IBG225"
    assert "cannot be split" not in said.message + said.hint
    row = said.hint.partition("`switches: ")[2].rstrip("`").replace("...", "data sheet")
    assert errors(text + "catalog: [own.yaml]\n", tmp_path, f"switches: {row}\n") == []


@pytest.mark.parametrize(("switch", "said"), [("sb7800", "sb7800 has no 2-way split: EDR"), ("qm9700", "")])
def test_generations_without_two_lane_links_cannot_be_split(switch: str, said: str, tmp_path: Path) -> None:
    found = errors(SPLIT.replace("KIND", "infiniband").replace("SWITCH", switch).replace("400G", "100G"), tmp_path)
    assert [d.message.startswith(said) for d in found if d.code.id == "IBG225"] == ([True] if said else [])
