from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec

BEFORE_EDR = frozenset({"SDR", "DDR", "QDR", "FDR10", "FDR"})
"""Generations whose switches NVIDIA's adaptive routing does not serve: it is documented for Switch-IB (EDR) and later."""


@rule("IBG407", "adaptive-switch", Severity.WARNING)
def adaptive_switch(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Adaptive routing is asked for on switches of a generation that does not have it.

    The manager leaves such a switch static without a word, and the traffic through it takes one path.

    Bad:
        catalog: [old.yaml]
        fabrics:
          - name: compute
            topology: {unit: 1, leaf: {switch: sx6036, downlinks: 18}, spine: {switch: sx6036}}
            adaptive: {}
        # file: old.yaml
        switches:
          - {id: sx6036, generation: FDR, radix: 36, rate_gbps: 56, cages: 36, source: vendor data sheet}
    Good:
        fabrics: [{name: compute, adaptive: {}}]
    """
    for subnet in fabric.subnets:
        declared = spec.fabrics[subnet.fabric]
        old = [m for m in subnet.models if m.generation in BEFORE_EDR]
        if declared.adaptive is not None and old and declared.control.kind == "opensm" and subnet.plane == 1:
            yield adaptive_switch.finding(
                f"`{old[0].id}` is an {old[0].generation} switch: it does not route adaptively",
                ("fabrics", subnet.fabric, "adaptive"),
                on="key",
                hint="take `adaptive` out, or use newer switches",
            )
