"""CPU time of the simulation's parts, with compiled kernels and without; nothing here fails on a clock.

Takes sizes in endpoints (1024 8192 65536 unless given). Prints a Markdown table: milliseconds, the best of a few runs, single
core. `numpy` all-to-all of 65,536 endpoints takes long: `--slow` asks for it.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path

from ibgen import catalog, source, spec
from ibgen.compiler import Input, compile
from ibgen.fabric import Subnet, resolve
from ibgen.route import Routes, compute, graph
from ibgen.simulate import patterns, run
from ibgen.simulate.loads import estimate, flow_loads
from ibgen.simulate.rates import capacities, max_min
from ibgen.simulate.trees import all_to_all

SPEC = """ibgen: 1
cluster: big
pools: [{name: gpu, hosts: "n[0001-%d]", platform: dgx-h100}]
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, routing: [ar_updn]}
    topology: {kind: fat-tree, rails: aligned, unit: 32, leaf: {switch: qm9700}, spine: {switch: qm9700}}
    attach: [{pool: gpu, hcas: compute}]
nccl: {version: "2.27"}
"""

Row = tuple[str, Callable[[], object]]


def subnet(endpoints: int) -> Subnet:
    document, _ = source.parse(SPEC % (endpoints // 8), "bench")
    cluster, _ = spec.load(document)
    assert cluster is not None
    fabric, _ = resolve(cluster, catalog.standard())
    assert fabric is not None
    return fabric.subnets[0]


def best_ms(work: Callable[[], object], budget_s: float = 1.0) -> float:
    """The least CPU time of up to five runs, after one that warms up caches where a run is short."""
    times: list[float] = []
    spent = 0.0
    while len(times) < 6 and (spent < budget_s or len(times) < 1):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
        spent += times[-1]
    return 1000 * min(times)


def work_of(s: Subnet, r: Routes, fast: bool) -> list[Row]:
    rows, g = r.graph.plugged, r.graph
    drawn = 1000 if g.endpoints <= 1024 else 100
    links, injected = capacities(s, g)
    flows = patterns.permutation(rows, 1)
    loads = flow_loads(r, flows, fast)
    return [
        (
            f"EBB, {drawn} bisections",
            lambda: estimate(r, "", (patterns.bisection(rows, 1, k) for k in range(drawn)), 1, fast),
        ),
        (
            "all-to-all, ring, one shift",
            lambda: (
                all_to_all(r, fast=fast),
                flow_loads(r, patterns.ring(rows), fast),
                flow_loads(r, patterns.shift(rows, 32), fast),
            ),
        ),
        ("max-min, one permutation", lambda: max_min(loads, flows[0], links, injected)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("sizes", nargs="*", type=int)
    chosen = parser.parse_args()
    has_numba = importlib.util.find_spec("numba") is not None
    print("| endpoints | work | compiled ms | numpy ms |\n|---|---|---|---|")
    for size in chosen.sizes or [1024, 8192, 65536]:
        s = subnet(size)
        made = best_ms(lambda: compute(graph(s), "dmodk"))  # noqa: B023
        print(f"| {size} | graph and D-mod-k table | {made:.1f} | {made:.1f} |", flush=True)
        r = compute(graph(s), "dmodk")
        both = zip(work_of(s, r, True) if has_numba else work_of(s, r, False), work_of(s, r, False), strict=True)
        for (name, fast), (_, plain) in both:
            compiled = f"{best_ms(fast):.1f}" if has_numba else "-"
            skip = size > 10_000 and name.startswith("all-to-all") and not chosen.slow
            print(f"| {size} | {name} | {compiled} | {'-' if skip else f'{best_ms(plain):.1f}'} |", flush=True)
        c, _ = compile(Input(Path("bench.yaml"), text=SPEC % (size // 8)))
        if c.spec is not None and c.fabric is not None and c.targets is not None:
            default = best_ms(lambda: run(c.spec, c.fabric, c.targets, c.catalog))  # type: ignore[arg-type]  # noqa: B023
            print(f"| {size} | default simulation of a build | - | {default:.1f} |", flush=True)


if __name__ == "__main__":
    main()
