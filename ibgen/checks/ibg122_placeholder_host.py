from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec

_PLACEHOLDERS = frozenset({"localhost", "localhost.localdomain", "ubuntu", "debian", "node", "host"})


@rule("IBG122", "placeholder-host", Severity.ERROR)
def placeholder_host(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A host that bears the name a fresh installation gives it.

    Node descriptions are how a fabric's ports are told apart; two hosts called `localhost` cannot be (needs K4).

    Bad:
        pools: [{name: spare, hosts: "localhost", platform: dgx-h100}]
    Good:
        pools: [{name: spare, hosts: "node-05", platform: dgx-h100}]
    """
    for row, name in enumerate(fabric.hosts.names):
        if name.lower() in _PLACEHOLDERS:
            yield placeholder_host.finding(
                f"`{name}` is what an unnamed host is called",
                ("pools", int(fabric.hosts.pool[row]), "hosts"),
                hint="give the host its own name first",
            )
