"""What the subnet manager of each InfiniBand subnet will be told: engines, options, GUID lists, partitions.

Takes `ClusterSpec`, `Fabric`, the partition plans and the catalog. Gives one `Manager` per subnet whose `control.kind` is
opensm; where a provider or UFM runs the fabric there is nothing to write. `expect` says what OpenSM must make of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ibgen.catalog import Catalog
from ibgen.diagnostics import Finding
from ibgen.fabric import ACTIVE, Fabric, Subnet
from ibgen.spec import ClusterSpec, FabricSpec

from . import opensm_files, opensm_qos
from .opensm_expect import expect
from .opensm_files import FilePlan
from .opensm_handover import Handover, handover
from .opensm_lines import Option, merged
from .opensm_options import Known, derived_options, given_options, guid_option, priority_option
from .opensm_partitions import ManagedPartition, managed_partitions
from .opensm_qos import QosPlan
from .opensm_routing import FAT_TREES, ROOTED, Choice, choose, roots_of
from .opensm_traffic import adaptive_options, congestion_options, qos_options
from .partitions import PartitionPlan

__all__ = ["Manager", "ManagerHost", "Option", "decide", "expect"]


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
    fabric: int  # row of `spec.fabrics`
    name: str  # the subnet's name
    flavour: Literal["upstream", "nvidia"]
    version: str | None
    engines: tuple[str, ...]
    options: tuple[Option, ...]  # the master's; `options_of` gives another host's
    hosts: tuple[ManagerHost, ...]  # the master first; empty where the spec names none
    roots: npt.NDArray[np.int32]  # the top tier (`roots_of`); empty where no engine reads it
    compute: npt.NDArray[np.int32]  # compute ports; empty where no engine reads them
    partitions: tuple[ManagedPartition, ...]
    listed: npt.NDArray[np.bool_]  # ports whose GUIDs may stand in a file: all but planned ones that have none yet
    folder: str  # on the manager's host
    unbound_hosts: tuple[str, ...]  # hosts with ports that have no real GUID
    unbound_switches: tuple[str, ...]
    qos: QosPlan | None
    files: FilePlan
    lists: tuple[str, ...]  # the file names of every list beside opensm.conf, sorted
    secrets: tuple[tuple[str, str, str], ...]  # (option, "file" or "env", where)
    overridden: frozenset[str]  # options that the spec gives by hand in the place of a derived one
    handover: Handover | None  # None with fewer than two hosts

    @property
    def synthetic(self) -> bool:
        """Whether any GUID in the files is made up: then the files must not be installed."""
        return bool(self.unbound_hosts or self.unbound_switches)

    @property
    def master(self) -> ManagerHost | None:
        return self.hosts[0] if self.hosts else None

    def options_of(self, host: ManagerHost) -> tuple[Option, ...]:
        """The lines of one host's opensm.conf: its own port and priority, everything else the same."""
        numbers = _numbers(self.hosts)
        own = {
            "guid": guid_option(host.host, host.hca, host.guid),
            "sm_priority": priority_option(host.host, host.priority, numbers),
        }
        return tuple(own[o.name] if o.name in own and o.group != "From control.options" else o for o in self.options)


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
    listed = subnet.ports.bound | (subnet.ports.state == ACTIVE)
    hosts = _hosts(fabric, subnet, declared)
    partitions = managed_partitions(plan, subnet, declared, listed)
    given, findings = given_options(declared.control, subnet.fabric, catalog)
    choice = choose(declared.control, subnet)
    roots, compute = _read_by(choice, subnet, listed)
    qos = opensm_qos.plan(spec, fabric, subnet, declared, partitions, listed)
    files, found = opensm_files.plan(declared.control, fabric, subnet, listed)
    lists = _lists(declared, roots, compute, qos, files)
    virtual = any(spec.pools[p].sriov for p in np.unique(fabric.hosts.pool[subnet.ports.host]).tolist())
    prefix = declared.control.subnet_prefix + subnet.plane - 1
    known = Known(declared.control, choice, _numbers(hosts), folder, lists, files.reverse_hops, virtual, prefix)
    derived = tuple(_derived(known, declared, partitions, qos))
    options = merged(derived, given)
    unbound_hosts, unbound_switches = _unbound(fabric, subnet, listed)
    manager = Manager(
        subnet=row,
        fabric=subnet.fabric,
        name=subnet.name,
        flavour=declared.control.flavour,
        version=declared.control.version,
        engines=choice.engines,
        options=options,
        hosts=hosts,
        roots=roots,
        compute=compute,
        partitions=partitions,
        listed=listed,
        folder=folder,
        unbound_hosts=unbound_hosts,
        unbound_switches=unbound_switches,
        qos=qos,
        files=files,
        lists=lists,
        secrets=_secrets(declared),
        # the prefix stands in the spec even where it is the default one and no line says so
        overridden=frozenset({"subnet_prefix", *(o.name for o in derived)}) & frozenset(o.name for o in given),
        handover=handover(options) if len(hosts) > 1 else None,
    )
    return manager, [*findings, *found]


