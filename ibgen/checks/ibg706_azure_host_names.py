from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG706", "azure-host-names", Severity.NOTE)
def azure_host_names(spec: ClusterSpec) -> Iterator[Finding]:
    """Azure names the VMs of a scale set itself; Slurm's nodes have the names of the spec.

    The VMs come up as the scale set's name and six base-36 digits (`burst-000000`, `burst-00000A`). Start slurmd under the
    node's name (`slurmd -N vm-001`), or set the host name at boot; until then slurmctld does not know the VM.

    Bad:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    Good:
        slurm: ~
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    """
    pools = {pool.name: pool for pool in spec.pools}
    for c, cloud in enumerate(spec.cloud):
        pool = pools.get(cloud.pool)
        if pool is not None and spec.slurm is not None and pool.schedulable:
            yield azure_host_names.finding(
                f"the VMs will be called {cloud.name or cloud.pool}-000000 and so on, Slurm expects {pool.hosts}",
                ("cloud", c, "pool"),
                hint="start slurmd with `-N` and the node's name, or set the host name at boot",
            )
