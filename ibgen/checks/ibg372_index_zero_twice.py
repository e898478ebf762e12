from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.partitions import DEFAULT_PKEY


@rule("IBG372", "index-zero-twice", Severity.ERROR)
def index_zero_twice(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """Two partitions with `indx0` share a port.

    A P_Key table has one index 0. Which of the two keys gets it is not said anywhere, and programs that take index 0 (NCCL and
    UCX unless told otherwise) are in one partition on some ports and in another on the rest. Every port is in the default
    partition, so `indx0` there excludes it everywhere else.

    Bad:
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, indx0: yes, members: [{hosts: "node-[01-02]", membership: full}]}
              - {name: tenant-b, pkey: 0x0102, indx0: yes, members: [{hosts: "node-[02-04]", membership: full}]}
    Good:
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, indx0: yes, members: [{hosts: "node-[01-02]", membership: full}]}
              - {name: tenant-b, pkey: 0x0102, indx0: yes, members: [{hosts: "node-[03-04]", membership: full}]}
    """
    subnets = {s.name: s for s in fabric.subnets}
    said = set[tuple[int, int]]()
    for plan in targets.partitions:
        subnet = subnets[plan.subnet]
        declared = spec.fabrics[subnet.fabric].partitions
        holder = np.full(len(subnet.ports.host), -1, dtype=np.int32)
        for partition in plan.partitions:
            if partition.index < 0 or not declared[partition.index].indx0 or (subnet.fabric, partition.index) in said:
                continue
            rows = partition.rows if partition.pkey != DEFAULT_PKEY else np.arange(len(holder))
            taken = rows[holder[rows] >= 0]
            if len(taken):
                said.add((subnet.fabric, partition.index))
                other = int(holder[taken[0]])
                host = fabric.hosts.names[int(subnet.ports.host[taken[0]])]
                yield index_zero_twice.finding(
                    f"`{host}` has `{declared[other].name}` at index 0 of its P_Key table already",
                    ("fabrics", subnet.fabric, "partitions", partition.index, "indx0"),
                    labels=[Label(("fabrics", subnet.fabric, "partitions", other, "indx0"), "here")],
                    hint="take `indx0` out of one of them",
                )
            holder[rows] = partition.index
