from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets


@rule("IBG632", "settings-nobody-reads", Severity.ERROR)
def settings_nobody_reads(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """Settings of NCCL for a pool without GPUs, or of UCX for one without compute adapters.

    No file is written for such hosts, so the settings would be lost without a word.

    Bad:
        nccl: {version: "2.27", pools: {service: {socket_interface: eth0}}}
    Good:
        nccl: {version: "2.27", pools: {gpu: {socket_interface: eth0}}}
    """
    platforms = {pool.name: p for pool, p in zip(spec.pools, fabric.hosts.platforms, strict=True)}
    for name in spec.nccl.pools if spec.nccl else ():
        if name in platforms and not platforms[name].gpus:
            message = f"the hosts of `{name}` have no GPUs: NCCL does not run there"
            yield settings_nobody_reads.finding(message, ("nccl", "pools", name), on="key", hint="take it out")
    computing = {spec.pools[group.pool].name for group in targets.classes if group.compute}
    for name in spec.ucx.pools if spec.ucx else ():
        if name in platforms and name not in computing:
            message = f"no host of `{name}` has a compute adapter on a fabric: no ucx.conf is written for it"
            hint = "take it out, or attach the pool's compute adapters"
            yield settings_nobody_reads.finding(message, ("ucx", "pools", name), on="key", hint=hint)
