from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG123", "adapter-faster-than-port", Severity.WARNING)
def adapter_faster_than_port(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """An adapter that is faster than the switch port it plugs into.

    The link comes up at the slower rate, and every bandwidth figure of the host drops with it. It may be meant (a
    half-speed design splits 400G ports in two); then say so with a suppression and its reason.

    Bad:
        pools: [{name: gpu, platform: dgx-h100}]
        fabrics: [{name: compute, topology: {leaf: {switch: qm8790, downlinks: 20}, spine: {switch: qm8790}}}]
    Good:
        fabrics: [{name: compute, topology: {leaf: {switch: qm9700}}}]
    """
    for subnet in fabric.subnets:
        ports = subnet.ports
        pools = fabric.hosts.pool[ports.host]
        for p, platform in enumerate(fabric.hosts.platforms):
            rows = np.flatnonzero(pools == p)
            if not len(rows):
                continue
            rates = np.array([h.rate_gbps for h in platform.hcas])
            slow = rows[rates[ports.hca[rows]] > ports.rate_gbps[rows]]
            if len(slow):
                adapter = platform.hcas[int(ports.hca[slow[0]])]
                link = float(ports.rate_gbps[slow[0]])
                yield adapter_faster_than_port.finding(
                    f"{len(slow)} adapters of `{spec.pools[p].name}` run at {link:g} Gb/s instead of {adapter.rate_gbps:g}",
                    ("pools", p, "platform"),
                    label=f"{adapter.name}: {adapter.rate_gbps:g} Gb/s",
                    labels=[Label(("fabrics", subnet.fabric, "topology", "leaf", "switch"), f"ports of {link:g} Gb/s")],
                    facts={"adapter_gbps": adapter.rate_gbps, "link_gbps": link, "links": len(slow)},
                    hint="choose a switch of the adapter's generation, or do without the split",
                )
