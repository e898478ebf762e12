from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import ACTIVE, PLANNED, Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets


@rule("IBG373", "manager-out-of-service", Severity.ERROR)
def manager_out_of_service(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """No subnet manager has a port that is in service; or (a warning) one of several has not.

    OpenSM ends at once when the port of its `guid` is not there (`ERR 5422: Unable to find requested CA guid`, measured), and
    a fabric without a manager gives nobody a LID.

    Bad:
        pools: [{name: service, exceptions: [{hosts: "ufm-[01-02]", state: planned}]}]
    Good:
        pools: [{name: service, exceptions: []}]
    """
    for manager in targets.opensm:
        state = fabric.subnets[manager.subnet].ports.state
        out = [h for h in manager.hosts if state[h.row] != ACTIVE]
        names = spec.fabrics[manager.fabric].control.hosts
        for host in out:
            alone = len(out) == len(manager.hosts)
            word = "planned" if state[host.row] == PLANNED else "down"
            yield manager_out_of_service.finding(
                f"{host.hca} of `{host.host}` is {word}: no manager runs on `{manager.name}` through it",
                ("fabrics", manager.fabric, "control", "hosts", names.index(host.host)),
                hint="name a host that is in service",
                severity=None if alone else Severity.WARNING,
            )
