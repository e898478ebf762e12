from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets.sriov import carriers


@rule("IBG366", "sriov-upstream", Severity.ERROR)
def sriov_upstream(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Virtual functions on a fabric that upstream OpenSM runs.

    Upstream's manager does not know the virtual ports of ConnectX-4 and later: they stay down (linux-rdma/opensm#22).
    NVIDIA's has `virt_enabled 2`, which is written for it.

    Bad:
        pools: [{name: gpu, sriov: {vfs: 4}}]
        fabrics: [{name: compute, control: {flavour: upstream, version: "3.3.23", routing: [ftree]}}]
    Good:
        pools: [{name: gpu, sriov: {vfs: 4}}]
        fabrics: [{name: compute, control: {flavour: nvidia}}]
    """
    for subnet in fabric.subnets:
        control = spec.fabrics[subnet.fabric].control
        if control.kind != "opensm" or control.flavour != "upstream" or subnet.plane != 1:
            continue
        rows = carriers(spec, fabric, subnet)
        for pool in np.unique(fabric.hosts.pool[subnet.ports.host[rows]]).tolist():
            yield sriov_upstream.finding(
                f"upstream OpenSM leaves the virtual functions of `{spec.pools[pool].name}` down",
                ("pools", pool, "sriov"),
                labels=[Label(("fabrics", subnet.fabric, "control"), "this manager")],
                hint="use `flavour: nvidia`, or take `sriov` out",
            )
