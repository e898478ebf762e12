from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG705", "not-an-azure-size", Severity.ERROR)
def not_an_azure_size(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A pool that is rented at Azure, whose platform is no Azure VM size.

    Its adapter names, GPUs and limits would be those of another machine.

    Bad:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: dgx-h100}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    Good:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    """
    rows = {pool.name: p for p, pool in enumerate(spec.pools)}
    for c, cloud in enumerate(spec.cloud):
        if cloud.pool not in rows:
            continue
        platform = fabric.hosts.platforms[rows[cloud.pool]]
        size = platform.id.removeprefix("azure/")
        if not platform.id.startswith("azure/"):
            yield not_an_azure_size.finding(
                f"`{platform.id}` is no Azure VM size",
                ("cloud", c, "pool"),
                labels=[Label(("pools", rows[cloud.pool], "platform"), "its platform")],
                hint="use a platform of the catalog that begins with azure/",
            )
        elif cloud.sku is not None and cloud.sku != size:
            yield not_an_azure_size.finding(
                f"`sku: {cloud.sku}` contradicts the pool's platform `{size}`",
                ("cloud", c, "sku"),
                labels=[Label(("pools", rows[cloud.pool], "platform"), "its platform")],
                hint="leave `sku` out",
            )
