from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG332", "level-without-class", Severity.WARNING)
def level_without_class(spec: ClusterSpec) -> Iterator[Finding]:
    """A partition's IPoIB is on a service level that no traffic class has.

    Its packets are then carried as the default class: on the default lane, with the default weight.

    Bad:
        fabrics:
          - name: compute
            qos: {classes: [{name: nccl, use: nccl, sl: 1}]}
            partitions: [{name: data, pkey: 0x0101, ipoib: {mtu: 4096, sl: 5}, members: [{pool: gpu, membership: full}]}]
    Good:
        fabrics:
          - name: compute
            qos: {classes: [{name: nccl, use: nccl, sl: 1}, {name: ipoib, use: ipoib, sl: 5, vl: 2}]}
            partitions: [{name: data, pkey: 0x0101, ipoib: {mtu: 4096, sl: 5}, members: [{pool: gpu, membership: full}]}]
    """
    for i, fabric in enumerate(spec.fabrics):
        known = {c.sl for c in fabric.qos.classes} if fabric.qos else set()
        for p, partition in enumerate(fabric.partitions):
            if known and partition.ipoib and partition.ipoib.sl is not None and partition.ipoib.sl not in known | {0}:
                yield level_without_class.finding(
                    f"no traffic class has service level {partition.ipoib.sl}",
                    ("fabrics", i, "partitions", p, "ipoib", "sl"),
                    hint=f"use one of {', '.join(map(str, sorted(known)))}, or add a class `use: ipoib` with it",
                )
