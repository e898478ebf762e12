from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric

_WORDS = {
    "default": "Slurm reads `NodeName=DEFAULT` as the line of defaults for the nodes below it",
    "all": "Slurm reads `Nodes=ALL` as every node, and `all` is Ansible's group of every host",
    "ungrouped": "`ungrouped` is Ansible's group of the hosts that are in no other",
}
"""slurm.conf(5), NodeName and PartitionName; Ansible user guide, default groups. Case does not count for Slurm."""


@rule("IBG133", "keyword-as-host", Severity.ERROR)
def keyword_as_host(fabric: Fabric) -> Iterator[Finding]:
    """A host whose name is a keyword of Slurm or Ansible, in any case of letters.

    slurmctld takes `NodeName=DEFAULT` for the line of defaults and has no such node; `Nodes=ALL` is every node.

    Bad:
        pools: [{name: spare, hosts: "Default", platform: dgx-h100}]
    Good:
        pools: [{name: spare, hosts: "spare-01", platform: dgx-h100}]
    """
    for row, name in enumerate(fabric.hosts.names):
        if name.lower() in _WORDS:
            at = ("pools", int(fabric.hosts.pool[row]), "hosts")
            yield keyword_as_host.finding(f"a host called `{name}`", at, label=_WORDS[name.lower()], hint="rename the host")
