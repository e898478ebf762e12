from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec, InlinePlatform
from ibgen.units import OPENSM_RATES


@rule("IBG135", "rate-of-another-kind", Severity.ERROR)
def rate_of_another_kind(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """An InfiniBand link with a rate that only Ethernet has.

    1, 1600 or 2 Gb/s are no InfiniBand rates: OpenSM has no number for them, and no port would come up so. Correct the rate, or
    say `kind: roce`.

    Bad:
        pools:
          - name: service
            hosts: "ufm-[01-02]"
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 1G, role: management}]}
    Good:
        pools:
          - name: service
            hosts: "ufm-[01-02]"
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 100G, role: management}]}
    """
    for subnet in fabric.subnets:
        if spec.fabrics[subnet.fabric].kind != "infiniband" or subnet.plane > 1:
            continue
        for rate in np.unique(subnet.ports.rate_gbps).tolist():
            if rate in OPENSM_RATES:
                continue
            row = int(np.flatnonzero(subnet.ports.rate_gbps == rate)[0])
            pool = int(fabric.hosts.pool[subnet.ports.host[row]])
            at: Path = ("pools", pool, "platform")
            if isinstance(spec.pools[pool].platform, InlinePlatform):
                at = (*at, "hcas", int(subnet.ports.hca[row]), "rate")
            yield rate_of_another_kind.finding(
                f"no InfiniBand port runs at {rate:g} Gb/s",
                at,
                labels=[Label(("fabrics", subnet.fabric, "name"), "attached here")],
                hint="correct the adapter's rate, or the fabric's `kind`",
            )
