from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG315", "limited-only", Severity.ERROR)
def limited_only(spec: ClusterSpec) -> Iterator[Finding]:
    """A partition of limited members only.

    Two limited members may not talk to each other, so nobody in it can talk to anybody (needs K28).

    Bad:
        fabrics:
          - name: compute
            partitions: [{name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: limited}]}]
    Good:
        fabrics:
          - name: compute
            partitions: [{name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}]
    """
    for i, fabric in enumerate(spec.fabrics):
        for p, partition in enumerate(fabric.partitions):
            if all(m.membership == "limited" for m in partition.members):
                yield limited_only.finding(
                    f"`{partition.name}` has limited members only: they cannot talk to each other",
                    ("fabrics", i, "partitions", p, "members"),
                    hint="make at least one side `membership: full`",
                )
