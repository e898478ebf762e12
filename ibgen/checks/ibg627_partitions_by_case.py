from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG627", "partitions-by-case", Severity.ERROR)
def partitions_by_case(spec: ClusterSpec) -> Iterator[Finding]:
    """Two Slurm partitions whose names differ only in upper and lower case.

    slurmctld keeps them apart (22.05.8, measured); people do not: they type one and get the other's limits.

    Bad:
        slurm: {version: "24.11", partitions: [{name: train, default: true}, {name: Train}]}
    Good:
        slurm: {version: "24.11", partitions: [{name: train, default: true}, {name: train-long}]}
    """
    first: dict[str, int] = {}
    partitions = spec.slurm.partitions if spec.slurm else ()
    for n, partition in enumerate(partitions):
        other = first.setdefault(partition.name.lower(), n)
        if partitions[other].name != partition.name:
            yield partitions_by_case.finding(
                f"`{partitions[other].name}` and `{partition.name}` differ only in case",
                ("slurm", "partitions", n, "name"),
                labels=[Label(("slurm", "partitions", other, "name"), "the other one")],
                hint="give them names that differ in letters or digits",
            )
