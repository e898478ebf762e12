from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec

MOST = 1.1
"""NDR in Gen5 x16 gives 50/48 = 1.04 and is a match; above 1.1 the slot holds the adapter back (docs/decisions)."""


@rule("IBG502", "slot-too-small", Severity.WARNING)
def slot_too_small(spec: ClusterSpec, simulation: Simulation) -> Iterator[Finding]:
    """An adapter that is faster than its PCIe slot.

    NDR 400G in a Gen4 x16 slot (or a Gen5 x8) offers 50 GB/s to a slot of 24: a ratio of 2.08, half the adapter idle.
    Usable is width x NCCL's table / 80, not raw.

    Bad:
        ibgen: 1
        cluster: lab
        pools:
          - name: gpu
            hosts: node-[01-04]
            platform: {kind: generic, gpu: A100-80G, gpus: 1, hcas: [{name: mlx5_0, rate: 400G, pcie: 4, gpu: 0}]}
    Good:
        ibgen: 1
        cluster: lab
        pools:
          - name: gpu
            hosts: node-[01-04]
            platform: {kind: generic, gpu: A100-80G, gpus: 1, hcas: [{name: mlx5_0, rate: 200G, pcie: 4, gpu: 0}]}
    """
    for s in simulation.slots:
        high = [m for m in s.matches if m.ratio > MOST]
        if high:
            worst = max(high, key=lambda m: m.ratio)
            yield slot_too_small.finding(
                f"{worst.what}: adapters offer {worst.ratio:.2f} times what the slot carries",
                ("pools", s.pool, "platform"),
                label=f"{len(high)} of {len(s.matches)} slots",
                hint="move the adapter to a wider or newer slot, or count on the slot's rate",
                facts={
                    "adapters": f"{', '.join(worst.hcas)} = {worst.total_gbps:g} Gb/s = {worst.total_gbps / 8:g} GB/s",
                    "slot": f"Gen{worst.gen} x{worst.width} = {worst.usable_gbs:g} GB/s usable",
                    "ratio": round(worst.ratio, 4),
                },
            )
