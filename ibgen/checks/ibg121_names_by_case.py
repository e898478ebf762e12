from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG121", "names-by-case", Severity.ERROR)
def names_by_case(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Two hosts whose names differ only in upper and lower case.

    DNS takes them for one host, Slurm for two, and a plan written in capitals never matches a fabric in small letters.

    Bad:
        pools: [{name: spare, hosts: "Node-01", platform: dgx-h100}]
    Good:
        pools: [{name: spare, hosts: "node-05", platform: dgx-h100}]
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(fabric.hosts.names):
        groups[name.lower()].append(row)
    for rows in groups.values():
        if len(rows) > 1:
            names = [fabric.hosts.names[r] for r in rows]
            yield names_by_case.finding(
                f"`{names[0]}` and `{names[1]}` differ only in case",
                ("pools", int(fabric.hosts.pool[rows[1]]), "hosts"),
                hint="write host names in small letters",
            )
