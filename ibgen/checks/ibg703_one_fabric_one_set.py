from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG703", "one-fabric-one-set", Severity.ERROR)
def one_fabric_one_set(spec: ClusterSpec) -> Iterator[Finding]:
    """Two scale sets on one fabric, or a scale set on a fabric that is not the provider's.

    The scale set decides the partition key: VMs of two sets cannot talk over InfiniBand, whatever the spec calls
    their fabric. One pool is one scale set is one fabric.

    Bad:
        pools:
          - {name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}
          - {name: more, hosts: "vx-[1-4]", platform: azure/Standard_ND96isr_H100_v5}
        fabrics:
          - {name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}, {pool: more}]}
        cloud:
          - {provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}
          - {provider: azure, pool: more, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}
    Good:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    """
    by_name = {f.name: f for f in spec.fabrics}
    first: dict[tuple[str, str], int] = {}
    for c, cloud in enumerate(spec.cloud):
        if cloud.fabric not in by_name:
            continue
        fabric = by_name[cloud.fabric]
        if fabric.control.kind != "provider":
            yield one_fabric_one_set.finding(
                f"`{cloud.fabric}` is not the provider's fabric",
                ("cloud", c, "fabric"),
                hint="name a fabric with `control: {kind: provider}` and `topology: {kind: opaque}`",
            )
        elif all(a.pool != cloud.pool for a in fabric.attach):
            yield one_fabric_one_set.finding(
                f"pool `{cloud.pool}` is not attached to `{cloud.fabric}`",
                ("cloud", c, "fabric"),
                hint=f"add `attach: [{{pool: {cloud.pool}, hcas: compute}}]` to the fabric",
            )
        for key, what in ((("fabric", cloud.fabric), "on one fabric"), (("pool", cloud.pool), "for one pool")):
            if key in first:
                yield one_fabric_one_set.finding(
                    f"two scale sets {what}",
                    ("cloud", c, key[0]),
                    labels=[Label(("cloud", first[key], key[0]), "the first")],
                    hint="one pool is one scale set is one fabric",
                )
            first.setdefault(key, c)
