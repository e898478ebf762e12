from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets.sriov import MOST_ADAPTERS, carriers


@rule("IBG369", "sriov-without-effect", Severity.WARNING)
def sriov_without_effect(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A pool with virtual functions that no GUIDs can be planned for.

    Functions belong to compute adapters on InfiniBand fabrics that the spec describes. A provider's fabric has its own, and
    Ethernet functions need no GUIDs. A host has room for 32 adapters.

    Bad:
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100, sriov: {vfs: 4}}]
    Good:
        pools: [{name: gpu, sriov: {vfs: 4}}]
    """
    if fabric.failed:
        return
    reached: set[int] = set()
    for subnet in fabric.subnets:
        if spec.fabrics[subnet.fabric].kind == "infiniband":
            rows = carriers(spec, fabric, subnet)
            reached.update(np.unique(fabric.hosts.pool[subnet.ports.host[rows]]).tolist())
    for p, pool in enumerate(spec.pools):
        if pool.sriov is not None and p not in reached:
            yield sriov_without_effect.finding(
                f"no compute adapter of `{pool.name}` is on an InfiniBand fabric: its virtual functions get no GUIDs",
                ("pools", p, "sriov"),
                hint="attach the pool, or take `sriov` out",
            )
        elif pool.sriov is not None and len(fabric.hosts.platforms[p].hcas) > MOST_ADAPTERS:
            yield sriov_without_effect.finding(
                f"only the first {MOST_ADAPTERS} adapters of `{pool.name}` get virtual functions",
                ("pools", p, "sriov"),
                hint="list the compute adapters first",
            )
