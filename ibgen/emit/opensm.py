"""`opensm/<subnet>/`: opensm.conf, partitions.conf, the GUID lists its engines read, node-name-map, install.sh.

Takes the `Manager`s. Every construction here answers a way in which OpenSM 3.3 fails open (measured on the real program): a
file it cannot read to the end makes every port a full member of everything, with a line in the log and exit 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import numpy.typing as npt

from ibgen.compilation import Complete
from ibgen.fabric import Fabric, Subnet
from ibgen.hostlist import fold
from ibgen.targets.opensm import Manager
from ibgen.targets.opensm_partitions import BroadcastGroup, ManagedPartition
from ibgen.targets.partitions import FULL
from ibgen.units import gbps_text

from . import Artifact, emitter
from .text import header, jinja_environment

SYNTHETIC = "SYNTHETIC GUIDS: do not install"
"""First line, behind the comment sign, of every file with a GUID that is made up. install.sh looks for it."""

MEMBERS_A_LINE = 100
"""OpenSM cuts a line of partitions.conf at about 4,090 characters, through a GUID if need be, and drops the whole file
(measured). 100 members take 2,700."""


@emitter("opensm")
def opensm(c: Complete) -> Iterator[Artifact]:
    """One folder per manager."""
    for manager in c.targets.opensm:
        subnet = c.fabric.subnets[manager.subnet]
        texts = {
            "opensm.conf": _conf(c.spec.cluster, manager),
            "partitions.conf": _partitions(c.spec.cluster, manager, subnet),
            "node-name-map": _names(c.spec.cluster, manager, c.fabric, subnet),
        }
        if len(manager.roots):
            texts["root-guids.conf"] = _roots(c.spec.cluster, manager, subnet)
        if len(manager.compute):
            texts["cn-guids.conf"] = _compute(c.spec.cluster, manager, c.fabric, subnet)
        for name, text in sorted(texts.items()):
            yield Artifact(f"opensm/{manager.name}/{name}", text.encode())
        yield Artifact(f"opensm/{manager.name}/install.sh", _install(c.spec.cluster, manager, sorted(texts)).encode(), 0o755)


def first_lines(cluster: str, synthetic: bool) -> list[str]:
    """The head of a file that names GUIDs."""
    return [f"# {SYNTHETIC}"] * synthetic + [f"# {header(cluster)}"]


def _conf(cluster: str, manager: Manager) -> str:
    groups = [(heading, list(options)) for heading, options in groupby(manager.options, key=lambda o: o.group)]
    first = "\n".join(first_lines(cluster, manager.synthetic and manager.master is not None))
    return jinja_environment("opensm").get_template("opensm.conf.j2").render(first=first, groups=groups)


def _partitions(cluster: str, manager: Manager, subnet: Subnet) -> str:
    guids = _hex(subnet.ports.port_guid)
    lines = first_lines(cluster, manager.synthetic)
    for partition in manager.partitions:
        lines += ["", *_partition(partition, guids)]
    return "\n".join(lines) + "\n"


def _partition(partition: ManagedPartition, guids: list[str]) -> list[str]:
    """One partition. The name is always followed by `=`, every member says its membership, `;` ends the last member's line."""
    group = partition.group
    flags = [f"{partition.name}=0x{partition.pkey:04x}", *["indx0"] * partition.indx0, *_flags(group), "defmember=limited"]
    # Later lines win, so the many come before the few.
    members = [] if partition.everyone is None else [f"ALL={_word(partition.everyone)}", "SELF=full"]
    members += [f"{guids[r]}=full" for r in partition.full.tolist()]
    members += [f"{guids[r]}=limited" for r in partition.limited.tolist()]
    members += [f"0x{guid:016x}={_word(level)}" for guid, level in partition.others]
    chunks = [", ".join(members[i : i + MEMBERS_A_LINE]) for i in range(0, len(members), MEMBERS_A_LINE)]
    said = [f"# {partition.name}: {_group_words(group)}"]
    return [*said, f"{', '.join(flags)} :", *(f"  {chunk}," for chunk in chunks[:-1]), f"  {chunks[-1]} ;"]


def _flags(group: BroadcastGroup | None) -> list[str]:
    return [] if group is None else ["ipoib", f"mtu={group.mtu}", f"rate={group.rate}", *[f"sl={group.sl}"] * (group.sl > 0)]


def _group_words(group: BroadcastGroup | None) -> str:
    if group is None:
        return "no IPoIB"
    return f"IPoIB at {gbps_text(group.rate_gbps)}, MTU {group.mtu_bytes}" + f", service level {group.sl}" * (group.sl > 0)


def _word(level: int) -> str:
    return "full" if level == FULL else "limited"


def _roots(cluster: str, manager: Manager, subnet: Subnet) -> str:
    guids = _hex(subnet.switches.guid)
    lines = [f"{guids[r]} # {subnet.switches.names[r]}" for r in manager.roots.tolist()]
    return "\n".join([*first_lines(cluster, manager.synthetic), "# node GUIDs of the top tier", *lines]) + "\n"


def _compute(cluster: str, manager: Manager, fabric: Fabric, subnet: Subnet) -> str:
    guids, names = _hex(subnet.ports.port_guid), port_names(fabric, subnet)
    lines = [f"{guids[r]} # {names[r]}" for r in manager.compute.tolist()]
    return "\n".join([*first_lines(cluster, manager.synthetic), "# port GUIDs of the compute adapters", *lines]) + "\n"


def _names(cluster: str, manager: Manager, fabric: Fabric, subnet: Subnet) -> str:
    """Node GUIDs with names, switches first; the ports of one adapter share a node GUID and a line."""
    lines = [f'{g} "{n}"' for g, n in zip(_hex(subnet.switches.guid), subnet.switches.names, strict=True)]
    rows = np.flatnonzero(manager.listed)
    names = port_names(fabric, subnet)
    nodes = _hex(subnet.ports.node_guid)
    lines += dict.fromkeys(f'{nodes[r]} "{names[r]}"' for r in rows.tolist())
    return "\n".join([*first_lines(cluster, manager.synthetic), *lines]) + "\n"


def port_names(fabric: Fabric, subnet: Subnet) -> list[str]:
    """Per port the node description that rdma-ndd gives its adapter: `dgx-001 mlx5_0`."""
    adapters = [[hca.name for hca in platform.hcas] for platform in fabric.hosts.platforms]
    ports, names = subnet.ports, fabric.hosts.names
    pools = fabric.hosts.pool[ports.host].tolist()
    return [f"{names[h]} {adapters[p][a]}" for h, p, a in zip(ports.host.tolist(), pools, ports.hca.tolist(), strict=True)]


def _hex(guids: npt.NDArray[np.uint64]) -> list[str]:
    return [f"0x{g:016x}" for g in guids.tolist()]


def _install(cluster: str, manager: Manager, files: list[str]) -> str:
    hosts = [{"host": h.host, "guid": f"0x{h.guid:016x}", "priority": h.priority} for h in manager.hosts]
    template = jinja_environment("opensm").get_template("install.sh.j2")
    return template.render(
        header=header(cluster),
        folder=manager.folder,
        files=files,
        hosts=hosts,
        marker=SYNTHETIC,
        unbound=fold(manager.unbound_hosts) if manager.unbound_hosts else "",
    )
