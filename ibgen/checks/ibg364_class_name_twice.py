from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets


@rule("IBG364", "class-name-twice", Severity.ERROR)
def class_name_twice(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """Two classes of hosts would be written to files of the same name.

    A class is a pool, with its tenant and the adapters it lacks behind it: `gpu-tenant-a`. A pool that is itself called so
    would share the file. Upper and lower case do not tell files apart everywhere.

    Bad:
        pools: [{name: gpu-tenant-a, hosts: "other-[1-2]", platform: dgx-h100}]
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
    Good:
        pools: [{name: other, hosts: "other-[1-2]", platform: dgx-h100}]
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
    """
    first: dict[str, int] = {}
    for group in targets.classes:
        other = first.setdefault(group.name.lower(), group.pool)
        if other != group.pool:
            pools = f"`{spec.pools[other].name}` and `{spec.pools[group.pool].name}`"
            yield class_name_twice.finding(
                f"hosts of {pools} would share the files called `{group.name}`",
                ("pools", group.pool, "name"),
                labels=[Label(("pools", other, "name"), "and these")],
                hint="rename the pool or the partition",
            )
