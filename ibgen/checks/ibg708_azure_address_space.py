from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec

FORBIDDEN = {
    "224.0.0.0/4": "multicast",
    "255.255.255.255/32": "broadcast",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local",
    "168.63.129.16/32": "Azure's own DNS",
    "0.0.0.0/8": "this network",
}
"""Azure Virtual Network FAQ, "What address ranges can I use"; the last one RFC 791 and 1122."""


@rule("IBG708", "azure-address-space", Severity.ERROR)
def azure_address_space(spec: ClusterSpec) -> Iterator[Finding]:
    """A network with addresses Azure does not give out.

    Multicast, broadcast, loopback, link-local and 168.63.129.16 cannot be part of a virtual network; `0.0.0.0/0` has them
    all. Take a private range (RFC 1918) that no network you connect to uses.

    Bad:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud:
          - provider: azure
            pool: burst
            fabric: azure-ib
            region: southcentralus
            image: {version: 22.04.2024102301}
            network: {address_space: 0.0.0.0/0, subnet: 10.30.0.0/20}
    Good:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud:
          - provider: azure
            pool: burst
            fabric: azure-ib
            region: southcentralus
            image: {version: 22.04.2024102301}
            network: {address_space: 172.20.0.0/16, subnet: 172.20.0.0/20}
    """
    for c, cloud in enumerate(spec.cloud):
        if cloud.network.subnet_id is not None:
            continue
        for key, text in (("address_space", cloud.network.address_space), ("subnet", cloud.network.subnet)):
            network = ipaddress.IPv4Network(text)
            covered = [f"{r} ({what})" for r, what in FORBIDDEN.items() if network.overlaps(ipaddress.IPv4Network(r))]
            if covered:
                yield azure_address_space.finding(
                    f"{network} overlaps {', '.join(covered)}",
                    ("cloud", c, "network", key),
                    hint="take a part of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16",
                )
