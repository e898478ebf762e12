"""The proof of a tree's Slurm files: the real slurmctld takes ours without a warning and refuses or misplaces damaged ones."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from ibgen import assets, compiler
from ibgen.compilation import complete
from ibgen.emit.expect import expect as expectations
from ibgen.emit.slurm import slurm
from ibgen.prove.slurm import prove
from ibgen.prove.verdict import Check, Verdict

pytestmark = pytest.mark.slurm

HERE = os.geteuid() == 0 and all(
    shutil.which(p, path="/usr/sbin:/usr/bin:/sbin:/bin") for p in ("munged", "slurmctld", "sbatch")
)
needs_slurm = pytest.mark.skipif(not HERE, reason="needs root and Debian's slurmctld, slurm-client, munge")


def built(example: str, folder: Path, *overlays: str) -> tuple[Path, dict[str, Any]]:
    """The Slurm files of an example with overlays, as `build` writes them, and its expect.json."""
    files = []
    for n, text in enumerate(overlays):
        files.append(folder / f"{n}.yaml")
        files[-1].write_text(text)
    c, _ = compiler.compile(compiler.Input(assets.examples() / example, tuple(files)))
    tree = folder / "tree"
    whole = complete(c)
    assert whole is not None
    for artifact in (*slurm.run(whole), *expectations.run(whole)):
        path = tree / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    return tree, json.loads((tree / "expect.json").read_text())


def proved(tree: Path, expect: dict[str, Any]) -> Verdict:
    return prove(tree, expect, os.environ, lambda _: None)


def failed(verdict: Verdict) -> dict[str, Check]:
    return {c.name: c for c in verdict.checks if not c.passed and not c.skipped}


@needs_slurm
@pytest.mark.parametrize("example", ["superpod-h100.yaml", "lab.yaml"])
def test_slurmctld_takes_the_example_without_a_warning(example: str, tmp_path: Path) -> None:
    verdict = proved(*built(example, tmp_path))
    assert verdict.status == "passed", verdict.checks
    assert {"accepted", "topology", "every node"} <= {c.name for c in verdict.checks}


@needs_slurm
def test_jobs_of_one_and_two_units_lie_inside_them(tmp_path: Path) -> None:
    verdict = proved(*built("superpod-h100.yaml", tmp_path))
    placed = {c.name: c.detail for c in verdict.checks if c.name.startswith("sbatch")}
    assert placed["sbatch -p train -N32 --switches=1"] == "32 nodes in su01"
    assert placed["sbatch -p train -N64 --switches=2"] == "64 nodes in su01, su02"


@needs_slurm
def test_what_an_older_slurm_does_not_know_is_left_out_and_said(tmp_path: Path) -> None:
    verdict = proved(*built("superpod-h100.yaml", tmp_path, 'slurm: {version: "25.11"}'))
    assert verdict.status == "passed"
    if verdict.version.startswith("22.05"):
        assert next(c.detail for c in verdict.checks if c.name == "projection") == (
            f"not judged by {verdict.version}: TopologyParam=SwitchAsNodeRank"
        )
        assert [c.name for c in verdict.checks if c.note] == ["projection"], "a note, no check that passed"


@needs_slurm
def test_planned_down_and_unconnected_nodes(tmp_path: Path) -> None:
    """FUTURE nodes stand in the tree, off-fabric nodes under a root of their own, and no job straddles the two."""
    more = """
