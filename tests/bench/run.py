"""`make bench`: whole-process wall time, CPU time and peak memory of what users wait for. Nothing here fails on a clock.

Takes `--runs N` and names of cases; prints a Markdown table of medians for docs/performance.md. Each case is compared with
its floor: a typer hello-world for `--help`, and for the others a process that only reads the input and writes the same bytes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ibgen import assets

HELLO = "import typer\napp = typer.Typer()\n@app.command()\ndef main(name: str = 'x') -> None:\n    print(name)\napp()\n"

FLOOR = """
import os, sys
spec, tree, out = sys.argv[1:]
open(spec, "rb").read()
os.makedirs(out, exist_ok=True)
for n, (folder, _, files) in enumerate(os.walk(tree)):
    for m, name in enumerate(sorted(files)):
        data = open(os.path.join(folder, name), "rb").read()
        with open(os.path.join(out, f"{n}-{m}"), "wb") as f:
            f.write(data)
            os.fsync(f.fileno())
"""
"""Reads the input and writes the tree's bytes, fsynced: the least any build can cost here (it also reads them once)."""

BIG = """ibgen: 1
cluster: big
pools:
  - {name: gpu, hosts: "n[0001-8192]", platform: dgx-h100}
  - name: sm
    hosts: sm-[1-2]
    schedulable: false
    platform: {kind: generic, hcas: [{name: mlx5_0, model: cx7, rate: 400G, role: management}]}
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, version: "5.24", routing: [ar_updn], subnet_prefix: 0xfec0000000000001}
    topology: {kind: fat-tree, rails: aligned, unit: 32, leaf: {switch: qm9700}, spine: {switch: qm9700}}
    attach: [{pool: gpu, hcas: compute}]
    partitions:
      - {name: default, pkey: 0x7fff, ipoib: {mtu: 4096}, members: [{pool: gpu, membership: full}]}
slurm: {version: "24.11"}
nccl: {version: "2.27"}
"""
"""8,192 nodes x 8 rails: 65,536 endpoints, 5,120 switches, 196,608 cables."""


def explicit(hosts: int = 12500, rails: int = 2, down: int = 32) -> str:
    """A spec with 50,000 cables, one a line: two rails of 12,500 hosts, 782 leaves with 32 uplinks to 392 spines."""
    leaves = -(-hosts * rails // down)
    spines = -(-leaves * down // 64)
    lines = [f"leaf-{i // down + 1:04}:{i % down + 1} h{i // rails + 1:05}/mlx5_{i % rails}:1" for i in range(hosts * rails)]
    used = [0] * spines
    for leaf in range(leaves):
        for u in range(down):
            s = (leaf * down + u) % spines
            used[s] += 1
            lines.append(f"leaf-{leaf + 1:04}:{down + u + 1} spine-{s + 1:04}:{used[s]}")
    cables = "\n".join(f"        - {line}" for line in lines)
    hcas = ", ".join(f"{{name: mlx5_{r}, model: cx7, rate: 400G}}" for r in range(rails))
    return (
        f'ibgen: 1\ncluster: explicit\npools:\n  - {{name: cpu, hosts: "h[00001-{hosts}]", '
        f"platform: {{kind: generic, hcas: [{hcas}]}}}}\n"
        "fabrics:\n  - name: f\n    control: {kind: opensm, flavour: nvidia}\n    attach: [{pool: cpu}]\n"
        "    topology:\n      kind: explicit\n      switches:\n"
        f'        - {{names: "leaf-[0001-{leaves:04}]", switch: qm9700, role: leaf}}\n'
        f'        - {{names: "spine-[0001-{spines:04}]", switch: qm9700, role: spine}}\n'
        f"      cables:\n{cables}\n"
    )


@dataclass(frozen=True, slots=True)
class Case:
    """One command and the floor it is held against."""

    name: str
    command: list[str]
    floor: list[str]
    before: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one process: seconds and MB."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def measure(command: list[str], before: Callable[[], object] = lambda: None) -> Cost:
    """Runs a command to its end; the operating system's own accounting of it."""
    before()
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = 0  # reaped here
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def median(costs: list[Cost]) -> Cost:
    return Cost(*(statistics.median(getattr(c, f) for c in costs) for f in ("wall_s", "cpu_s", "peak_mb")))


def cases(work: Path) -> list[Case]:
    python, ibgen = sys.executable, [sys.executable, "-m", "ibgen"]
    (work / "hello.py").write_text(HELLO)
    (work / "floor.py").write_text(FLOOR)
    specs = {
        "superpod": assets.examples() / "superpod-h100.yaml",
        "8192 nodes": work / "big.yaml",
        "50000 cables": work / "explicit.yaml",
    }
    (work / "big.yaml").write_text(BIG)
    (work / "explicit.yaml").write_text(explicit())
    found = [Case("ibgen --help", [*ibgen, "--help"], [python, str(work / "hello.py"), "--help"])]
    for name, spec in specs.items():
        tree, out = work / f"tree {name}", work / f"out {name}"
        subprocess.run([*ibgen, "build", str(spec), "-o", str(tree)], check=True, capture_output=True)
        nothing = work / "nothing"
        nothing.mkdir(exist_ok=True)
        read = [python, str(work / "floor.py"), str(spec), str(nothing), str(work / "null")]
        write = [python, str(work / "floor.py"), str(spec), str(tree), str(work / "copy")]
        found.append(Case(f"check {name}", [*ibgen, "check", str(spec)], read))

        def clean(out: Path = out) -> object:
            return subprocess.run(["rm", "-rf", str(out), str(work / "copy")], check=True)

        found.append(Case(f"build {name}", [*ibgen, "build", str(spec), "-o", str(out)], write, clean))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("only", nargs="*", help="parts of case names")
    chosen = parser.parse_args()
    print("| command | wall s | CPU s | peak MB | floor wall s | wall ratio | CPU ratio |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(Path(folder)):
            if chosen.only and not any(word in case.name for word in chosen.only):
                continue
            ours, floors = [], []
            for _ in range(chosen.runs):  # in turn, so that a machine that drifts touches both alike
                ours.append(measure(case.command, case.before))
                floors.append(measure(case.floor, case.before))
            a, b = median(ours), median(floors)
            print(
                f"| {case.name} | {a.wall_s:.2f} | {a.cpu_s:.2f} | {a.peak_mb:.0f} | {b.wall_s:.2f} "
                f"| {a.wall_s / b.wall_s:.1f} | {a.cpu_s / b.cpu_s:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
