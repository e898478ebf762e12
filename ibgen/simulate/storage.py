"""Storage traffic of one subnet: who writes to whom, and how much more the clients can send than the servers take.

Takes `ClusterSpec`, `Fabric`, a subnet, its graph. Gives flows between endpoint rows, and `StorageSides`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.fabric import Fabric, Subnet
from ibgen.route import Graph
from ibgen.spec import ClusterSpec

from .patterns import Flows, incast
from .rates import Rates

NAME = "storage incast"


@dataclass(frozen=True, slots=True)
class StorageSides:
    """Ports that write and ports that are written to, with what each side carries in GB/s."""

    clients: int
    servers: int
    clients_gbs: float
    servers_gbs: float

    @property
    def ratio(self) -> float:
        """Clients over servers: above 1.0 the servers' own ports hold a write by all back."""
        return self.clients_gbs / self.servers_gbs if self.servers_gbs else float("inf")


def storage_flows(spec: ClusterSpec, fabric: Fabric, subnet: Subnet, graph: Graph) -> Flows | None:
    """Every GPU host writes to storage, in turn: from its storage adapters, else its compute ones. None without storage.

    Hosts of any fabric's `control.hosts` are no servers, whatever the role of their adapter: a subnet manager's port on the
    storage fabric is there to manage it.
    """
    p, hosts = subnet.ports, fabric.hosts
    storage = np.array(
        [hosts.platforms[pool].hcas[h].role == "storage" for pool, h in zip(hosts.pool[p.host], p.hca, strict=True)], bool
    )
    gpu = np.array([platform.gpus > 0 for platform in hosts.platforms], bool)[hosts.pool[p.host]]
    there = graph.leaf >= 0
    targets = np.flatnonzero(there & storage & ~gpu & ~np.isin(p.host, _managers(spec, fabric)))
    sources = np.flatnonzero(there & storage & gpu)
    if not len(sources):
        sources = np.flatnonzero(there & p.compute & gpu)
    return incast(sources, targets) if len(sources) and len(targets) else None


def _managers(spec: ClusterSpec, fabric: Fabric) -> list[int]:
    """Rows of the hosts that run a subnet manager."""
    row = fabric.hosts.row
    named = (name for f in spec.fabrics for name in f.control.hosts)
    return [row[name] for name in dict.fromkeys(named) if name in row]


def sides(flows: Flows | None, injected: Rates) -> StorageSides | None:
    """`injected` [E]: GB/s of every endpoint's own cable, the same in both directions."""
    if flows is None:
        return None
    clients, servers = np.unique(flows[0]), np.unique(flows[1])
    return StorageSides(len(clients), len(servers), float(injected[clients].sum()), float(injected[servers].sum()))
