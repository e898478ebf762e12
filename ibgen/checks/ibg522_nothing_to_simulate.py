from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import ACTIVE, Fabric
from ibgen.spec import ClusterSpec


@rule("IBG522", "nothing-to-simulate", Severity.WARNING)
def nothing_to_simulate(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A fabric on which no two endpoints are in service: there is no traffic to judge.

    Bandwidth is counted from cables all the same, and every share of a traffic pattern is that of an empty fabric. Make planned
    hosts active before the figures are read.

    Bad:
        pools:
          - {name: gpu, exceptions: [{hosts: "node-[01-04]", state: planned}]}
          - {name: service, exceptions: [{hosts: ufm-02, state: planned}]}
    Good:
        pools:
          - {name: gpu, exceptions: [{hosts: node-04, state: planned}]}
    """
    for row, declared in enumerate(spec.fabrics):
        ports = [s.ports.state for s in fabric.of(row)]
        active = sum(int((state == ACTIVE).sum()) for state in ports)
        if ports and active < 2:
            count = "no endpoint is" if not active else "one endpoint is"
            yield nothing_to_simulate.finding(
                f"{count} in service on `{declared.name}`: it has no traffic to simulate",
                ("fabrics", row, "attach"),
                on="key",
                hint="attach more hosts, or make planned ones active",
                facts={"endpoints": sum(len(state) for state in ports), "active": active},
            )
