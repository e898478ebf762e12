from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets


@rule("IBG321", "both-membership", Severity.ERROR)
def both_membership(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """`membership: both` without the option that gives it its meaning.

    OpenSM treats `both` as full unless `allow_both_pkeys` is TRUE.

    Bad:
        fabrics:
          - name: compute
            partitions: [{name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: both}]}]
    Good:
        fabrics:
          - name: compute
            control: {options: {allow_both_pkeys: "TRUE"}}
            partitions: [{name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: both}]}]
    """
    told = {m.fabric for m in targets.opensm if any(o.name == "allow_both_pkeys" and o.value == "TRUE" for o in m.options)}
    for i, fabric in enumerate(spec.fabrics):
        if i in told:
            continue
        for p, partition in enumerate(fabric.partitions):
            for m, member in enumerate(partition.members):
                if member.membership == "both":
                    yield both_membership.finding(
                        "`both` means full unless OpenSM is told to allow it",
                        ("fabrics", i, "partitions", p, "members", m, "membership"),
                        hint="write full, or set `control.options: {allow_both_pkeys: yes}`",
                    )
