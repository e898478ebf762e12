from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Path, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets.sriov import needs_virtualisation, virtual_functions


@rule("IBG367", "vf-guid-taken", Severity.ERROR)
def vf_guid_taken(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A GUID of the bindings, or of a partition member, is one that a virtual function gets.

    The functions' GUIDs begin with 02, which no vendor uses, and follow from the hosts' names. A real adapter with the same
    one was given it by hand, or the function's GUID was bound as if it were an adapter's. OpenSM stops at a GUID it meets
    twice.

    Bad:
        pools: [{name: gpu, sriov: {vfs: 2}}]
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x02476043fc0f6001,0x9c63c00300a1b200

    Good:
        pools: [{name: gpu, sriov: {vfs: 2}}]
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
    """
    given = _given(spec, fabric)
    for subnet in fabric.subnets:
        if not needs_virtualisation(spec, fabric, subnet):
            continue
        functions = virtual_functions(spec, fabric, subnet)
        for guids, what in ((functions.node_guid, "node"), (functions.port_guid, "port")):
            taken = np.flatnonzero(np.isin(guids, np.array(sorted(given), dtype=np.uint64)))
            for row in taken.tolist():
                host = int(subnet.ports.host[functions.port[row]])
                hca = int(subnet.ports.hca[functions.port[row]])
                pool = int(fabric.hosts.pool[host])
                name = f"{fabric.hosts.names[host]}/{fabric.hosts.platforms[pool].hcas[hca].name}"
                yield vf_guid_taken.finding(
                    f"0x{int(guids[row]):016x} is the {what} GUID of function {int(functions.number[row])} of {name}",
                    given[int(guids[row])] or ("bindings",),
                    hint="give the adapter the GUID it was made with",
                )


def _given(spec: ClusterSpec, fabric: Fabric) -> dict[int, Path]:
    """GUIDs that are somebody's already, and where the spec says so (nowhere: in the bindings)."""
    given: dict[int, Path] = {}
    for subnet in fabric.subnets:
        ports, switches = subnet.ports, subnet.switches
        for guids in (ports.node_guid[ports.bound], ports.port_guid[ports.bound], switches.guid[switches.bound]):
            given |= dict.fromkeys(guids.tolist(), ())
    for i, fabric_spec in enumerate(spec.fabrics):
        for p, partition in enumerate(fabric_spec.partitions):
            for m, member in enumerate(partition.members):
                if member.guid is not None:
                    given[member.guid] = ("fabrics", i, "partitions", p, "members", m, "guid")
    return given
