from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.hostlist import expand
from ibgen.spec import ClusterSpec


@rule("IBG626", "pool-without-partition", Severity.WARNING)
def pool_without_partition(spec: ClusterSpec) -> Iterator[Finding]:
    """Schedulable hosts that no Slurm partition contains.

    Their nodes exist and stay idle for ever.

    Bad:
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100}]
        slurm: {version: "24.11", partitions: [{name: train, pools: [gpu], default: true}]}
    Good:
        slurm: {version: "24.11", partitions: [{name: train, pools: [gpu], default: true}]}
    """
    if spec.slurm is None or not spec.slurm.partitions:
        return
    every = {host for pool in spec.pools for host in expand(pool.hosts)}
    if any(x.hosts is not None and not every.issuperset(expand(x.hosts)) for x in spec.slurm.partitions):
        return  # IBG035 says that the names are wrong: which hosts are left out is not known yet
    for p, pool in enumerate(spec.pools):
        if not pool.schedulable:
            continue
        left = set(expand(pool.hosts))
        for partition in spec.slurm.partitions:
            if partition.pools and pool.name not in partition.pools:
                continue
            left -= set(expand(partition.hosts)) if partition.hosts is not None else left
        if left:
            yield pool_without_partition.finding(
                f"{len(left)} hosts of `{pool.name}` are in no Slurm partition",
                ("pools", p, "name"),
                hint="add the pool to a partition, or write `schedulable: no`",
            )
