from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG325", "member-guid-twice", Severity.ERROR)
def member_guid_twice(spec: ClusterSpec) -> Iterator[Finding]:
    """One port GUID is a member of a partition twice.

    OpenSM keeps one membership per port and partition. With `full` and `limited` on two lines, which one holds would be a
    matter of the order of lines.

    Bad:
        fabrics:
          - name: compute
            partitions:
              - name: default
                pkey: 0x7fff
                members:
                  - {pool: gpu, membership: full}
                  - {guid: 0x0002c90300a1b2c3, membership: full}
                  - {guid: 0x0002c90300a1b2c3, membership: limited}
    Good:
        fabrics:
          - name: compute
            partitions:
              - name: default
                pkey: 0x7fff
                members:
                  - {pool: gpu, membership: full}
                  - {guid: 0x0002c90300a1b2c3, membership: limited}
    """
    for i, fabric in enumerate(spec.fabrics):
        for p, partition in enumerate(fabric.partitions):
            first: dict[int, int] = {}
            for m, member in enumerate(partition.members):
                other = m if member.guid is None else first.setdefault(member.guid, m)
                if other == m:
                    continue
                one, two = partition.members[other].membership, member.membership
                how = f"{one} and {two}" if one != two else "twice"
                yield member_guid_twice.finding(
                    f"0x{member.guid:016x} is a member of `{partition.name}` {how}",
                    ("fabrics", i, "partitions", p, "members", m, "guid"),
                    labels=[Label(("fabrics", i, "partitions", p, "members", other, "guid"), "first here")],
                    hint="keep one of the two lines",
                )
