"""The real OpenSM on fabrics that are no tree: what rules say of credit loops is what ibdmchk finds in its tables."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ibgen import assets, compiler
from ibgen.prove.opensm import prove
from ibgen.prove.verdict import Verdict

pytestmark = pytest.mark.opensm

SPEC = """\
ibgen: 1
cluster: flies
pools: [{name: cpu, hosts: "n[01-72]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
fabrics:
  - name: ib
    control: {kind: opensm, routing: [ENGINE]}  # ibgen: ignore[IBG404] the test wants to see the loop
    topology: {kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2}
    attach: [{pool: cpu, hcas: compute}]
"""


def verdict(folder: Path, engine: str) -> Verdict:
    (folder / "flies.yaml").write_text(SPEC.replace("ENGINE", engine))
    report, plan = compiler.build(compiler.Input(folder / "flies.yaml"), folder / "tree")
    assert plan is not None, [(d.code.id, d.message) for d in report.diagnostics]
    return prove(folder / "tree", json.loads((folder / "tree" / "expect.json").read_text()), os.environ, str)


@pytest.mark.parametrize("engine", ["minhop", "updn"])
def test_engines_that_the_rule_names_leave_a_credit_loop(tmp_path: Path, engine: str) -> None:
    found = verdict(tmp_path, engine)
    assert found.status == "failed", found
    assert any("credit loop" in c.detail for c in found.checks if not c.passed)


def test_nue_leaves_none_on_one_lane(tmp_path: Path) -> None:
    found = verdict(tmp_path, "nue")
    assert found.status == "passed", found
    assert next(c for c in found.checks if c.name == "ib: routes").detail == "no dead ends, no credit loops"


def test_dfsssp_routes_and_the_verdict_says_what_it_could_not_judge(tmp_path: Path) -> None:
    found = verdict(tmp_path, "dfsssp")
    assert found.status == "passed", found
    routes = next(c for c in found.checks if c.name == "ib: routes")
    assert "not judged" in routes.detail


@pytest.mark.slow
def test_a_dragonfly_of_1056_hosts_comes_up_as_the_spec_means(tmp_path: Path) -> None:
    example = assets.examples() / "dragonfly-1056.yaml"
    compiler.build(compiler.Input(example), tmp_path / "tree")
    expect = json.loads((tmp_path / "tree" / "expect.json").read_text())
    found = prove(tmp_path / "tree", expect, os.environ, str)
    assert found.status == "passed", found
    assert any("1056 of 1056 endpoints, 264 of 264 switches" in c.detail for c in found.checks)
