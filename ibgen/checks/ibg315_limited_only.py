from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import ACTIVE, Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.partitions import DEFAULT_PKEY, FULL


@rule("IBG315", "limited-only", Severity.ERROR)
def limited_only(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """A partition of limited members only.

    Two limited members may not talk to each other, so nobody in it can talk to anybody (needs K28). A warning where it has
    full members and none of them is in service. The default partition may have limited hosts only where there are others: its
    manager is always full.

    Bad:
        fabrics:
          - name: compute
            partitions: [{name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: limited}]}]
    Good:
        fabrics:
          - name: compute
            partitions: [{name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}]
    """
    for i, declared in enumerate(spec.fabrics):
        for p, partition in enumerate(declared.partitions):
            alone = partition.pkey != DEFAULT_PKEY or len(declared.partitions) == 1
            if alone and all(m.membership == "limited" for m in partition.members):
                yield limited_only.finding(
                    f"`{partition.name}` has limited members only: they cannot talk to each other",
                    ("fabrics", i, "partitions", p, "members"),
                    hint="make at least one side `membership: full`",
                )
    yield from _waiting(fabric, targets)


def _waiting(fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """Partitions whose full members are all out of service, and whose limited ones are not."""
    subnets = {s.name: s for s in fabric.subnets if s.plane == 1}
    for plan in targets.partitions:
        for partition in plan.partitions if plan.subnet in subnets else ():
            subnet = subnets[plan.subnet]
            full = partition.membership >= FULL
            works = subnet.ports.state[partition.rows] == ACTIVE
            if partition.index >= 0 and full.any() and not partition.others and not works[full].any() and works[~full].any():
                host = fabric.hosts.names[int(subnet.ports.host[partition.rows[full][0]])]
                yield limited_only.finding(
                    f"no full member of `{partition.name}` is in service ({host}): the limited ones cannot talk to anybody",
                    ("fabrics", subnet.fabric, "partitions", partition.index, "members"),
                    hint="make a host that is in service `membership: full`",
                    severity=Severity.WARNING,
                )
