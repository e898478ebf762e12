from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.hostlist import expand
from ibgen.spec import ClusterSpec


@rule("IBG701", "scale-set-limit", Severity.ERROR)
def scale_set_limit(spec: ClusterSpec) -> Iterator[Finding]:
    """More VMs than one placement group of a scale set may hold.

    InfiniBand reaches only the VMs of one scale set in one placement group: 100 by default, up to 300 when support
    raised the limit. Two scale sets are two fabrics (NVIDIA/nccl-tests#36; needs K41).

    Bad:
        pools: [{name: burst, hosts: "vm-[001-101]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    Good:
        pools: [{name: burst, hosts: "vm-[001-100]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    """
    pools = {pool.name: pool for pool in spec.pools}
    for c, cloud in enumerate(spec.cloud):
        if cloud.pool not in pools:
            continue
        hosts = len(expand(pools[cloud.pool].hosts))
        wanted = hosts if cloud.instances is None else cloud.instances
        at = ("cloud", c, "pool") if cloud.instances is None else ("cloud", c, "instances")
        if wanted > cloud.scale_set_limit:
            yield scale_set_limit.finding(
                f"{wanted} VMs in one placement group; the limit is {cloud.scale_set_limit}",
                at,
                labels=[Label(("cloud", c, "scale_set_limit"), "the limit")],
                hint="ask for a higher limit (300) and write `scale_set_limit`, or make it two pools on two fabrics",
                facts={"vms": wanted, "limit": cloud.scale_set_limit},
            )
        if wanted > hosts:
            yield scale_set_limit.finding(
                f"{wanted} VMs, but pool `{cloud.pool}` has {hosts} hosts",
                ("cloud", c, "instances"),
                hint="add the hosts to the pool: every VM needs a name",
            )
