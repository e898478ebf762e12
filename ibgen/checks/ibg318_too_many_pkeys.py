from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.partitions import BOTH, DEFAULT_PKEY

TABLE_ENTRIES = 128
"""P_Key table of a ConnectX port (Mellanox/ib-kubernetes#49)."""


@rule("IBG318", "too-many-pkeys", Severity.ERROR)
def too_many_pkeys(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """A port belongs to more partitions than its P_Key table holds.

    A ConnectX port holds 128 entries; OpenSM drops what does not fit. The default partition takes one of them, on every port.
    """
    for plan in targets.partitions:
        subnet = next(s for s in fabric.subnets if s.name == plan.subnet)
        counts = np.ones(len(subnet.ports.host), dtype=np.int64)  # every port is in the default partition, named or not
        for partition in plan.partitions:
            counts[partition.rows] += (partition.pkey != DEFAULT_PKEY) + (partition.membership == BOTH)
        if counts.max(initial=0) > TABLE_ENTRIES:
            row = int(counts.argmax())
            host = fabric.hosts.names[int(subnet.ports.host[row])]
            yield too_many_pkeys.finding(
                f"`{host}` has {int(counts[row])} P_Keys; a port's table holds {TABLE_ENTRIES}",
                ("fabrics", subnet.fabric, "partitions"),
                on="key",
                hint="put fewer hosts into all partitions",
                facts={"P_Keys": int(counts[row]), "ports": int((counts > TABLE_ENTRIES).sum())},
            )
