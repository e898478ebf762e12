"""Every example builds without an error, its tree is the reviewed one, and building it twice gives the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ibgen import assets, compiler
from ibgen.diagnostics import Severity

GOLDEN = Path(__file__).resolve().parent / "golden"
EXAMPLES = sorted(p for p in assets.examples().glob("*.yaml") if p.name.count(".") == 1)
REVIEWED = (
    "lab",
    "azure-burst",
    "tenants",
    "sriov",
    "superpod-h100",
    "qos",
    "ha",
    "rail-only",
    "roce",
    "multi-plane",
    "dragonfly-plus",
)
"""Examples small enough that a person reviews their whole tree in a pull request."""


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_example_has_no_error(example: Path) -> None:
    report = compiler.compile(compiler.Input(example))[1]
    assert not report.reaches(Severity.ERROR), [(d.code.id, d.message) for d in report.diagnostics]


@pytest.mark.parametrize("name", REVIEWED)
def test_example_tree_is_the_reviewed_one(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    report, plan = compiler.build(compiler.Input(assets.examples() / f"{name}.yaml"), tmp_path / "tree")
    assert plan is not None, report
    made = tree(tmp_path / "tree")
    golden = GOLDEN / name
    if request.config.getoption("--update-golden"):
        shutil.rmtree(golden, ignore_errors=True)
        for path, content in made.items():
            (golden / path).parent.mkdir(parents=True, exist_ok=True)
            (golden / path).write_bytes(content)
    reviewed = tree(golden)
    assert sorted(made) == sorted(reviewed)
    # the manifest names the versions of tool and catalog: it is the one file that may differ
    changed = [p for p in made if made[p] != reviewed[p] and p != "ibgen.manifest.json"]
    assert not changed, f"differs from tests/golden/{name}: {changed}; review what `make golden` writes"


def test_same_bytes_in_any_locale_time_zone_and_hash_seed(tmp_path: Path) -> None:
    trees = []
    for n, (zone, locale, seed) in enumerate((("UTC", "C", "0"), ("Pacific/Kiritimati", "C.UTF-8", "4242"))):
        environment = {**os.environ, "TZ": zone, "LC_ALL": locale, "PYTHONHASHSEED": seed, "HOSTNAME": f"host{n}"}
        command = [
            sys.executable,
            "-m",
            "ibgen",
            "build",
            str(assets.examples() / "tenants.yaml"),
            "-o",
            str(tmp_path / str(n)),
        ]
        subprocess.run(command, env=environment, cwd=tmp_path, check=True, capture_output=True)
        trees.append(tree(tmp_path / str(n)))
    assert trees[0] == trees[1]


def test_one_edit_moves_only_the_lines_it_means(tmp_path: Path) -> None:
    """needs 16, 39: inserting a host renumbers nobody; no digest, version or date makes every file change."""
    text = (assets.examples() / "superpod-h100.yaml").read_text()
    for name, hosts in (("a", "dgx-[001-100,102-127]"), ("b", "dgx-[001-127]")):
        (tmp_path / f"{name}.yaml").write_text(text.replace("dgx-[001-127]", hosts))
        compiler.build(compiler.Input(tmp_path / f"{name}.yaml"), tmp_path / name)
    old, new = tree(tmp_path / "a"), tree(tmp_path / "b")
    assert sorted(old) == sorted(new)
    cables = "cabling/compute.csv"
    gone = set(old[cables].splitlines()) - set(new[cables].splitlines())
    more = set(new[cables].splitlines()) - set(old[cables].splitlines())
    assert not gone
    assert len(more) == 8
    assert all(b"dgx-101/" in line for line in more)
    for path in ("opensm/compute/ufm-01/opensm.conf", "nccl/gpu.conf", "opensm/compute/root-guids.conf", "README.md"):
        assert old[path] == new[path]
