from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, Subnet
from ibgen.spec import ClusterSpec


@rule("IBG376", "guid-of-the-spec", Severity.ERROR)
def guid_of_the_spec(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A partition member's GUID belongs to a host or a switch that the spec itself describes.

    `guid` is for ports outside the spec. A port that is a host's is a member twice, and with two memberships the line that
    stands later in the file decides (measured). A node GUID is none of OpenSM's members at all: where the adapter's port has
    another one, it is passed over without a word. Name the host and its adapter: they follow when the card is exchanged.

    Bad:
        bindings: lab.csv
        fabrics:
          - name: compute
            partitions: [{name: a, pkey: 0x0101, members: [{guid: "0x0002c90300a1b2c3", membership: full}]}]
        # file: lab.csv
        host,hca,port,node_guid,port_guid
        node-01,mlx5_0,1,0x0002c90300a1b2c2,0x0002c90300a1b2c3
    Good:
        bindings: lab.csv
        fabrics:
          - name: compute
            partitions: [{name: a, pkey: 0x0101, members: [{hosts: node-01, hcas: [mlx5_0], membership: full}]}]
        # file: lab.csv
        host,hca,port,node_guid,port_guid
        node-01,mlx5_0,1,0x0002c90300a1b2c2,0x0002c90300a1b2c3
    """
    wanted = {m.guid for f in spec.fabrics for p in f.partitions for m in p.members if m.guid is not None}
    if not wanted:
        return
    known: dict[int, str] = {}
    for subnet in fabric.subnets:
        known = _known(fabric, subnet, wanted) | known
    for i, declared in enumerate(spec.fabrics):
        for p, partition in enumerate(declared.partitions):
            for m, member in enumerate(partition.members):
                if member.guid in known:
                    yield guid_of_the_spec.finding(
                        f"0x{member.guid:016x} is {known[member.guid]}",
                        ("fabrics", i, "partitions", p, "members", m, "guid"),
                        hint="name the host and the adapter: `{hosts: ..., hcas: [...], membership: ...}`",
                    )


def _known(fabric: Fabric, subnet: Subnet, wanted: set[int]) -> dict[int, str]:
    """What each GUID is; a port before the node of the same number."""
    ports, sought = subnet.ports, np.array(sorted(wanted), dtype=np.uint64)
    switches = subnet.switches
    found = {int(switches.guid[s]): f"the switch `{switches.names[s]}`" for s in _rows(switches.guid, sought)}
    for what, guids in (("the node GUID, not a port's, of", ports.node_guid), ("a port of", ports.port_guid)):
        for row in _rows(guids, sought):
            hca = fabric.hosts.platforms[int(fabric.hosts.pool[ports.host[row]])].hcas[int(ports.hca[row])].name
            found[int(guids[row])] = f"{what} `{fabric.hosts.names[int(ports.host[row])]}` {hca}"
    return found


def _rows(guids: np.ndarray, sought: np.ndarray) -> list[int]:
    return [int(r) for r in np.flatnonzero(np.isin(guids, sought))]
