from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG311", "manager-on-gpu-host", Severity.WARNING)
def manager_on_gpu_host(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A subnet manager on a host that runs jobs.

    A job that fills the host's memory or network takes the fabric down with it. Managers belong on service hosts.

    Bad:
        fabrics: [{name: compute, control: {hosts: [node-01]}}]
    Good:
        fabrics: [{name: compute, control: {hosts: [ufm-01]}}]
    """
    for i, declared in enumerate(spec.fabrics):
        for n, name in enumerate(declared.control.hosts):
            row = fabric.hosts.row.get(name)
            if row is None:
                continue
            pool = int(fabric.hosts.pool[row])
            if fabric.hosts.platforms[pool].gpus and spec.pools[pool].schedulable:
                yield manager_on_gpu_host.finding(
                    f"`{name}` runs jobs of pool `{spec.pools[pool].name}`",
                    ("fabrics", i, "control", "hosts", n),
                    hint="run the manager on a service host, or set `schedulable: no` on the pool",
                )
