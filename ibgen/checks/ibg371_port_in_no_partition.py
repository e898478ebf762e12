from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.hostlist import fold
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.partitions import DEFAULT_PKEY, FULL


@rule("IBG371", "port-in-no-partition", Severity.WARNING)
def port_in_no_partition(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """Storage or service hosts on a divided fabric that no partition names.

    OpenSM makes every port a limited member of the default partition, named or not. Where the other hosts are limited there
    too, they cannot reach a storage host that was forgotten. Say what it is: full in the default partition, or a member of
    the tenants' partitions. Hosts that run jobs are IBG360's.

    Bad:
        pools: [{name: stor, hosts: stor-1, schedulable: no, platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}]}}]
        fabrics:
          - name: compute
            topology: {reserve: {ufm: 3}}
            attach:
              - {pool: gpu, hcas: compute}
              - {pool: service, hcas: all, at: reserved}
              - {pool: stor, hcas: all, at: reserved}
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
    Good:
        pools: [{name: stor, hosts: stor-1, schedulable: no, platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}]}}]
        fabrics:
          - name: compute
            topology: {reserve: {ufm: 3}}
            attach:
              - {pool: gpu, hcas: compute}
              - {pool: service, hcas: all, at: reserved}
              - {pool: stor, hcas: all, at: reserved}
            partitions:
              - name: default
                pkey: 0x7fff
                members:
                  - {pool: gpu, membership: limited}
                  - {pool: service, membership: full}
                  - {pool: stor, membership: full}
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
    """
    plans = {plan.subnet: plan for plan in targets.partitions}
    masters = {m.subnet: [h.host for h in m.hosts] for m in targets.opensm}
    for row, subnet in enumerate(fabric.subnets):
        plan = plans.get(subnet.name)
        default = plan.partitions[0] if plan else None
        if plan is None or default is None or default.pkey != DEFAULT_PKEY or default.index < 0 or default.everyone == FULL:
            continue
        named = np.zeros(len(subnet.ports.host), bool)
        for partition in plan.partitions:
            named[partition.rows] = True
            if partition.carriers is not None:
                named[partition.carriers] = True
        pools = fabric.hosts.pool[subnet.ports.host]
        jobs = np.array([pool.schedulable for pool in spec.pools])[pools] & subnet.ports.compute
        hosts = [fabric.hosts.names[h] for h in np.unique(subnet.ports.host[~named & ~jobs]).tolist()]
        hosts = [h for h in hosts if h not in masters.get(row, ())]
        if hosts:
            yield port_in_no_partition.finding(
                f"no partition of `{subnet.name}` names {fold(hosts)}: limited in the default partition",
                ("fabrics", subnet.fabric, "partitions", default.index),
                hint="make them members: full for storage and services",
                facts={"hosts": len(hosts)},
            )
