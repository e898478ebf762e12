"""How long routing takes: `python tests/bench/routing.py [ENDPOINTS ...]`, CPU seconds, the best of three below 10,000.

Regular fat trees of 64-port switches. With `--opensm` also ftree of 11,664 hosts beside OpenSM's own user time (minutes).
Compiled kernels are warmed up on a small tree first; `python only` is what a machine without `ibgen[fast]` does.
"""

from __future__ import annotations

import importlib.util
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from ibgen.fabric import Subnet
from ibgen.route import blocks, compute, graph
from tests.route.fabrics import pgft, tree
from tests.route.real import differences, opensm

SIZES = (1024, 8192, 65536)
NUMBA = importlib.util.find_spec("numba") is not None
PYTHON_ONLY_MOST = 10_000


def subnet(endpoints: int) -> Subnet:
    if endpoints > PYTHON_ONLY_MOST:
        return tree(endpoints // 8, 32, 32, switch="qm9700", leaf={"uplinks": 32}, adapters=8, rails="aligned")
    return tree(endpoints, 32, 32, switch="qm9700", leaf={"uplinks": 32})


def timed(work: Callable[[], object], times: int) -> float:
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def measure(endpoints: int) -> None:
    fabric = subnet(endpoints)
    g = graph(fabric)
    times = 3 if endpoints < PYTHON_ONLY_MOST else 1
    rows: list[tuple[str, Callable[[], object]]] = [
        ("graph", lambda: graph(fabric)),
        ("graph + dmodk in blocks", lambda: [None for _ in blocks(graph(fabric))]),
        ("graph + dmodk whole table", lambda: compute(graph(fabric), "dmodk")),
    ]
    top = np.flatnonzero(g.tier == g.tier.max()).tolist()  # named, as ibgen's own files name them
    for engine, roots in (("minhop", None), ("updn", top), ("ftree", top)):
        if NUMBA:
            rows.append((f"{engine} compiled", lambda e=engine, r=roots: compute(g, e, r, fast=True)))  # type: ignore[misc]
        if endpoints < PYTHON_ONLY_MOST:
            rows.append((f"{engine} python only", lambda e=engine, r=roots: compute(g, e, r, fast=False)))  # type: ignore[misc]
    for name, work in rows:
        print(f"{endpoints:>7}  {name:<28} {timed(work, times):10.4f} s", flush=True)
    print(f"{endpoints:>7}  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:21.0f} MiB", flush=True)


def against_opensm() -> None:
    g = pgft(18, 18, 18, 36, 18)
    start = time.process_time()
    ours = compute(g, "ftree", switches=True)
    spent = time.process_time() - start
    with tempfile.TemporaryDirectory() as folder:
        real = opensm(g, Path(folder), "ftree", {"dump_files_dir": folder}, timeout_s=3600)
    print(f"11,664 hosts, ftree: {spent:.2f} s; OpenSM {real.user_s:.1f} s user; {real.user_s / spent:.1f} times")
    print(f"entries that differ: {len(differences(real, ours))} of {int((real.ports >= 0).sum())}")


def main() -> None:
    if NUMBA:
        for engine in ("minhop", "ftree"):
            compute(pgft(3, 3, 3, 3, 2), engine, fast=True)
    sizes = [int(a) for a in sys.argv[1:] if a.isdigit()] or list(SIZES)
    for size in sizes:
        measure(size)
    if "--opensm" in sys.argv:
        against_opensm()


if __name__ == "__main__":
    main()
