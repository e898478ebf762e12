from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.hostlist import expand
from ibgen.spec import ClusterSpec

KEPT = 5
"""Addresses that Azure keeps in every subnet (network, gateway, two for DNS, broadcast)."""


@rule("IBG704", "azure-subnet", Severity.ERROR)
def azure_subnet(spec: ClusterSpec) -> Iterator[Finding]:
    """A subnet outside its address space, or too small for the VMs.

    Azure keeps five addresses of every subnet.

    Bad:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud:
          - provider: azure
            pool: burst
            fabric: azure-ib
            region: southcentralus
            image: {version: 22.04.2024102301}
            network: {subnet: 10.31.0.0/24}
    Good:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    """
    pools = {pool.name: pool for pool in spec.pools}
    for c, cloud in enumerate(spec.cloud):
        if cloud.network.subnet_id is not None or cloud.pool not in pools:
            continue
        space, subnet = ipaddress.IPv4Network(cloud.network.address_space), ipaddress.IPv4Network(cloud.network.subnet)
        at = ("cloud", c, "network", "subnet")
        if not subnet.subnet_of(space):
            yield azure_subnet.finding(f"{subnet} is not inside {space}", at, hint="choose a subnet of `address_space`")
        wanted = len(expand(pools[cloud.pool].hosts)) if cloud.instances is None else cloud.instances
        if subnet.num_addresses - KEPT < wanted:
            yield azure_subnet.finding(
                f"{subnet} has room for {max(0, subnet.num_addresses - KEPT)} VMs, {wanted} are wanted",
                at,
                hint="choose a larger subnet",
            )
