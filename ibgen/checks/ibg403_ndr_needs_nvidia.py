from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec

NDR_GBPS = 400.0
"""Data rate of a 4x NDR port."""


@rule("IBG403", "ndr-needs-nvidia", Severity.ERROR)
def ndr_needs_nvidia(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """NDR or faster switches under upstream OpenSM.

    Upstream 3.3 brings such a fabric up, then loses traffic above about 400 bytes; NVIDIA's manager does not
    (linux-rdma/opensm#38). Where you know better, say so with a suppression and its reason.

    Bad:
        fabrics: [{name: compute, control: {flavour: upstream, version: "3.3.23", routing: [ftree]}}]
    Good:
        fabrics: [{name: compute, control: {flavour: nvidia}}]
    """
    for subnet in fabric.subnets:
        control = spec.fabrics[subnet.fabric].control
        fastest = max(subnet.models, key=lambda m: m.rate_gbps)
        if control.kind == "opensm" and control.flavour == "upstream" and fastest.rate_gbps >= NDR_GBPS and subnet.plane == 1:
            yield ndr_needs_nvidia.finding(
                f"upstream OpenSM is not safe on {fastest.rate_gbps:g} Gb/s switches",
                ("fabrics", subnet.fabric, "control", "flavour"),
                labels=[Label(("fabrics", subnet.fabric, "topology", "leaf", "switch"), f"{fastest.id}: {fastest.generation}")],
                hint="use `flavour: nvidia` (DOCA or UFM)",
            )
