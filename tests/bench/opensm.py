"""OpenSM's files of a large cluster, and the proof of small ones: CPU seconds, bytes, wall time. Nothing here fails on a clock.

`python tests/bench/opensm.py` prints two tables. The first: 8,192 hosts with 8 adapters (65,536 endpoints), 200 partitions of
512 members each. Compiling and writing to disk are not part of it: only the emitter is. The second: the whole gate of
`ibgen prove --only opensm` on 324 and 1,296 hosts; name `--no-gate` to leave it out.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from ibgen import compiler
from ibgen.compilation import Complete, complete
from ibgen.emit.expect import expect as expect_json
from ibgen.emit.ibsim import ibsim as ibsim_nets
from ibgen.emit.opensm import opensm as opensm_files
from ibgen.prove.opensm import prove

PARTITIONS, MEMBERS, ADAPTERS = 200, 512, 8

LARGE = """\
ibgen: 1
cluster: large
pools:
  - {{name: gpu, hosts: "n[0001-8192]", platform: dgx-h100}}
  - name: sm
    hosts: sm-[1-2]
    schedulable: false
    platform: {{kind: generic, hcas: [{{name: mlx5_0, model: cx7, rate: 400G, role: management}}]}}
fabrics:
  - name: compute
    control: {{kind: opensm, flavour: nvidia, version: "5.24", routing: [ar_ftree], subnet_prefix: 0xfec0000000000001}}
    topology: {{kind: fat-tree, rails: aligned, unit: 32, leaf: {{switch: qm9700}}, spine: {{switch: qm9700}}}}
    attach: [{{pool: gpu, hcas: compute}}]
    partitions:
      - {{name: default, pkey: 0x7fff, ipoib: {{mtu: 4096}}, members: [{{pool: gpu, membership: limited}}]}}
{partitions}
"""

SMALL = """\
ibgen: 1
cluster: small
pools: [{{name: cpu, hosts: "n[0001-{hosts:04}]", platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 200G}}]}}}}]
fabrics:
  - name: ib
    control: {{kind: opensm, routing: [{engine}]}}
    topology: {{kind: fat-tree, rails: host, unit: 18, tiers: {tiers}{pod}, leaf: {{switch: sw36, downlinks: 18}},
               spine: {{switch: sw36}}}}
    attach: [{{pool: cpu, hcas: compute}}]
catalog: [sw36.yaml]
"""
SWITCH = "switches: [{id: sw36, generation: HDR, radix: 36, rate_gbps: 200, cages: 36, source: a 36-port switch}]\n"


def large() -> str:
    hosts = MEMBERS // ADAPTERS
    rows = []
    for n in range(PARTITIONS):
        first = 1 + n * 40  # overlapping tenants: 64 hosts every 40
        members = f'{{pool: gpu, hosts: "n[{first:04}-{first + hosts - 1:04}]", membership: full}}'
        rows.append(f"      - {{name: t{n:03}, pkey: {0x100 + n:#06x}, ipoib: {{mtu: 4096}}, members: [{members}]}}")
    return LARGE.format(partitions="\n".join(rows))


def compiled(text: str, folder: Path) -> Complete:
    (folder / "sw36.yaml").write_text(SWITCH)
    c, report = compiler.compile(compiler.Input(folder / "cluster.yaml", text=text))
    whole = complete(c)
    if whole is None:
        raise SystemExit("\n".join(d.message for d in report.diagnostics))
    return whole


def emission(folder: Path, runs: int) -> None:
    whole = compiled(large(), folder)
    costs = []
    for _ in range(runs):
        start = time.process_time()
        files = list(opensm_files.run(whole))
        costs.append(time.process_time() - start)
    print("| OpenSM files of 65,536 endpoints, 200 partitions of 512 members | |\n|---|---|")
    print(f"| CPU, first run and median of {runs} | {costs[0]:.2f} s, {statistics.median(costs):.2f} s |")
    for artifact in sorted(files, key=lambda a: -len(a.content)):
        print(f"| {artifact.path} | {len(artifact.content) / 1e6:.2f} MB |")
    print(f"| all | {sum(len(a.content) for a in files) / 1e6:.2f} MB |\n")


def gate(folder: Path) -> None:
    print("| gate | engine | endpoints | wall | CPU of ibgen and its children | verdict |\n|---|---|---|---|---|---|")
    for hosts, tiers, engine in ((324, 2, "ftree"), (324, 2, "updn"), (1296, 3, "ftree"), (1296, 3, "updn")):
        text = SMALL.format(hosts=hosts, tiers=tiers, engine=engine, pod=", pod: 18" if tiers == 3 else "")
        whole = compiled(text, folder)
        tree = folder / f"{hosts}-{engine}"
        for artifact in (*opensm_files.run(whole), *ibsim_nets.run(whole), *expect_json.run(whole)):
            path = tree / artifact.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(artifact.content)
        before, start = os.times(), time.perf_counter()
        verdict = prove(tree, json.loads((tree / "expect.json").read_text()), os.environ, str)
        wall, after = time.perf_counter() - start, os.times()
        cpu = sum(after[:4]) - sum(before[:4])
        print(f"| {hosts} hosts, {tiers} tiers | {engine} | {hosts} | {wall:.1f} s | {cpu:.1f} s | {verdict.status} |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-gate", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        emission(Path(folder), asked.runs)
        if not asked.no_gate:
            gate(Path(folder))


if __name__ == "__main__":
    main()
