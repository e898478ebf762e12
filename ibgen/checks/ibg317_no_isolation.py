from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.partitions import DEFAULT_PKEY, FULL


@rule("IBG317", "no-isolation", Severity.WARNING)
def no_isolation(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """Tenants have partitions of their own, but everyone is a full member of the default partition too.

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
    subnets = {p.subnet: p for p in targets.partitions}
    for i, fabric in enumerate(spec.fabrics):
        plan = next((p for name, p in subnets.items() if name == fabric.name or name.startswith(fabric.name + "-p")), None)
        if plan is None or len(plan.partitions) < 2:
            continue
        default = plan.partitions[0]
        if default.pkey == DEFAULT_PKEY and default.everyone == FULL:
            at = ("fabrics", i, "partitions", default.index) if default.index >= 0 else ("fabrics", i, "partitions")
            yield no_isolation.finding(
                f"every port of `{fabric.name}` is a full member of the default partition",
                at,
                on="key" if default.index < 0 else "value",
                label="tenants can talk through it",
                hint="make its compute members `membership: limited`",
                facts={"partitions": len(plan.partitions), "ports": len(default.rows)},
            )
