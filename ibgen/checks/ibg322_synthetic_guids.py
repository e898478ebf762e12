from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen import hostlist
from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import ACTIVE, Fabric, IslandPlan, Subnet
from ibgen.spec import ClusterSpec


@rule("IBG322", "synthetic-guids", Severity.WARNING)
def synthetic_guids(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """GUIDs are made up because no bindings say which adapter is which.

    The files show what the real ones will look like, carry a first line that says so, and their install script
    refuses them. A subnet with only some bindings counts as unbound; ports that are planned or out of service need none.
    `--require-bindings` makes this an error.

    Bad:
        cluster: lab
    """
    for alike in _said_together(fabric):
        subnet, declared = alike[0], spec.fabrics[alike[0].fabric]
        hosts = [s.ports.host[~s.ports.bound & (s.ports.state == ACTIVE)] for s in alike]
        switches = sum(int((~s.switches.bound).sum()) for s in alike)
        unbound = sum(map(len, hosts))
        if declared.control.kind != "opensm" or (not unbound and not switches):
            continue
        partly = spec.bindings is not None
        missing = hostlist.fold(sorted({fabric.hosts.names[h] for h in np.concatenate(hosts).tolist()}))
        shown = missing if len(missing) <= 80 else missing[:77] + "..."
        name = subnet.name if len(alike) == 1 else declared.name
        yield synthetic_guids.finding(
            f"`{name}` is written with synthetic GUIDs" + (f": no binding for {shown}" if partly and missing else ""),
            ("bindings",) if partly else ("fabrics", subnet.fabric, "name"),
            hint="complete the bindings file"
            if partly
            else "bind them: `bindings: <file>.csv` (host,hca,port,node_guid,port_guid,...)",
            facts={"ports_unbound": unbound, "switches_unbound": switches},
        )


def _said_together(fabric: Fabric) -> list[list[Subnet]]:
    """Subnets one by one, but for the rails of a rail-only fabric."""
    found: list[list[Subnet]] = []
    for subnet in fabric.subnets:
        if found and isinstance(subnet.layout, IslandPlan) and found[-1][0].fabric == subnet.fabric:
            found[-1].append(subnet)
        else:
            found.append([subnet])
    return found
