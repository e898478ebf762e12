"""From the spec's `cloud` section to `AzurePool`s: names and defaults decided, one scale set per entry."""

from __future__ import annotations

from typing import Literal, cast

from ibgen.catalog import Catalog
from ibgen.diagnostics import Finding
from ibgen.fabric import Fabric
from ibgen.spec import AzureCloud, ClusterSpec

from .azure import AzurePool, MarketplaceImage, NewNetwork


def decide(spec: ClusterSpec, fabric: Fabric, catalog: Catalog) -> tuple[tuple[AzurePool, ...], tuple[Finding, ...]]:
    """One pool per entry, in the order of their names; what contradicts itself is judged by the 7xx rules."""
    rows = {pool.name: p for p, pool in enumerate(spec.pools)}
    known = [cloud for cloud in spec.cloud if isinstance(cloud, AzureCloud) and cloud.pool in rows]
    pools = [_pool(spec, fabric, cloud, rows[cloud.pool]) for cloud in known]
    return tuple(sorted(pools, key=lambda pool: pool.name)), ()


def _pool(spec: ClusterSpec, fabric: Fabric, cloud: AzureCloud, pool: int) -> AzurePool:
    name = cloud.name or cloud.pool
    planned = int(((fabric.hosts.pool == pool) & (fabric.hosts.state == 0)).sum())
    network: NewNetwork | str = cloud.network.subnet_id or NewNetwork(
        cloud.network.address_space, cloud.network.subnet, cloud.network.outbound == "nat-gateway"
    )
    image: MarketplaceImage | str = cloud.image.id or MarketplaceImage(
        cloud.image.publisher, cloud.image.offer, cloud.image.sku, cloud.image.version or ""
    )
    return AzurePool(
        cluster=spec.cluster,
        name=name,
        region=cloud.region,
        sku=cloud.sku or fabric.hosts.platforms[pool].id.removeprefix("azure/"),
        instances=planned if cloud.instances is None else cloud.instances,
        resource_group=cloud.resource_group or f"{spec.cluster}-{name}",
        image=image,
        network=network,
        provider_major=cast(Literal[4, 5], cloud.provider_major),
        admin_user=cloud.admin_user,
        os_disk_gb=cloud.os_disk_gb,
        os_disk_type=cloud.os_disk_type,
        zone=cloud.zone,
        encryption_at_host=cloud.encryption_at_host,
        accelerated_networking=cloud.accelerated_networking,
        register_providers=cloud.register_providers,
        tags=tuple(sorted(cloud.tags.items())),
        cloud_init=cloud.cloud_init,
        single_placement_group=cloud.single_placement_group,
    )
