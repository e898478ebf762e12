"""`ufm/<subnet>/`: what UFM takes, and never an opensm.conf, which UFM writes itself.

Takes the `UfmFabric`s. `opensm.conf.user_ext` holds options for its manager, `partitions.sh` sets partitions through its REST
interface, `point-to-point.csv` is the cabling as pairs of ports.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from ibgen.compilation import Complete
from ibgen.fabric import HOST_CABLE, Fabric, Subnet, port_labels
from ibgen.targets.opensm_partitions import ManagedPartition
from ibgen.targets.partitions import FULL
from ibgen.targets.ufm import UfmFabric
from ibgen.units import OPENSM_MTUS

from . import Artifact, emitter
from .opensm import port_names
from .opensm_files import SYNTHETIC, first_lines
from .text import jinja_environment

SHEET_HEADER = "source_device,source_port,destination_device,destination_port,rate_gbps"


@emitter("ufm")
def ufm(c: Complete) -> Iterator[Artifact]:
    """One folder per subnet under UFM."""
    for managed in c.targets.ufm:
        subnet = c.fabric.subnets[managed.subnet]
        if managed.options:
            yield Artifact(f"{managed.folder}/opensm.conf.user_ext", options(managed, c.spec.cluster).encode())
        if managed.partitions:
            mode = 0o644 if managed.unbound else 0o755
            yield Artifact(f"{managed.folder}/partitions.sh", partitions(managed, subnet, c.spec.cluster).encode(), mode)
        yield Artifact(f"{managed.folder}/point-to-point.csv", sheet(c.fabric, subnet).encode())


def options(managed: UfmFabric, cluster: str) -> str:
    """The lines that are added to UFM's opensm.conf. Unverified: the file's name and that UFM reads it."""
    lines = ["", "# Unverified: that UFM adds a file of this name to the opensm.conf it writes; else set these in gv.cfg."]
    for option in managed.options:
        lines += ["", f"# {option.reason}", f"{option.name} {option.value}"]
    return "\n".join([*first_lines(cluster, False), *lines]) + "\n"


def partitions(managed: UfmFabric, subnet: Subnet, cluster: str) -> str:
    """The script that makes UFM's partitions those of the spec. A call sets a whole partition, so again is harmless."""
    calls = [(f"0x{p.pkey:x}", p.name, _body(p, subnet), _qos(p)) for p in managed.partitions]
    first = first_lines(cluster, managed.unbound)
    return (
        jinja_environment("ufm")
        .get_template("partitions.sh.j2")
        .render(first=first, unbound=managed.unbound, marker=SYNTHETIC, limited=managed.limited, calls=calls)
    )


def _body(partition: ManagedPartition, subnet: Subnet) -> str:
    guids = subnet.ports.port_guid
    members = [(int(g), "full") for g in guids[np.concatenate([partition.full, partition.both])].tolist()]
    members += [(int(g), "limited") for g in guids[partition.limited].tolist()]
    members += [(guid, "full" if level == FULL else "limited") for guid, level in partition.others]
    # one member a line, so that a change of one shows as one
    rows = ",\n".join(f'  "{guid:016x}"' for guid, _ in members)
    levels = json.dumps([level for _, level in members])
    head = {"pkey": f"0x{partition.pkey:x}", "index0": partition.indx0, "ip_over_ib": partition.group is not None}
    return f'{json.dumps(head)[:-1]}, "memberships": {levels}, "guids": [\n{rows}\n]}}'


def _qos(partition: ManagedPartition) -> str:
    """MTU in KB, rate in Gb/s; nothing where there is no IPoIB."""
    group = partition.group
    if group is None or group.mtu_bytes not in OPENSM_MTUS or group.mtu_bytes < 2048:
        return ""
    body = {"pkey": f"0x{partition.pkey:x}", "mtu_limit": group.mtu_bytes // 1024, "service_level": group.sl}
    return json.dumps(body | {"rate_limit": group.rate_gbps})


def sheet(fabric: Fabric, subnet: Subnet) -> str:
    """The cabling as pairs of ports, hosts' cables first; switch ports by their labels."""
    cables, switches = subnet.cables, subnet.switches.names
    labels = [port_labels(subnet, s) for s in range(len(switches))]
    names = port_names(fabric, subnet)
    lines = [SHEET_HEADER]
    rates = cables.rate_gbps.tolist()
    for row in np.argsort(cables.kind, kind="stable").tolist():
        lower, port = int(cables.lower[row]), int(cables.lower_port[row])
        if int(cables.kind[row]) == HOST_CABLE:
            source, label = names[lower], str(port)
        else:
            source, label = switches[lower], labels[lower][port]
        upper = int(cables.upper[row])
        lines.append(f"{source},{label},{switches[upper]},{labels[upper][int(cables.upper_port[row])]},{rates[row]:g}")
    return "\n".join(lines) + "\n"
