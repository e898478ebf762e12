"""Which adapters a host uses for what: decided once, read by NCCL, Slurm's prolog, the inventory.

Hosts of a pool whose adapter lists differ (an adapter is down), or whose jobs use another partition, are a class of their
own: one file for both would be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ibgen.catalog import Hca, Platform
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec

from .tenants import Tenant


@dataclass(frozen=True, slots=True)
class HostClass:
    """Hosts of one pool with one set of working adapters."""

    name: str  # `<pool>[-<tenant>][-without-<adapters out of service>]`
    pool: int  # row of `spec.pools`
    hosts: tuple[str, ...]
    platform: Platform
    compute: tuple[tuple[Hca, int], ...]  # working (adapter, port) pairs of compute fabrics, in rail order
    missing: tuple[str, ...]  # adapters out of service
    tenant: Tenant | None = None  # the partition its jobs use; None: the default one


OWN_TRANSPORTS = ("ib", "socket")
"""Values of NCCL_NET that name NCCL's own code; any other names a plugin that has the network to itself."""


def plugin_network(group: HostClass) -> bool:
    """Whether a plugin that is not NCCL's own InfiniBand code carries the traffic (EFA, GPUDirect-TCPX, gIB)."""
    net = group.platform.nccl.get("NCCL_NET", "IB").lower()
    foreign = any(hca.link in ("efa", "gvnic") for hca, _ in group.compute)
    return foreign or bool(group.platform.nccl_script) or net not in OWN_TRANSPORTS


def host_classes(
    spec: ClusterSpec, fabric: Fabric, tenants: Mapping[int, Tenant] = MappingProxyType({})
) -> tuple[HostClass, ...]:
    """The classes, pool by pool, then by tenant, the complete one first, then by the adapters they lack. `tenants`: row of a
    host -> its tenant."""
    groups: dict[tuple[int, tuple[Tenant, ...], tuple[str, ...]], list[str]] = {}
    down = _down(spec)
    for row, host in enumerate(fabric.hosts.names):
        pool = int(fabric.hosts.pool[row])
        tenant: tuple[Tenant, ...] = (tenants[row],) if row in tenants else ()
        groups.setdefault((pool, tenant, down.get((pool, host), ())), []).append(host)
    joined = _joined(spec, fabric)
    classes = []
    for (pool, tenant, missing), hosts in sorted(groups.items()):
        platform = fabric.hosts.platforms[pool]
        pairs = tuple(
            (h, port) for h, port in joined.get(pool, ()) if h.name not in missing and h.name not in platform.excluded_hcas
        )
        name = spec.pools[pool].name + "".join(f"-{t.name}" for t in tenant)
        name += f"-without-{'-'.join(missing)}" if missing else ""
        classes.append(HostClass(name, pool, tuple(hosts), platform, pairs, missing, next(iter(tenant), None)))
    return tuple(classes)


def _down(spec: ClusterSpec) -> dict[tuple[int, str], tuple[str, ...]]:
    from ibgen.hostlist import expand

    names: dict[tuple[int, str], set[str]] = {}
    for p, pool in enumerate(spec.pools):
        for exception in pool.exceptions:
            for host in expand(exception.hosts):
                names.setdefault((p, host), set()).update(exception.hcas)
    return {key: tuple(sorted(hcas)) for key, hcas in names.items() if hcas}


def _joined(spec: ClusterSpec, fabric: Fabric) -> dict[int, tuple[tuple[Hca, int], ...]]:
    """Per pool, the compute adapters and ports that are attached to any fabric, in the platform's order."""
    attached: dict[int, set[tuple[int, int]]] = {}
    for subnet in fabric.subnets:
        ports = subnet.ports
        pools = fabric.hosts.pool[ports.host]
        keep = ports.compute
        for pool, hca, port in set(zip(pools[keep].tolist(), ports.hca[keep].tolist(), ports.port[keep].tolist(), strict=True)):
            attached.setdefault(pool, set()).add((hca, port))
    by_name = {pool.name: p for p, pool in enumerate(spec.pools)}
    for f in spec.fabrics:
        if f.topology.kind == "opaque":
            for attach in f.attach:
                if attach.pool not in by_name:
                    continue
                pool = by_name[attach.pool]
                hcas = fabric.hosts.platforms[pool].hcas
                wanted = [i for i, h in enumerate(hcas) if h.role == "compute" and _asked(h, attach.hcas)]
                attached.setdefault(pool, set()).update((i, 1) for i in wanted)
    return {
        pool: tuple((fabric.hosts.platforms[pool].hcas[i], port) for i, port in sorted(pairs))
        for pool, pairs in attached.items()
    }


def _asked(hca: Hca, asked: str | tuple[str, ...]) -> bool:
    return hca.name in asked if isinstance(asked, tuple) else asked in ("all", hca.role)
