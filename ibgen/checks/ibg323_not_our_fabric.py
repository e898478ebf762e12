from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG323", "not-our-fabric", Severity.ERROR)
def not_our_fabric(spec: ClusterSpec) -> Iterator[Finding]:
    """Partitions, QoS or manager options asked of a fabric that its provider runs.

    There is no subnet manager of ours there: nothing would be written, and what was asked would silently not hold.

    Bad:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics:
          - name: azure-ib
            control: {kind: provider, routing: [ftree]}
            topology: {kind: opaque}
            attach: [{pool: burst, hcas: compute}]
    Good:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics:
          - {name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst, hcas: compute}]}
    """
    for i, fabric in enumerate(spec.fabrics):
        if fabric.control.kind != "provider":
            continue
        asked = [
            (("control", "routing"), fabric.control.routing),
            (("control", "options"), fabric.control.options),
            (("control", "hosts"), fabric.control.hosts),
            (("partitions",), fabric.partitions),
            (("qos",), fabric.qos),
        ]
        for at, value in asked:
            if value:
                yield not_our_fabric.finding(
                    f"`{fabric.name}` is run by its provider: `{at[-1]}` would have no effect",
                    ("fabrics", i, *at),
                    on="key",
                    hint=f"take `{at[-1]}` out",
                )
