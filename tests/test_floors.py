"""The house holds: floors by import-linter, room sizes, names that say nothing, target names only where they belong."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "ibgen").rglob("*.py"))


def test_floors() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(tool)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_rooms_are_small(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= 350
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            assert length <= 45, f"{node.name} has {length} lines"


def test_no_file_for_leftovers() -> None:
    assert not [p for p in SOURCES if p.stem in ("utils", "util", "helpers", "common", "base", "core", "manager", "misc")]
