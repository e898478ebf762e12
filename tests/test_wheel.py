"""The wheel is whole: templates, schemas, examples and facts travel in it, and it works from another folder."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


def run(command: Sequence[str | Path], cwd: Path) -> str:
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT], out)
    (made,) = out.glob("ibgen-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel. What ibgen needs is taken from the environment of the tests, so that no network
    is needed; a path that leads to the checkout is not."""
    place = tmp_path_factory.mktemp("venv")
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel], place)
    site = Path(run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], place).strip())
    needed = [p for p in map(Path, sys.path) if p.name in ("site-packages", "dist-packages")]
    # a plain path in a .pth file is appended to sys.path, and .pth files (of an editable install) below it are not read
    (site / "needed.pth").write_text("".join(f"{p}\n" for p in needed))
    return place


def test_its_data_travels(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("templates", "schemas", "examples"):
        files = (p for p in (ROOT / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        missing = [p.name for p in files if f"ibgen/data/{p.relative_to(ROOT).as_posix()}" not in names]
        assert missing == []
    facts = (ROOT / "ibgen" / "catalog" / "facts").glob("*.yaml")
    assert [p.name for p in facts if f"ibgen/catalog/facts/{p.name}" not in names] == []


def test_it_builds_an_example_from_another_folder(installed: Path, tmp_path: Path) -> None:
    ibgen, python = installed / "bin" / "ibgen", installed / "bin" / "python"
    where = run([python, "-c", "import ibgen; print(ibgen.__file__)"], tmp_path).strip()
    assert Path(where).is_relative_to(installed), "the checkout was used"
    run([ibgen, "init", "--from", "superpod-h100"], tmp_path)
    run([ibgen, "build"], tmp_path)
    assert (tmp_path / "out" / "ibgen.manifest.json").is_file()
    assert (tmp_path / "out" / "opensm" / "compute" / "partitions.conf").is_file()
    assert "what the spec says" not in run([ibgen, "build", "--check"], tmp_path)  # said on standard error; it must not fail
    assert run([ibgen, "schema", "report"], tmp_path) == (ROOT / "schemas" / "report.schema.json").read_text(encoding="utf-8")


def test_what_it_builds_is_what_the_checkout_builds(installed: Path, tmp_path: Path) -> None:
    spec = ROOT / "examples" / "lab.yaml"
    run([installed / "bin" / "ibgen", "build", spec, "-o", "wheel"], tmp_path)
    run([sys.executable, "-m", "ibgen", "build", spec, "-o", tmp_path / "checkout"], ROOT)
    trees = [
        {p.relative_to(t): p.read_bytes() for p in t.rglob("*") if p.is_file()}
        for t in (tmp_path / "wheel", tmp_path / "checkout")
    ]
    assert trees[0] == trees[1]
