from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG313", "manager-without-host", Severity.WARNING)
def manager_without_host(spec: ClusterSpec) -> Iterator[Finding]:
    """The spec does not say on which hosts OpenSM runs.

    Without a host there is no port GUID to write into `guid`, and OpenSM takes the first port it finds, an
    Ethernet one where names sort that way (linux-rdma/opensm#40).

    Bad:
        fabrics: [{name: compute, control: {hosts: ~}}]
    Good:
        fabrics: [{name: compute, control: {hosts: [ufm-01, ufm-02]}}]
    """
    for i, fabric in enumerate(spec.fabrics):
        if fabric.control.kind == "opensm" and not fabric.control.hosts:
            yield manager_without_host.finding(
                f"nobody runs the subnet manager of `{fabric.name}`",
                ("fabrics", i, "control"),
                on="key",
                label="no `hosts`",
                hint="name the hosts, master first: `hosts: [sm-01, sm-02]`",
            )
