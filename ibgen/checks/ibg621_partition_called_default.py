from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG621", "partition-called-default", Severity.ERROR)
def partition_called_default(spec: ClusterSpec) -> Iterator[Finding]:
    """A Slurm partition called `default`.

    `PartitionName=DEFAULT` is not a partition but the line of defaults for those below it, in any case of letters.

    Bad:
        slurm: {version: "24.11", partitions: [{name: default}]}
    Good:
        slurm: {version: "24.11", partitions: [{name: train, default: true}]}
    """
    for n, partition in enumerate(spec.slurm.partitions if spec.slurm else ()):
        if partition.name.lower() == "default":
            yield partition_called_default.finding(
                "Slurm takes a partition of this name for the line of defaults",
                ("slurm", "partitions", n, "name"),
                hint="choose another name and write `default: true`",
            )
