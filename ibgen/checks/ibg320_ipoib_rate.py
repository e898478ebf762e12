from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets


@rule("IBG320", "ipoib-rate", Severity.ERROR)
def ipoib_rate(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """An IPoIB broadcast group faster than its slowest member.

    A port that is slower than the group cannot join it: its interface stays without carrier.

    Bad:
        fabrics:
          - name: compute
            partitions: [{name: default, ipoib: {mtu: 4096, rate: 800G}}]
    Good:
        fabrics:
          - name: compute
            partitions: [{name: default, ipoib: {mtu: 4096, rate: 400G}}]
    """
    for plan in targets.partitions:
        subnet = next(s for s in fabric.subnets if s.name == plan.subnet)
        for members in plan.partitions:
            if members.index < 0 or not len(members.rows):
                continue
            ipoib = spec.fabrics[subnet.fabric].partitions[members.index].ipoib
            slowest = float(subnet.ports.rate_gbps[members.rows].min())
            if ipoib is not None and ipoib.rate is not None and ipoib.rate > slowest and subnet.plane == 1:
                yield ipoib_rate.finding(
                    f"the group asks for {ipoib.rate:g} Gb/s, its slowest member has {slowest:g}",
                    ("fabrics", subnet.fabric, "partitions", members.index, "ipoib", "rate"),
                    hint=f"write {slowest:g}G, or leave `rate` out",
                    facts={"asked_gbps": ipoib.rate, "slowest_gbps": slowest},
                )
