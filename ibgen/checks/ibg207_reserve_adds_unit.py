from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec, FatTree


@rule("IBG207", "reserve-adds-unit", Severity.WARNING)
def reserve_adds_unit(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Reserved ports alone make the fabric one unit larger.

    The published designs give up one host slot for the managers' ports instead: 127 hosts, not 128, in four units
    of 32 (DGX SuperPOD reference architecture, Network Fabrics, Table 4).

    Bad:
        fabrics: [{name: compute, topology: {unit: 4, reserve: {ufm: 2}}}]
    Good:
        fabrics: [{name: compute, topology: {unit: 5, leaf: {downlinks: 40}, reserve: {ufm: 2}}}]
        requirements: {oversubscription: 2}
    """
    for subnet in fabric.subnets:
        topology = spec.fabrics[subnet.fabric].topology
        if subnet.plan is None or not isinstance(topology, FatTree) or not topology.reserve or subnet.plane != 1:
            continue
        hosts_in = set(subnet.switches.unit[subnet.ports.leaf[subnet.ports.rail >= 0]].tolist())
        only_reserved = sorted(set(subnet.switches.unit[subnet.reserved.leaf].tolist()) - hosts_in)
        if only_reserved:
            yield reserve_adds_unit.finding(
                f"unit {only_reserved[0]} holds nothing but reserved ports",
                ("fabrics", subnet.fabric, "topology", "reserve"),
                label="does not fit into the units the hosts fill",
                hint="leave a host slot free, or make `unit` larger",
                facts={"leaves_added": int((subnet.switches.unit == only_reserved[0]).sum())},
            )
