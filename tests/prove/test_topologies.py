"""The real OpenSM on fabrics that are no tree: what rules say of credit loops is what ibdmchk finds in its tables."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from ibgen import assets, compiler
from ibgen.prove import run as prove_all
from ibgen.prove.opensm import prove
from ibgen.prove.verdict import Verdict
from ibgen.route import graph
from tests.route.real import opensm

pytestmark = pytest.mark.opensm

SPEC = """\
ibgen: 1
cluster: flies
pools: [{name: cpu, hosts: "n[01-72]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
fabrics:
  - name: ib
    control: {kind: opensm, routing: [ENGINE]}  # ibgen: ignore[IBG404] the test wants to see the loop
    topology: TOPOLOGY
    attach: [{pool: cpu, hcas: compute}]
requirements: {oversubscription: 100}
"""


FLIES = "{kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2}"
PLUS = (
    "{kind: dragonfly-plus, groups: 9, rails: host, leaf: {switch: qm8700, downlinks: 2, uplinks: 2, count: 2},"
    " spine: {switch: qm8700, count: 2, uplinks: 4}}"
)
ONE_GROUP = "{kind: dragonfly, switch: qm8700, a: 4, p: 4, h: 2, groups: 1}"
ONE_ROUTER = "{kind: dragonfly, switch: qm8700, a: 1, p: 5, h: 3, groups: 4}"


def verdict(folder: Path, engine: str, topology: str = FLIES, hosts: str = "n[01-72]") -> Verdict:
    text = SPEC.replace("ENGINE", engine).replace("TOPOLOGY", topology).replace("n[01-72]", hosts)
    (folder / "flies.yaml").write_text(text)
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
    assert next(c for c in found.checks if c.name == "ib: routes").detail == "no dead ends"
    loops = next(c for c in found.checks if c.name == "ib: credit loops")
    assert loops.note, "it does not read as passed"
    assert "not judged" in loops.detail


@pytest.mark.parametrize(
    ("engine", "topology", "hosts"),
    [
        ("minhop", PLUS, "n[01-36]"),
        ("nue", PLUS, "n[01-36]"),
        ("minhop", ONE_GROUP, "n[01-16]"),
        ("minhop", ONE_ROUTER, "n[01-20]"),
    ],
)
def test_shapes_whose_shortest_paths_close_no_loop(tmp_path: Path, engine: str, topology: str, hosts: str) -> None:
    """What IBG404 says less of: a whole dragonfly+, and routers that are all joined."""
    found = verdict(tmp_path, engine, topology, hosts)
    assert found.status == "passed", found
    assert next(c for c in found.checks if c.name == "ib: routes").detail == "no dead ends, no credit loops"


def test_updn_on_a_dragonfly_plus_leaves_hosts_without_a_path(tmp_path: Path) -> None:
    found = verdict(tmp_path, "updn", PLUS, "n[01-36]")
    assert found.status == "failed", found
    assert any("Dead end" in c.detail for c in found.checks if not c.passed)


@pytest.mark.parametrize(("engine", "spines"), [("dor", 1), ("minhop", 4)])
def test_dor_on_a_tree_sends_what_leaves_a_leaf_over_one_spine(tmp_path: Path, engine: str, spines: int) -> None:
    """IBG413 says 2 of 8 uplinks: the parallel cables to one spine of four."""
    tree = (
        "{kind: fat-tree, unit: 8, units: 3, leaf: {switch: qm8700, downlinks: 8, uplinks: 8},"
        " spine: {switch: qm8700, count: 4}}"
    )
    text = SPEC.replace("ENGINE", "updn").replace("TOPOLOGY", tree).replace("n[01-72]", "n[01-24]")
    compilation, _ = compiler.compile(compiler.Input(Path("tree.yaml"), text=text))
    assert compilation.fabric is not None
    g = graph(compilation.fabric.subnets[0])
    real = opensm(g, tmp_path, engine, {"dump_files_dir": str(tmp_path)})
    assert real.engine == engine
    for leaf in np.unique(g.leaf):
        used = np.unique(real.ports[: g.endpoints, leaf][g.leaf != leaf])
        assert len(used) == 2 * spines


def test_rails_of_a_unit_that_has_no_host_yet_are_no_fault(tmp_path: Path) -> None:
    """The proof once looked for a switch that no port of a manager could reach."""
    found = verdict(tmp_path, "minhop", "{kind: rail-only, unit: 4, units: 3, leaf: {switch: qm8700}}", "n[1-8]")
    assert found.status == "passed", found
    assert [c.detail for c in found.checks if c.name.startswith("ib-u03")] == ["no host yet: nothing for a manager to see"]


TWO = "{kind: generic, sockets: 2, cores: 32, memory_mb: 65536, hcas: [{name: mlx5_0, rate: 200G}, {name: mlx5_1, rate: 200G}]}"
ON_PLANES = "[{pool: cpu, hcas: [mlx5_0], ports: {1: a}}, {pool: cpu, hcas: [mlx5_1], ports: {1: b}}]"
PLANES = "{kind: fat-tree, planes: 2, unit: 8, leaf: {switch: qm8700, downlinks: 8, uplinks: 8}, spine: {switch: qm8700}}"
FOUR = "{kind: dragonfly, switch: qm8700, a: 4, p: 4, h: 2, groups: 4}"


@pytest.mark.slurm
@pytest.mark.parametrize(
    ("topology", "hosts", "attach", "jobs"),
    [
        (FOUR, "n[01-29]", "", ["8 nodes in g01", "9 nodes in g01, g02, g03, g04"]),
        (PLANES, "n[01-20]", ON_PLANES, ["8 nodes in su01", "16 nodes in su01, su02"]),
        ("{kind: rail-only, unit: 8, leaf: {switch: qm8700}}", "n[01-20]", "", ["8 nodes in su", "refused"]),
    ],
    ids=["dragonfly", "planes", "rail-only"],
)
def test_what_slurmctld_makes_of_the_shape(tmp_path: Path, topology: str, hosts: str, attach: str, jobs: list[str]) -> None:
    """A small job stays in a group or unit; a larger one goes over all groups, or is refused where no cable joins the units."""
    text = SPEC.replace("ENGINE", "auto").replace("TOPOLOGY", topology).replace("n[01-72]", hosts)
    text = text.replace("{kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}", TWO) + 'slurm: {version: "22.05"}\n'
    text = text.replace("[{pool: cpu, hcas: compute}]", attach) if attach else text
    (tmp_path / "lab.yaml").write_text(text.replace("  # ibgen: ignore[IBG404] the test wants to see the loop", ""))
    report, plan = compiler.build(compiler.Input(tmp_path / "lab.yaml"), tmp_path / "tree")
    assert plan is not None, [(d.code.id, d.message) for d in report.diagnostics]
    (found,) = prove_all(tmp_path / "tree", os.environ, ("slurm",))
    if found.status == "skipped":
        pytest.skip(found.remedy)
    assert found.status == "passed", found
    placed = [c.detail for c in found.checks if c.name.startswith("sbatch")]
    assert all(detail.startswith(job) for detail, job in zip(placed, jobs, strict=True)), placed


@pytest.mark.slow
def test_a_dragonfly_of_1056_hosts_comes_up_as_the_spec_means(tmp_path: Path) -> None:
    example = assets.examples() / "dragonfly-1056.yaml"
    compiler.build(compiler.Input(example), tmp_path / "tree")
    expect = json.loads((tmp_path / "tree" / "expect.json").read_text())
    found = prove(tmp_path / "tree", expect, os.environ, str)
    assert found.status == "passed", found
    assert any("1056 of 1056 endpoints, 264 of 264 switches" in c.detail for c in found.checks)
