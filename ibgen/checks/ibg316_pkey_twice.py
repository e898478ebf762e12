from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG316", "pkey-twice", Severity.ERROR)
def pkey_twice(spec: ClusterSpec) -> Iterator[Finding]:
    """Two partitions of one fabric with the same P_Key.

    Only the low 15 bits count: 0x0101 and 0x8101 are one partition. OpenSM merges them in silence, keeps the first
    name and lets later member lines override earlier ones.

    Bad:
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
              - {name: tenant-b, pkey: 0x8101, members: [{pool: gpu, membership: full}]}
    Good:
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
              - {name: tenant-b, pkey: 0x0102, members: [{pool: gpu, membership: full}]}
    """
    for i, fabric in enumerate(spec.fabrics):
        first: dict[int, int] = {}
        for p, partition in enumerate(fabric.partitions):
            if partition.pkey in first:
                other = first[partition.pkey]
                yield pkey_twice.finding(
                    f"`{partition.name}` and `{fabric.partitions[other].name}` have the same P_Key 0x{partition.pkey:04x}",
                    ("fabrics", i, "partitions", p, "pkey"),
                    labels=[Label(("fabrics", i, "partitions", other, "pkey"), "the same 15 bits here")],
                    hint="give each partition a P_Key of its own",
                )
            first.setdefault(partition.pkey, p)
