from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec

MTUS = (256, 512, 1024, 2048, 4096)
"""The MTUs of InfiniBand (Architecture Specification, volume 1, table of MTU codes 1 to 5)."""


@rule("IBG319", "ipoib-mtu", Severity.ERROR)
def ipoib_mtu(spec: ClusterSpec) -> Iterator[Finding]:
    """An IPoIB MTU that InfiniBand does not have.

    Write bytes, 2048 or 4096; ibgen writes the code OpenSM wants (5 for 4096). `mtu: 5` and 4092 are the two usual
    slips: the first is the code, the second what the IP interface will show (linux-rdma/opensm#31; needs K25, K30).

    Bad:
        fabrics:
          - name: compute
            partitions: [{name: default, ipoib: {mtu: 5}}]
    Good:
        fabrics:
          - name: compute
            partitions: [{name: default, ipoib: {mtu: 4096}}]
    """
    for i, fabric in enumerate(spec.fabrics):
        for p, partition in enumerate(fabric.partitions):
            mtu = partition.ipoib.mtu if partition.ipoib else MTUS[0]
            if mtu not in MTUS:
                near = MTUS[mtu - 1] if 1 <= mtu <= 5 else min(MTUS, key=lambda m: abs(m - mtu))
                yield ipoib_mtu.finding(
                    f"{mtu} is no InfiniBand MTU",
                    ("fabrics", i, "partitions", p, "ipoib", "mtu"),
                    hint=f"write {near} (bytes); ibgen encodes it",
                )
