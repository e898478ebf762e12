from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec

MOST_NODES = 65536
"""slurmctld refuses to start with one more (measured on 22.05.8 and 25.11.7)."""


@rule("IBG625", "too-many-nodes", Severity.ERROR)
def too_many_nodes(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """More hosts than one Slurm cluster can hold.

    65,536 nodes is slurmctld's limit. Split the machine into clusters of a federation.
    """
    count = len(fabric.hosts.names)
    if spec.slurm is not None and count > MOST_NODES:
        yield too_many_nodes.finding(
            f"{count:,} hosts; one Slurm cluster holds {MOST_NODES:,}",
            ("slurm",),
            on="key",
            hint="split the machine into several clusters (a federation)",
            facts={"hosts": count, "limit": MOST_NODES},
        )
