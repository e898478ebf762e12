from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, Subnet
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.partitions import DEFAULT_PKEY, FULL, PartitionPlan


@rule("IBG317", "no-isolation", Severity.WARNING)
def no_isolation(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """Tenants have partitions of their own, but are full members of the default partition too.

    NCCL and UCX use P_Key index 0, the default partition, unless told otherwise: the tenants are not kept apart.
    Make the default partition's compute members limited, and storage and managers full.

    Bad:
        fabrics:
          - name: compute
            partitions: [{name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}]
    Good:
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
    """
    plans = {plan.subnet: plan for plan in targets.partitions}
    said = set[int]()
    for subnet in fabric.subnets:
        plan = plans.get(subnet.name)
        if plan is None or len(plan.partitions) < 2 or plan.partitions[0].pkey != DEFAULT_PKEY or subnet.fabric in said:
            continue
        default, open_rows = plan.partitions[0], _open(subnet, plan)
        if default.everyone == FULL or len(open_rows):
            said.add(subnet.fabric)
            name = spec.fabrics[subnet.fabric].name
            whole = default.everyone == FULL
            host = fabric.hosts.names[int(subnet.ports.host[open_rows[0]])] if len(open_rows) else ""
            at = ("fabrics", subnet.fabric, "partitions")
            yield no_isolation.finding(
                f"every port of `{name}` is a full member of the default partition"
                if whole
                else f"`{host}` has a partition of its own on `{name}` and is a full member of the default partition",
                (*at, default.index) if default.index >= 0 else at,
                on="key" if default.index < 0 else "value",
                label="tenants can talk through it",
                hint="make its compute members `membership: limited`",
                facts={"partitions": len(plan.partitions), "ports": len(default.rows if whole else open_rows)},
            )


def _open(subnet: Subnet, plan: PartitionPlan) -> npt.NDArray[np.intp]:
    """Compute ports that are in a partition of their own and full in the default one: one of them is enough, for limited
    members may talk to full ones."""
    own, full = (np.zeros(len(subnet.ports.host), bool) for _ in range(2))
    for partition in plan.partitions[1:]:
        own[partition.rows] = True
    default = plan.partitions[0]
    full[default.rows[default.membership >= FULL]] = True
    return np.flatnonzero(own & full & subnet.ports.compute)
