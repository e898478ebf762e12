from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG312", "too-many-managers", Severity.WARNING)
def too_many_managers(spec: ClusterSpec) -> Iterator[Finding]:
    """A third subnet manager on one fabric.

    One master and one standby is the design that is tested everywhere. Further managers make it hard to say who
    rules after two failures, and are more often an accident than a plan (dell/omnia#422; needs K27).

    Bad:
        pools: [{name: service, hosts: "ufm-[01-03]"}]
        fabrics: [{name: compute, control: {hosts: [ufm-01, ufm-02, ufm-03]}, topology: {reserve: {ufm: 3}}}]
    Good:
        fabrics: [{name: compute, control: {hosts: [ufm-01, ufm-02]}}]
    """
    for i, fabric in enumerate(spec.fabrics):
        if len(fabric.control.hosts) > 2:
            yield too_many_managers.finding(
                f"{len(fabric.control.hosts)} subnet managers on `{fabric.name}`",
                ("fabrics", i, "control", "hosts", 2),
                label="the third",
                hint="keep a master and a standby",
            )
