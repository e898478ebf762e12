from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG314", "manager-off-fabric", Severity.ERROR)
def manager_off_fabric(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A subnet manager's host has no port on the fabric it is to manage.

    Bad:
        fabrics: [{name: compute, attach: [{pool: gpu, hcas: compute}]}]
    Good:
        fabrics: [{name: compute, attach: [{pool: gpu, hcas: compute}, {pool: service, hcas: all, at: reserved}]}]
    """
    for subnet in fabric.subnets:
        control = spec.fabrics[subnet.fabric].control
        if control.kind != "opensm":
            continue
        present = set(subnet.ports.host.tolist())
        for n, name in enumerate(control.hosts):
            if name in fabric.hosts.row and fabric.hosts.row[name] not in present:
                yield manager_off_fabric.finding(
                    f"`{name}` has no port on `{subnet.name}`",
                    ("fabrics", subnet.fabric, "control", "hosts", n),
                    hint="attach its pool, for example with `at: reserved`",
                )
