"""Compiled kernels give the same tables to the bit. Skipped where `ibgen[fast]` is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ibgen.route import compute, graph
from ibgen.route.fast import compiles

from .fabrics import damaged, pgft, tree

ROOT = Path(__file__).resolve().parents[2]
CHECKED = """
from ibgen.route import compute
from tests.route.fabrics import pgft
g = pgft(3, 3, 3, 3, 2)
for engine in ("ftree", "minhop"):
    assert (compute(g, engine, fast=True).lft == compute(g, engine, fast=False).lft).all()
"""


@pytest.mark.slow
def test_compiled_equals_interpreted() -> None:
    pytest.importorskip("numba")
    topology = {"tiers": 3, "leaf": {"uplinks": 12}, "core": {"switch": "qm8700"}}
    spine = {"switch": "qm8700", "uplinks": 12, "count": 6}
    broken = damaged(tree(96, 12, 12, pod=4, missing="n[0005-0006]", spine=spine, **topology), 4, 1, 3)
    for g in (pgft(4, 4, 4, 8, 4), broken, graph(tree(40, 10, 10, adapters=2, ports=2, leaf={"uplinks": 10}))):
        roots = (g.tier == g.tier.max()).nonzero()[0].tolist()
        for engine in ("ftree", "minhop", "updn"):
            a, b = (compute(g, engine, roots=roots, switches=True, fast=fast) for fast in (True, False))
            assert (a.lft == b.lft).all()
            assert a.switch_lft is not None
            assert b.switch_lft is not None
            assert (a.switch_lft == b.switch_lft).all()


@pytest.mark.slow
def test_kernels_stay_within_their_arrays(tmp_path: Path) -> None:
    """numba checks no index unless told to; a write beyond the end would corrupt silently."""
    pytest.importorskip("numba")
    own = {
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(tmp_path),
    }  # kernels kept elsewhere were compiled without the checks
    env = {**os.environ, **own, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", CHECKED], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_small_fabrics_are_not_compiled() -> None:
    """Compiling takes longer than 1,296 hosts do."""
    assert not compiles(1296 * 180)
