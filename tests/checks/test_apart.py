"""Switches that no cable joins are one finding about cables, not three about routing and ratios."""

from __future__ import annotations

from pathlib import Path

from ibgen import compiler
from ibgen.diagnostics import Report

SPEC = """ibgen: 1
cluster: x
pools: [{{name: n, hosts: "n[1-4]", platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 200G}}]}}}}]
fabrics:
  - name: ib
    control: {{kind: opensm}}
    topology:
      kind: explicit
      switches: [{{names: "leaf-[1-2]", switch: qm8700, role: leaf}}, {{names: "spine-1", switch: qm8700, role: spine}}]
      cables: ["leaf-1:1 n1/mlx5_0:1", "leaf-1:2 n2/mlx5_0:1", "leaf-2:1 n3/mlx5_0:1", "leaf-2:2 n4/mlx5_0:1"{more}]
    attach: [{{pool: n, hcas: all}}]
"""


def report(more: str) -> Report:
    return compiler.compile(compiler.Input(Path("x.yaml"), text=SPEC.format(more=more)))[1]


def test_no_engine_is_blamed_for_missing_cables() -> None:
    found = {d.code.id for d in report("").diagnostics}
    assert "IBG206" in found
    assert "IBG610" not in found


def test_a_leaf_without_any_uplink_is_told_so_and_no_ratio_is_offered() -> None:
    found = report(', "leaf-1:3 spine-1:1", "leaf-1:4 spine-1:2"')
    (said,) = (d for d in found.diagnostics if d.code.id == "IBG201")
    assert "no cable to other switches" in said.message
    assert "inf" not in said.message + said.hint
    assert "ratio" not in dict(said.facts)