pools:
  - name: gpu
    exceptions: [{hosts: "dgx-[120-127]", state: planned}, {hosts: dgx-005, state: down}]
  - {name: cpu, hosts: "cpu-[1-4]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G, role: management}]}}
slurm: {partitions: [{name: train, pools: []}]}
"""
    tree, expect = built("superpod-h100.yaml", tmp_path, more)
    assert expect["slurm"]["placements"][-1]["refused"]
    verdict = proved(tree, expect)
    partitions = expect["slurm"]["partitions"]
    assert verdict.status == "passed", (verdict.checks, partitions)


@needs_slurm
def test_no_topology_is_taken_too(tmp_path: Path) -> None:
    verdict = proved(*built("superpod-h100.yaml", tmp_path, 'slurm: {topology: none, version: "25.05"}'))
    assert verdict.status == "passed", verdict.checks


@needs_slurm
def test_the_naive_picture_one_leaf_per_rail_leaf_is_caught(tmp_path: Path) -> None:
    """slurmctld only warns of it, and then refuses `-N32 --switches=1`: the reason why Slurm's leaf is the unit."""
    tree, expect = built("superpod-h100.yaml", tmp_path)
    units = {"u1": "dgx-[001-032]", "u2": "dgx-[033-064]", "u3": "dgx-[065-096]", "u4": "dgx-[097-127]"}
    lines = [f"SwitchName=leaf-{u}-r{r} Nodes={hosts}" for u, hosts in units.items() for r in range(8)]
    names = ",".join(line.split()[0].partition("=")[2] for line in lines)
    lines += [f"SwitchName=spine{s} Switches={names}" for s in range(4)]
    (tree / "slurm/topology.conf").write_text("\n".join([*lines, ""]))
    wrong = failed(proved(tree, expect))
    assert "Multiple leaf switches contain nodes" in wrong["accepted"].detail
    assert "not available" in wrong["sbatch -p train -N32 --switches=1"].detail


@needs_slurm
def test_a_node_in_no_leaf_is_caught_topograph(tmp_path: Path) -> None:
    tree, expect = built("superpod-h100.yaml", tmp_path)
    conf = tree / "slurm/topology.conf"
    conf.write_text(conf.read_text().replace("dgx-[097-127]", "dgx-[097-126]"))
    wrong = failed(proved(tree, expect))
    assert "su04 has nodes dgx-[097-126], the spec says dgx-[097-127]" in wrong["topology"].detail
    assert wrong["every node"].detail == "never run a job: dgx-127"


@needs_slurm
@pytest.mark.parametrize(
    ("find", "put", "said", "line"),
    [
        ("SwitchName=su04 Nodes=dgx-[097-127]\n", "", "invalid child", "SwitchName=spine"),
        ("SwitchName=su04 Nodes", "SwitchName=su03 Nodes", "already been defined", "SwitchName=su03 Nodes=dgx-[097-127]"),
        ("SwitchName=su01 Nodes", "SwitchName=su01 LinkSpeed=400Gb Nodes", "not a valid number", "SwitchName=su01"),
    ],
)
def test_a_damaged_file_is_refused_with_slurms_words(find: str, put: str, said: str, line: str, tmp_path: Path) -> None:
    tree, expect = built("superpod-h100.yaml", tmp_path)
    conf = tree / "slurm/topology.conf"
    assert find in conf.read_text()
    conf.write_text(conf.read_text().replace(find, put))
    verdict = proved(tree, expect)
    assert verdict.status == "failed"
    assert said in verdict.reason
    at = failed(verdict)["accepted"]
    assert (at.file, conf.read_text().splitlines()[at.line - 1].startswith(line)) == ("slurm/topology.conf", True)


@needs_slurm
def test_blocks_need_a_newer_slurmctld(tmp_path: Path) -> None:
    verdict = proved(*built("superpod-h100.yaml", tmp_path, "pools: [{name: gpu, domain: 16}]"))
    if verdict.version.startswith("22.05") or not verdict.version:
        assert verdict.status == "skipped"
        assert verdict.reason.startswith("topology/block needs slurmctld >= 23.11")


def test_a_missing_file_fails_and_a_tree_without_slurm_passes(tmp_path: Path) -> None:
    assert proved(tmp_path, {}).status == "passed"
    if HERE:
        _, expect = built("superpod-h100.yaml", tmp_path)
        assert proved(tmp_path / "elsewhere", expect).status == "failed"


def test_absent_programs_are_a_skip_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, expect = built("lab.yaml", tmp_path)
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    verdict = proved(tmp_path / "tree", expect)
    assert verdict.status == "skipped"
    assert "slurmctld" in verdict.reason
    assert "apt-get install slurmctld slurm-client munge" in verdict.remedy


@needs_slurm
def test_nothing_is_left_running(tmp_path: Path) -> None:
    proved(*built("lab.yaml", tmp_path))
    own = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
    children = [Path(f"/proc/{pid}/comm").read_text().strip() for pid in Path(own).read_text().split()]
    assert not {"munged", "slurmctld"} & set(children)