def _read_by(
    choice: Choice, subnet: Subnet, listed: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Roots and compute ports, each where an engine reads them."""
    roots = roots_of(subnet) if ROOTED.intersection(choice.engines) else np.zeros(0, np.int32)
    wanted = subnet.ports.compute & listed if FAT_TREES.intersection(choice.engines) else np.zeros_like(listed)
    return roots, np.flatnonzero(wanted).astype(np.int32)


def _unbound(fabric: Fabric, subnet: Subnet, listed: npt.NDArray[np.bool_]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of hosts and switches with a GUID that is made up."""
    hosts = np.unique(subnet.ports.host[listed & ~subnet.ports.bound]).tolist()
    switches = np.flatnonzero(~subnet.switches.bound).tolist()
    return tuple(fabric.hosts.names[h] for h in hosts), tuple(subnet.switches.names[s] for s in switches)


def _derived(
    known: Known, declared: FabricSpec, partitions: tuple[ManagedPartition, ...], qos: QosPlan | None
) -> Iterator[Option]:
    used = frozenset(p.group.sl for p in partitions if p.group and p.group.sl)
    yield from derived_options(known)
    yield from qos_options(qos, known.choice.engines, used, known.folder)
    yield from adaptive_options(declared.adaptive, declared)
    yield from congestion_options(declared.congestion, declared, known.folder)


def _lists(
    declared: FabricSpec, roots: npt.NDArray[np.int32], compute: npt.NDArray[np.int32], qos: QosPlan | None, files: FilePlan
) -> tuple[str, ...]:
    """The files beside opensm.conf."""
    asked, nvidia = declared.control.files, declared.control.flavour == "nvidia"
    present = {
        "partitions.conf": True,
        "node-name-map": True,
        "root-guids.conf": len(roots),
        "cn-guids.conf": len(compute),
        "io-guids.conf": len(files.storage),
        "switch-ids.conf": len(files.switch_ids),
        "routing-order.conf": len(files.routing_order),
        "hop-weights.conf": len(files.hop_weights),
        "port-order.conf": len(files.port_order),
        "guid2lid": len(files.port_lids),
        "prefix-routes.conf": len(asked.prefix_routes),
        "per-module-logging.conf": len(asked.logging),
        "qos-policy.conf": qos is not None,
        "congestion-policy.conf": nvidia and declared.congestion is not None and declared.congestion.algorithm is not None,
    }
    return tuple(sorted(name for name, there in present.items() if there))


def _secrets(declared: FabricSpec) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (name, "file" if secret.file else "env", secret.file or secret.env or "")
        for name, secret in sorted(declared.control.secrets.items())
    )


def _numbers(hosts: tuple[ManagerHost, ...]) -> tuple[tuple[str, str, int, int], ...]:
    return tuple((h.host, h.hca, h.guid, h.priority) for h in hosts)


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
