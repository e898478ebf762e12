from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG622", "two-default-partitions", Severity.ERROR)
def two_default_partitions(spec: ClusterSpec) -> Iterator[Finding]:
    """More than one Slurm partition is the default.

    slurmctld keeps the last one and says nothing.

    Bad:
        slurm: {version: "24.11", partitions: [{name: a, default: true}, {name: b, default: true}]}
    Good:
        slurm: {version: "24.11", partitions: [{name: a, default: true}, {name: b}]}
    """
    chosen = [n for n, p in enumerate(spec.slurm.partitions if spec.slurm else ()) if p.default]
    for n in chosen[1:]:
        yield two_default_partitions.finding(
            "a second default partition",
            ("slurm", "partitions", n, "default"),
            labels=[Label(("slurm", "partitions", chosen[0], "default"), "the first")],
            hint="let one partition be the default",
        )
