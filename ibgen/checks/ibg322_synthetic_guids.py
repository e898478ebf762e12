from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen import hostlist
from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG322", "synthetic-guids", Severity.WARNING)
def synthetic_guids(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """GUIDs are made up because no bindings say which adapter is which.

    The files show what the real ones will look like, carry a first line that says so, and their install script
    refuses them. A subnet with only some bindings counts as unbound. `--require-bindings` makes this an error.

    Bad:
        cluster: lab
    """
    for subnet in fabric.subnets:
        declared = spec.fabrics[subnet.fabric]
        unbound = np.flatnonzero(~subnet.ports.bound)
        if declared.control.kind != "opensm" or (not len(unbound) and subnet.switches.bound.all()):
            continue
        partly = spec.bindings is not None
        missing = hostlist.fold(sorted({fabric.hosts.names[h] for h in subnet.ports.host[unbound].tolist()}))
        shown = missing if len(missing) <= 80 else missing[:77] + "..."
        yield synthetic_guids.finding(
            f"`{subnet.name}` is written with synthetic GUIDs" + (f": no binding for {shown}" if partly and missing else ""),
            ("bindings",) if partly else ("fabrics", subnet.fabric, "name"),
            hint="complete the bindings file"
            if partly
            else "bind them: `bindings: <file>.csv` (host,hca,port,node_guid,port_guid,...)",
            facts={"ports_unbound": len(unbound), "switches_unbound": int((~subnet.switches.bound).sum())},
        )
