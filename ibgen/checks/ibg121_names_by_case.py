from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG121", "names-by-case", Severity.ERROR)
def names_by_case(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """Two hosts, pools or fabrics whose names differ only in upper and lower case, or pools and fabrics only in `-`, `_`, `.`.

    DNS takes two such hosts for one, Slurm for two, and a plan written in capitals never matches a fabric in small letters.
    Pools and fabrics name files, which are one file where case does not count, and Ansible groups, which have neither
    dashes nor dots.

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
    for section, names in (("pools", [p.name for p in spec.pools]), ("fabrics", [f.name for f in spec.fabrics])):
        first: dict[str, int] = {}
        for n, name in enumerate(names):
            other = first.setdefault(re.sub("[-.]", "_", name.casefold()), n)
            if names[other] != name:
                yield names_by_case.finding(
                    f"`{names[other]}` and `{name}` are one name to a file system or to Ansible",
                    (section, n, "name"),
                    labels=[Label((section, other, "name"), "the other one")],
                    hint="give them names that differ in letters or digits",
                )
