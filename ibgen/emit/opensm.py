"""`opensm/<subnet>/`: partitions.conf, the lists its engines read, install.sh; `<host>/opensm.conf` for each host.

Takes the `Manager`s. Every construction here answers a way in which OpenSM 3.3 fails open (measured on the real program): a
file it cannot read to the end makes every port a full member of everything, with a line in the log and exit 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from ibgen.catalog import standard
from ibgen.catalog.opensm import restart_options
from ibgen.compilation import Complete
from ibgen.fabric import Fabric, Subnet
from ibgen.hostlist import fold
from ibgen.targets.opensm import Manager, ManagerHost, Option
from ibgen.targets.opensm_options import DEFAULT_FOLDER
from ibgen.targets.opensm_partitions import BroadcastGroup, ManagedPartition
from ibgen.targets.partitions import BOTH, FULL, LIMITED
from ibgen.units import gbps_text

from . import Artifact, emitter
from .opensm_files import SYNTHETIC, asked_files, first_lines, hex_guids, port_list, switch_list
from .text import header, jinja_environment

WORDS = {LIMITED: "limited", FULL: "full", BOTH: "both"}

MEMBERS_A_LINE = 100
"""OpenSM cuts a line of partitions.conf at about 4,090 characters, through a GUID if need be, and drops the whole file
(measured). 100 members take 2,700."""


@emitter("opensm")
def opensm(c: Complete) -> Iterator[Artifact]:
    """One folder per manager: what its hosts share, and a folder for each of them."""
    for manager in c.targets.opensm:
        subnet = c.fabric.subnets[manager.subnet]
        first = first_lines(c.spec.cluster, manager.synthetic)
        texts = {
            "partitions.conf": _partitions(c.spec.cluster, manager, subnet),
            "node-name-map": _names(c.spec.cluster, manager, c.fabric, subnet),
            **asked_files(manager, c.spec.fabrics[subnet.fabric], subnet, port_names(c.fabric, subnet), c.spec.cluster),
        }
        if len(manager.roots):
            texts["root-guids.conf"] = switch_list(manager.roots, subnet, [*first, "# node GUIDs of the top tier"])
        if len(manager.compute):
            said = "# port GUIDs of the compute adapters"
            texts["cn-guids.conf"] = port_list(manager.compute, subnet, port_names(c.fabric, subnet), [*first, said])
        if sorted(texts) != list(manager.lists):
            raise AssertionError(f"{sorted(texts)} is not what was decided: {manager.lists}")
        for host in manager.hosts:
            texts[f"{host.host}/opensm.conf"] = _conf(c.spec.cluster, manager, manager.options_of(host))
            texts |= {f"{host.host}/{name}": text for name, text in _service(c.spec.cluster, manager, host).items()}
        if not manager.hosts:
            texts["opensm.conf"] = _conf(c.spec.cluster, manager, manager.options)
        for name, text in sorted(texts.items()):
            yield Artifact(f"opensm/{manager.name}/{name}", text.encode())
        yield Artifact(f"opensm/{manager.name}/install.sh", _install(c.spec.cluster, manager).encode(), 0o755)


def _conf(cluster: str, manager: Manager, options: tuple[Option, ...]) -> str:
    groups = [(heading, [_line(manager, o) for o in of]) for heading, of in groupby(options, key=lambda o: o.group)]
    first = "\n".join(first_lines(cluster, manager.synthetic and manager.master is not None))
    keys = [f"{name}: from the {'file' if kind == 'file' else 'variable'} {where}" for name, kind, where in manager.secrets]
    return jinja_environment("opensm").get_template("opensm.conf.j2").render(first=first, groups=groups, keys=keys)


def _line(manager: Manager, option: Option) -> dict[str, object]:
    reasons = [option.reason]
    if option.name == "sm_priority" and manager.handover is not None:
        how = f"{manager.handover.polling_ms} ms x {manager.handover.retries}"
        reasons.append(f"a standby takes over {manager.handover.said()} after the master's death ({how} unanswered polls)")
    return {"name": option.name, "value": option.value, "reasons": reasons}


def service_file(manager: Manager) -> str:
    """What starts the manager of a host: a drop-in for Debian's own service, a unit of its own for NVIDIA's."""
    return "opensm.dropin.conf" if manager.flavour == "upstream" else f"opensm-{manager.name}.service"


def _service(cluster: str, manager: Manager, host: ManagerHost) -> dict[str, str]:
    name = service_file(manager)
    template = jinja_environment("opensm").get_template("dropin.conf.j2" if manager.flavour == "upstream" else "service.j2")
    values = {"subnet": manager.name, "host": host.host, "folder": manager.folder, "cache": cache_folder(manager)}
    return {name: template.render(header=header(cluster), **values)}


def cache_folder(manager: Manager) -> str:
    """Where the manager keeps its LIDs: two managers on one host must not share it."""
    return "/var/cache/opensm" if manager.folder == DEFAULT_FOLDER else f"/var/cache/opensm/{manager.name}"


def _partitions(cluster: str, manager: Manager, subnet: Subnet) -> str:
    guids = hex_guids(subnet.ports.port_guid)
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
    members += [f"{guids[r]}=both" for r in partition.both.tolist()]
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
    return WORDS[level]


def _names(cluster: str, manager: Manager, fabric: Fabric, subnet: Subnet) -> str:
    """Node GUIDs with names, switches first; the ports of one adapter share a node GUID and a line."""
    lines = [f'{g} "{n}"' for g, n in zip(hex_guids(subnet.switches.guid), subnet.switches.names, strict=True)]
    rows = np.flatnonzero(manager.listed)
    names = port_names(fabric, subnet)
    nodes = hex_guids(subnet.ports.node_guid)
    lines += dict.fromkeys(f'{nodes[r]} "{names[r]}"' for r in rows.tolist())
    return "\n".join([*first_lines(cluster, manager.synthetic), *lines]) + "\n"


def port_names(fabric: Fabric, subnet: Subnet) -> list[str]:
    """Per port the node description that rdma-ndd gives its adapter: `dgx-001 mlx5_0`."""
    adapters = [[hca.name for hca in platform.hcas] for platform in fabric.hosts.platforms]
    ports, names = subnet.ports, fabric.hosts.names
    pools = fabric.hosts.pool[ports.host].tolist()
    return [f"{names[h]} {adapters[p][a]}" for h, p, a in zip(ports.host.tolist(), pools, ports.hca.tolist(), strict=True)]


def _install(cluster: str, manager: Manager) -> str:
    hosts = [{"host": h.host, "guid": f"0x{h.guid:016x}", "name": service_file(manager)} for h in manager.hosts]
    template = jinja_environment("opensm").get_template("install.sh.j2")
    return template.render(
        header=header(cluster),
        folder=manager.folder,
        cache=cache_folder(manager),
        files=[name for name in manager.lists if name != "guid2lid"],
        lids="guid2lid" in manager.lists,
        hosts=hosts,
        dropin=manager.flavour == "upstream",
        secrets=[{"name": name, "kind": kind, "where": where} for name, kind, where in manager.secrets],
        fixed="|".join(restart_options(standard(), manager.flavour)),
        marker=SYNTHETIC,
        unbound=fold(manager.unbound_hosts) if manager.unbound_hosts else "",
    )
