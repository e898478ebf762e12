"""`cloud`: pools that are rented. One model per provider, told apart by `provider`."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from .fields import Count, Name, Section, Switchable, Text, doc
from .form import Form


def _arm_id(text: str) -> str:
    if not re.fullmatch(r"/subscriptions/[A-Za-z0-9._()/-]{1,400}", text) or ".." in text:
        raise ValueError("an Azure resource id begins with /subscriptions/ and holds letters, digits and ._()/-")
    return text


def _cidr(text: str) -> str:
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError as e:
        raise ValueError(f"not an IPv4 network: {e}") from None
    return str(network)


ArmId = Annotated[str, AfterValidator(_arm_id)]
Cidr = Annotated[str, AfterValidator(_cidr)]
Slug = Annotated[
    str, Form(r"[a-z]([a-z0-9-]{0,45}[a-z0-9])?", "small letters, digits and `-`, a letter first and no `-` last, 47 at most")
]


class AzureNetwork(Section):
    """The network that is created, or the subnet that is used."""

    address_space: Annotated[Cidr, doc("Of the virtual network that is created", "10.30.0.0/16", "reprovision")] = (
        "10.30.0.0/16"
    )
    subnet: Annotated[Cidr, doc("Of the subnet the VMs live in", "10.30.0.0/20", "reprovision")] = "10.30.0.0/20"
    subnet_id: Annotated[
        ArmId | None, doc("Use this subnet and create no network", "/subscriptions/0/subnets/c", "reprovision")
    ] = None
    outbound: Annotated[Literal["nat-gateway", "none"], doc("How VMs reach the internet", "nat-gateway", "none")] = (
        "nat-gateway"
    )


class AzureImage(Section):
    """What the VMs boot: pinned, never `latest`."""

    id: Annotated[
        ArmId | None,
        doc("Managed or gallery image version; excludes the others", "/subscriptions/0/versions/1.0.3", "replace-host"),
    ] = None
    publisher: Annotated[Slug, doc("Marketplace publisher", "microsoft-dsvm", "replace-host")] = "microsoft-dsvm"
    offer: Annotated[Slug, doc("Marketplace offer", "ubuntu-hpc", "replace-host")] = "ubuntu-hpc"
    sku: Annotated[Name, doc("Marketplace SKU", "2204", "replace-host")] = "2204"
    version: Annotated[
        Annotated[str, Form(r"[0-9]{1,10}\.[0-9]{1,10}\.[0-9]{1,16}", "three numbers with dots between them; `latest` is none")]
        | None,
        doc(
            "Exact image version: `latest` would give VMs of one scale set different drivers",
            "22.04.2024102301",
            "replace-host",
        ),
    ] = None

    @model_validator(mode="after")
    def _pinned(self) -> Self:
        if (self.id is None) == (self.version is None):
            raise ValueError("give either `id`, or `version` of the marketplace image: an image must be pinned")
        return self


class AzureCloud(Section):
    """One pool as one scale set: InfiniBand reaches only the VMs of one scale set."""

    provider: Annotated[Literal["azure"], doc("The cloud", "azure", "reprovision")]
    name: Annotated[Slug | None, doc("Name of the scale set; the pool's unless given", "burst", "reprovision")] = None
    pool: Annotated[Name, doc("The pool whose hosts are this scale set", "burst", "reprovision")]
    fabric: Annotated[Name, doc("The provider-run fabric its adapters join", "azure-ib", "none")]
    region: Annotated[
        Annotated[str, Form(r"[a-z][a-z0-9]{2,40}", "an Azure location in small letters and digits")],
        doc("Azure location", "southcentralus", "reprovision"),
    ]
    instances: Annotated[Count | None, doc("VMs to run now; the pool's hosts unless given", 4, "none", le=1000)] = None
    sku: Annotated[
        Annotated[str, Form(r"Standard_[A-Za-z0-9_]{1,60}", "a VM size that starts with `Standard_`")] | None,
        doc("VM size; the pool's platform unless given", "Standard_ND96isr_H100_v5", "reprovision"),
    ] = None
    scale_set_limit: Annotated[
        Count, doc("VMs one placement group may hold: 100, or 300 on request", 300, "none", ge=1, le=300)
    ] = 100
    single_placement_group: Annotated[Switchable, doc("One placement group; InfiniBand needs it", True, "reprovision")] = True
    capacity_reservation_group: Annotated[
        ArmId | None,
        doc(
            "Capacity reservation; excludes one placement group",
            "/subscriptions/0/capacityReservationGroups/gpu",
            "reprovision",
        ),
    ] = None
    zone: Annotated[Literal["1", "2", "3"] | None, doc("Availability zone", "1", "reprovision")] = None
    provider_major: Annotated[Count, doc("Major of hashicorp/azurerm: 4 or 5", 5, "none", ge=4, le=5)] = 5
    resource_group: Annotated[
        Annotated[
            str,
            Form(
                r"[A-Za-z0-9_()][A-Za-z0-9_.()-]{0,88}[A-Za-z0-9_()-]",
                "2 to 90 letters, digits, `_`, `-`, `.` and parentheses, no `.` at an end",
            ),
        ]
        | None,
        doc("Resource group that is created", "pod-a-burst", "reprovision"),
    ] = None
    network: Annotated[AzureNetwork, doc("Network", {"subnet": "10.30.0.0/20"}, "reprovision")] = (
        AzureNetwork.model_construct()  # as of `requirements`
    )
    image: Annotated[AzureImage, doc("What the VMs boot", {"version": "22.04.2024102301"}, "replace-host")]
    os_disk_gb: Annotated[Count, doc("OS disk size in GB", 256, "replace-host", ge=64, le=4095)] = 256
    os_disk_type: Annotated[
        Literal["Premium_LRS", "StandardSSD_LRS", "Standard_LRS"], doc("OS disk kind", "Premium_LRS", "reprovision")
    ] = "Premium_LRS"
    admin_user: Annotated[
        Annotated[
            str,
            Form(
                r"[a-z_][a-z0-9_-]{0,31}", "a Linux user name: small letters, digits, `_` and `-`, 32 at most, no digit first"
            ),
        ],
        doc("Login user, by key only", "hpcadmin", "replace-host"),
    ] = "hpcadmin"
    encryption_at_host: Annotated[Switchable, doc("Encrypt temp and cached disks", True, "replace-host")] = True
    accelerated_networking: Annotated[Switchable, doc("SR-IOV on the Ethernet side", True, "replace-host")] = True
    register_providers: Annotated[Switchable, doc("Let Terraform register resource providers", False, "none")] = False
    tags: Annotated[
        dict[
            Annotated[
                str,
                Form(
                    r"[A-Za-z0-9][A-Za-z0-9 _.:-]{0,127}",
                    "a tag's name of letters, digits, blanks, `_`, `.`, `:` and `-`, 128 at most",
                ),
            ],
            Text,
        ],
        doc("Tags of every resource", {"owner": "ml-infra"}, "none", max_length=50),
    ] = Field(default_factory=dict)
    cloud_init: Annotated[Switchable, doc("Give the VMs the tree's environment as user data", True, "replace-host")] = True


Cloud = AzureCloud
"""A union on `provider` once there is more than one."""
