"""The Terraform folder of one Azure pool: flat `.tf` files, as `terraform fmt` would write them.

Takes an `AzurePool` and the user data of its VMs; gives (path inside the folder, content) pairs. Terraform's own rules for
laying a module out are followed: versions, providers, network, compute, variables, outputs, README.
"""

from __future__ import annotations

from ibgen.emit.text import hcl_string, header, jinja_environment
from ibgen.targets.azure import AzurePool, MarketplaceImage, NewNetwork

CLOUD_INIT = "cloud-init.yaml"

_ALWAYS = ("versions.tf", "providers.tf", "main.tf", "compute.tf", "variables.tf", "outputs.tf", "README.md")


def render(pool: AzurePool, cloud_init: bytes | None) -> list[tuple[str, bytes]]:
    """The files of one pool, sorted by path. `cloud_init` is its user data, None where it has none."""
    network = pool.network if isinstance(pool.network, NewNetwork) else None
    names = [*_ALWAYS, *(["network.tf"] if network else [])]
    values = {
        "pool": pool,
        "header": header(pool.cluster),
        "network": network,
        "subnet": "azurerm_subnet.this.id" if network else "var.subnet_id",
        "image": pool.image if isinstance(pool.image, MarketplaceImage) else None,
        "tags": _aligned(pool.tags),
        "cloud_init": CLOUD_INIT if cloud_init is not None else None,
        "waits_for": _waits_for(network),
    }
    environment = jinja_environment("terraform/azure")
    files = [(name, environment.get_template(f"{name}.j2").render(values).encode()) for name in names]
    if cloud_init is not None:
        files.append((CLOUD_INIT, cloud_init))
    return sorted(files)


def _aligned(tags: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Keys and values as literals, the keys padded to one width, which is how `terraform fmt` writes them."""
    literals = [(hcl_string(k), hcl_string(v)) for k, v in sorted(tags)]
    width = max((len(k) for k, _ in literals), default=0)
    return [(k.ljust(width), v) for k, v in literals]


def _waits_for(network: NewNetwork | None) -> list[str]:
    """What must be in place before the first VM boots, though the scale set does not refer to it."""
    if network is None:
        return []
    gateway = ["azurerm_nat_gateway_public_ip_association.this", "azurerm_subnet_nat_gateway_association.this"]
    return [*(gateway if network.nat_gateway else []), "azurerm_subnet_network_security_group_association.this"]
