"""`ibgen simulate` in a folder of its own, for the tests of its screens and of its forms."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ibgen import assets
from ibgen.cli import start

LAB = Path(__file__).with_name("lab.yaml")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`ibgen simulate ...` in a folder with the lab and the examples. Lines of progress, which the clock decides on, are left
    out of standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    for example in assets.examples().glob("*.yaml"):
        shutil.copy(example, tmp_path)
    shutil.copy(LAB, tmp_path / "cluster.yaml")

    def simulate(*args: str) -> tuple[int, str, str]:
        code = start.main(["simulate", *args])
        got = capsys.readouterr()
        assert "Traceback" not in got.err
        return code, got.out, "".join(x for x in got.err.splitlines(keepends=True) if not x.startswith("... "))

    return simulate
