from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG702", "reservation-and-placement", Severity.ERROR)
def reservation_and_placement(spec: ClusterSpec) -> Iterator[Finding]:
    """A capacity reservation group and one placement group on one scale set.

    Azure takes a capacity reservation only with `single_placement_group = false`, and InfiniBand needs it true.

    Bad:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud:
          - provider: azure
            pool: burst
            fabric: azure-ib
            region: southcentralus
            image: {version: 22.04.2024102301}
            capacity_reservation_group: /subscriptions/0/capacityReservationGroups/gpu
    Good:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    """
    for c, cloud in enumerate(spec.cloud):
        if cloud.capacity_reservation_group is not None:
            yield reservation_and_placement.finding(
                "a capacity reservation excludes the single placement group that InfiniBand needs",
                ("cloud", c, "capacity_reservation_group"),
                labels=[Label(("cloud", c, "single_placement_group"), "needed for InfiniBand")],
                hint="take the reservation out, or use single VMs in an availability set",
            )
        if not cloud.single_placement_group:
            yield reservation_and_placement.finding(
                "without a single placement group the VMs land on islands with no InfiniBand between them",
                ("cloud", c, "single_placement_group"),
                hint="write `single_placement_group: true`; true to false cannot be taken back (Azure/AKS#2725)",
            )
