from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, GroupPlan
from ibgen.spec import ClusterSpec


@rule("IBG207", "reserve-adds-unit", Severity.WARNING)
def reserve_adds_unit(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Reserved ports alone make the fabric one unit larger, or one group.

    The published designs give up one host slot for the managers' ports instead: 127 hosts, not 128, in four units
    of 32 (DGX SuperPOD reference architecture, Network Fabrics, Table 4). A group of a dragonfly costs more still: its routers,
    and cables to every other group.

    Bad:
        fabrics: [{name: compute, topology: {unit: 4, reserve: {ufm: 2}}}]
    Good:
        fabrics: [{name: compute, topology: {unit: 5, leaf: {downlinks: 40}, reserve: {ufm: 2}}}]
        requirements: {oversubscription: 2}
    """
    for subnet in fabric.subnets:
        grouped = isinstance(subnet.layout, GroupPlan)
        if subnet.plane != 1 or not len(subnet.reserved.leaf) or not (subnet.plan is not None or grouped):
            continue
        at = subnet.switches.pod if grouped else subnet.switches.unit
        hosts_in = set(at[subnet.ports.leaf[subnet.ports.rail >= 0]].tolist())
        only_reserved = sorted(set(at[subnet.reserved.leaf].tolist()) - hosts_in)
        if only_reserved:
            word = "group" if grouped else "unit"
            added = int((at == only_reserved[0]).sum())
            yield reserve_adds_unit.finding(
                f"{word} {only_reserved[0]} holds nothing but reserved ports",
                ("fabrics", subnet.fabric, "topology", "reserve"),
                label=f"does not fit into the {word}s the hosts fill",
                hint="leave a host slot free, or make "
                + ("the groups larger (`a`, `p`, or the leaves' downlinks)" if grouped else "`unit` larger"),
                facts={"switches_added": added} if grouped else {"leaves_added": added},
            )
