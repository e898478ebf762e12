"""Streams that are closed or full, and folders that no tree may be written to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ibgen
from ibgen.cli import start

ROOT = Path(ibgen.__file__).resolve().parent.parent
LAB = ROOT / "examples" / "lab.yaml"


def shell(redirection: str, *args: str) -> subprocess.CompletedProcess[str]:
    line = f'exec "$0" -c "from ibgen.cli import run; run()" "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", line, sys.executable, *args], capture_output=True, text=True, cwd=ROOT, check=False, timeout=120
    )


def test_closed_standard_input_is_an_empty_spec() -> None:
    done = shell("<&-", "check", "-")
    assert done.returncode == 1
    assert "IBG008" in done.stdout


@pytest.mark.parametrize("redirection", [">&-", "2>&-"])
def test_closed_output_changes_no_exit_code(redirection: str) -> None:
    done = shell(redirection, "check", str(LAB))
    assert done.returncode == 0
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_full_disk_under_standard_output_is_said_and_no_success() -> None:
    done = shell(">/dev/full", "check", str(LAB))
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_endless_standard_input_is_refused() -> None:
    done = shell("</dev/zero", "check", "-")
    assert done.returncode == 2
    assert "64 MiB" in done.stderr


@pytest.mark.parametrize("folder", ["", "/"])
def test_tree_goes_neither_into_an_unset_variable_nor_into_the_root(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert start.main(["build", str(LAB), "-o", folder, "--check"]) == 2
    assert "folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
