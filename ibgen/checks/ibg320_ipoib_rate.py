from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.opensm_partitions import known_rate
from ibgen.targets.partitions import DEFAULT_PKEY


@rule("IBG320", "ipoib-rate", Severity.ERROR)
def ipoib_rate(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """An IPoIB broadcast group faster than its slowest member, or of a rate that OpenSM has no number for.

    A port that is slower than the group cannot join it: its interface stays without carrier. Every port of the fabric is in
    the default partition, named there or not. The group is written with the next rate below that all members have.

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
            declared = spec.fabrics[subnet.fabric]
            ipoib = declared.partitions[members.index].ipoib
            rates = subnet.ports.rate_gbps if members.pkey == DEFAULT_PKEY else subnet.ports.rate_gbps[members.rows]
            slowest = float(rates.min())
            if ipoib is not None and ipoib.rate is not None and ipoib.rate > slowest and subnet.plane == 1:
                yield ipoib_rate.finding(
                    f"the group asks for {ipoib.rate:g} Gb/s, its slowest member has {slowest:g}",
                    ("fabrics", subnet.fabric, "partitions", members.index, "ipoib", "rate"),
                    hint=f"write {slowest:g}G, or leave `rate` out",
                    facts={"asked_gbps": ipoib.rate, "slowest_gbps": slowest},
                )
            elif ipoib is not None and ipoib.rate is not None and subnet.plane == 1:
                below = known_rate(ipoib.rate, declared.control.flavour)
                if below != ipoib.rate:
                    yield ipoib_rate.finding(
                        f"OpenSM has no number for {ipoib.rate:g} Gb/s",
                        ("fabrics", subnet.fabric, "partitions", members.index, "ipoib", "rate"),
                        hint=f"write {below:g}G, or leave `rate` out",
                    )
