"""What Terraform is told about a pool on Azure: one uniform scale set, because InfiniBand reaches only the VMs of one set.

Takes spec values, gives `AzurePool`, and `expectation`: what a plan of the pool must contain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

PLACEHOLDER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA prove"
"""A well-formed public key that belongs to nobody: a plan needs one, and the user's own is not in the tree."""

_MODE = "Manual"  # any other upgrade mode lets Azure reboot a node under a running job


@dataclass(frozen=True, slots=True)
class MarketplaceImage:
    """An image of the marketplace, one exact version of it."""

    publisher: str
    offer: str
    sku: str
    version: str


@dataclass(frozen=True, slots=True)
class NewNetwork:
    """The network that is created: `subnet` lies inside `address_space`, both IPv4 in CIDR form."""

    address_space: str = "10.30.0.0/16"
    subnet: str = "10.30.0.0/20"
    nat_gateway: bool = True


@dataclass(frozen=True, slots=True)
class AzurePool:
    """One scale set and everything around it.

    `image` is a marketplace image or the ARM id of an image; `network` a network to create or the ARM id of a subnet.
    `cluster` is the spec's name, for the file headers. `cloud_init`: whether user data comes with the pool.
    """

    cluster: str
    name: str
    region: str
    sku: str
    instances: int
    resource_group: str
    image: MarketplaceImage | str
    network: NewNetwork | str = NewNetwork()
    provider_major: Literal[4, 5] = 5
    admin_user: str = "hpcadmin"
    os_disk_gb: int = 256
    os_disk_type: str = "Premium_LRS"
    zone: str | None = None
    encryption_at_host: bool = True
    accelerated_networking: bool = True
    register_providers: bool = False
    tags: tuple[tuple[str, str], ...] = ()
    cloud_init: bool = True
    # The four below make InfiniBand work: jingchaozhang.github.io "VMSS Uniform Settings for GPU HPC", Azure/AKS#2725.
    single_placement_group: bool = True
    overprovision: bool = False
    fault_domains: int = 1
    upgrade_mode: str = _MODE

    @property
    def folder(self) -> str:
        """Where its files lie, below the root of the tree."""
        return f"terraform/azure-{self.name}"

    @property
    def host_prefix(self) -> str:
        """Azure calls the VMs this and six base-36 digits: `burst-000000`, `burst-00000A` (Azure docs, instance IDs)."""
        return f"{self.name}-"

    @property
    def resource_name(self) -> str:
        """The scale set's name in Terraform, so that a plan and a state read like the spec."""
        word = re.sub(r"[^a-z0-9]+", "_", self.name.lower()).strip("_")
        return word if word[:1].isalpha() else f"pool_{word}"

    @property
    def accelerated_argument(self) -> str:
        """The argument's name changed with azurerm 5 (found by comparing the schemas of 4.55 and 5.10)."""
        return "accelerated_networking_enabled" if self.provider_major >= 5 else "enable_accelerated_networking"


def expectation(pool: AzurePool) -> dict[str, object]:
    """The pool's entry of `expect.json`: which resources a first plan creates, and what must stand in the scale set."""
    scale_set = f"azurerm_linux_virtual_machine_scale_set.{pool.resource_name}"
    values: dict[str, object] = {
        "name": pool.name,
        "location": pool.region,
        "sku": pool.sku,
        "instances": pool.instances,
        "single_placement_group": pool.single_placement_group,
        "overprovision": pool.overprovision,
        "platform_fault_domain_count": pool.fault_domains,
        "upgrade_mode": pool.upgrade_mode,
        "disable_password_authentication": True,
        "encryption_at_host_enabled": pool.encryption_at_host,
        f"network_interface.0.{pool.accelerated_argument}": pool.accelerated_networking,
        "network_interface.0.ip_configuration.0.public_ip_address": [],
    }
    assertions: list[dict[str, object]] = [{"address": scale_set, "values": values}]
    if isinstance(pool.network, NewNetwork):
        denied = {"direction": "Inbound", "access": "Deny", "source_address_prefix": "Internet"}
        assertions.append({"address": "azurerm_network_security_rule.deny_internet", "values": denied})
    return {
        "folder": pool.folder,
        "resources": _counts(pool),
        "assert": assertions,
        "variables": {"ssh_public_key": PLACEHOLDER_KEY},
    }


def _counts(pool: AzurePool) -> dict[str, int]:
    counts = {"azurerm_resource_group": 1, "azurerm_linux_virtual_machine_scale_set": 1}
    if isinstance(pool.network, NewNetwork):
        counts |= {
            "azurerm_virtual_network": 1,
            "azurerm_subnet": 1,
            "azurerm_network_security_group": 1,
            "azurerm_network_security_rule": 2,
            "azurerm_subnet_network_security_group_association": 1,
        }
        if pool.network.nat_gateway:
            counts |= {
                "azurerm_public_ip": 1,
                "azurerm_nat_gateway": 1,
                "azurerm_nat_gateway_public_ip_association": 1,
                "azurerm_subnet_nat_gateway_association": 1,
            }
    return dict(sorted(counts.items()))
