"""What the subnet manager of each InfiniBand subnet will be told: engines, options, GUID lists, partitions.

Takes `ClusterSpec`, `Fabric`, the partition plans and the catalog. Gives one `Manager` per subnet whose `control.kind` is
opensm; where a provider or UFM runs the fabric there is nothing to write. `expect` says what OpenSM must make of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.catalog import Catalog
from ibgen.diagnostics import Finding
from ibgen.fabric import ACTIVE, PLANNED, Fabric, Subnet
from ibgen.spec import ClusterSpec, FabricSpec

from .opensm_expect import expect
from .opensm_options import Option, derived_options, given_options, merged
from .opensm_partitions import ManagedPartition, managed_partitions
from .partitions import PartitionPlan

__all__ = ["Manager", "ManagerHost", "Option", "decide", "expect"]

ROOTED = frozenset({"updn", "dnup", "ftree", "ar_updn", "ar_ftree"})
"""Engines that must be given the roots: found automatically they are wrong on fabrics of more than 20 leaves (measured)."""

FAT_TREES = frozenset({"ftree", "ar_ftree"})
"""Engines that must be given the compute ports: aggregation nodes and storage on spines break their ranking (measured)."""


@dataclass(frozen=True, slots=True)
class ManagerHost:
    """A port that a manager works through. Of several hosts the one with the highest priority is the master."""

    host: str
    hca: str
    port: int
    row: int  # of the subnet's Ports
    guid: int
    priority: int


@dataclass(frozen=True)
class Manager:
    """The manager of one subnet. Rows are rows of the subnet's tables."""

    subnet: int  # row of `fabric.subnets`
    name: str  # the subnet's name
    flavour: str
    version: str | None
    engines: tuple[str, ...]
    options: tuple[Option, ...]
    hosts: tuple[ManagerHost, ...]  # the master first; empty where the spec names none
    roots: npt.NDArray[np.int32]  # the whole top tier; empty where no engine reads it
    compute: npt.NDArray[np.int32]  # compute ports; empty where no engine reads them
    partitions: tuple[ManagedPartition, ...]
    listed: npt.NDArray[np.bool_]  # ports whose GUIDs may stand in a file: all but planned ones that have none yet
    folder: str  # on the manager's host
    unbound_hosts: tuple[str, ...]  # hosts with ports that have no real GUID
    unbound_switches: tuple[str, ...]

    @property
    def synthetic(self) -> bool:
        """Whether any GUID in the files is made up: then the files must not be installed."""
        return bool(self.unbound_hosts or self.unbound_switches)

    @property
    def master(self) -> ManagerHost | None:
        return self.hosts[0] if self.hosts else None


def decide(
    spec: ClusterSpec, fabric: Fabric, partitions: tuple[PartitionPlan, ...], catalog: Catalog
) -> tuple[tuple[Manager, ...], tuple[Finding, ...]]:
    """One manager per InfiniBand subnet that OpenSM runs, in the order of the subnets."""
    plans = {plan.subnet: plan for plan in partitions}
    ours = [
        row
        for row, subnet in enumerate(fabric.subnets)
        if spec.fabrics[subnet.fabric].kind == "infiniband" and spec.fabrics[subnet.fabric].control.kind == "opensm"
    ]
    managers, findings = [], []
    for row in ours:
        # Two managers on one host need a folder each; one alone lives where the distribution's service looks.
        folder = "/etc/opensm" if len(ours) == 1 else f"/etc/opensm/{fabric.subnets[row].name}"
        manager, found = _manager(spec, fabric, row, plans[fabric.subnets[row].name], catalog, folder)
        managers.append(manager)
        findings.extend(found)
    return tuple(managers), tuple(findings)


def _manager(
    spec: ClusterSpec, fabric: Fabric, row: int, plan: PartitionPlan, catalog: Catalog, folder: str
) -> tuple[Manager, list[Finding]]:
    subnet = fabric.subnets[row]
    declared = spec.fabrics[subnet.fabric]
    listed = subnet.ports.bound | (subnet.ports.state != PLANNED)
    hosts = _hosts(fabric, subnet, declared)
    partitions = managed_partitions(plan, subnet, declared, listed)
    given, findings = given_options(declared.control, subnet.fabric, catalog)
    engines = _engines(declared, subnet, given)
    roots = subnet.tier(subnet.top).astype(np.int32) if ROOTED.intersection(engines) else np.zeros(0, np.int32)
    wanted = subnet.ports.compute & listed if FAT_TREES.intersection(engines) else np.zeros_like(listed)
    compute = np.flatnonzero(wanted).astype(np.int32)
    derived = derived_options(
        declared.control,
        engines=engines,
        hosts=tuple((h.host, h.hca, h.guid, h.priority) for h in hosts),
        folder=folder,
        roots=bool(len(roots)),
        compute=bool(len(compute)),
        service_levels=tuple(p.group.sl for p in partitions if p.group),
        virtual=any(spec.pools[p].sriov for p in np.unique(fabric.hosts.pool[subnet.ports.host]).tolist()),
    )
    unbound = np.unique(subnet.ports.host[listed & ~subnet.ports.bound]).tolist()
    manager = Manager(
        subnet=row,
        name=subnet.name,
        flavour=declared.control.flavour,
        version=declared.control.version,
        engines=engines,
        options=merged(derived, given),
        hosts=hosts,
        roots=roots,
        compute=compute,
        partitions=partitions,
        listed=listed,
        folder=folder,
        unbound_hosts=tuple(fabric.hosts.names[h] for h in unbound),
        unbound_switches=tuple(subnet.switches.names[s] for s in np.flatnonzero(~subnet.switches.bound).tolist()),
    )
    return manager, findings


def _hosts(fabric: Fabric, subnet: Subnet, declared: FabricSpec) -> tuple[ManagerHost, ...]:
    """The manager's ports: of each host the first attached adapter, one that is in service before one that is not. A host that
    is not attached is a rule's to name."""
    found: list[ManagerHost] = []
    names = declared.control.hosts
    for place, name in enumerate(names):
        rows = np.flatnonzero(subnet.ports.host == fabric.hosts.row.get(name, -1))
        if len(rows):
            row = int(min(rows.tolist(), key=lambda r: (int(subnet.ports.state[r]) != ACTIVE, r)))
            hca = fabric.hosts.platforms[int(fabric.hosts.pool[subnet.ports.host[row]])].hcas[int(subnet.ports.hca[row])].name
            guid = int(subnet.ports.port_guid[row])
            found.append(ManagerHost(name, hca, int(subnet.ports.port[row]), row, guid, len(names) - place))
    return tuple(found)


def _engines(declared: FabricSpec, subnet: Subnet, given: tuple[Option, ...]) -> tuple[str, ...]:
    """The engines as asked for, or those that suit the shape and the manager.

    One switch needs no more than minhop. Trees get NVIDIA's adaptive engine where the manager has it, else static ftree, which
    spreads evenly where minhop and updn collapse (three tiers, measured), with updn behind it for trees that lost a part.
    Cables written out by hand are rarely regular enough for ftree: two tiers get updn, switches of one tier minhop.
    """
    asked = next((o.value for o in given if o.name == "routing_engine"), None)
    if asked is not None:
        return tuple(engine.strip() for engine in asked.split(","))
    if declared.control.routing:
        return declared.control.routing
    if subnet.top == 0:
        return ("minhop",)
    if declared.control.flavour == "nvidia":
        return ("ar_updn",)
    if subnet.plan is None and subnet.top == 1:
        return ("updn",)
    return ("ftree", "updn")
