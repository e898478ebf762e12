from __future__ import annotations

import re
from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Path, Severity
from ibgen.spec import ClusterSpec

_LOCAL = re.compile(r"lo\d*|(docker|virbr|veth|cni|cali|flannel|lxcbr|lxdbr|podman|dummy)[0-9A-Za-z.-]*|br-[0-9a-f]{12}")
"""The loopback, and the bridges and pairs that Docker, libvirt, LXC, Podman and Kubernetes make on every host alike."""


@rule("IBG633", "bootstrap-stays-at-home", Severity.ERROR)
def bootstrap_stays_at_home(spec: ClusterSpec) -> Iterator[Finding]:
    """The interface of NCCL's bootstrap is one that leads nowhere.

    `lo`, `docker0` and other bridges have the same address on every host, so that ranks of two hosts never find each other.
    NCCL leaves `lo` and `docker` aside by itself unless it is told to use them. Name the interface that reaches other hosts.

    Bad:
        nccl: {version: "2.27", pools: {gpu: {socket_interface: docker0}}}
    Good:
        nccl: {version: "2.27", pools: {gpu: {socket_interface: bond0}}}
    """
    for name, pool in spec.nccl.pools.items() if spec.nccl else ():
        at: Path = ("nccl", "pools", name)
        given = [] if pool.socket_interface is None else [(pool.socket_interface, (*at, "socket_interface"))]
        by_hand = pool.settings.get("NCCL_SOCKET_IFNAME")
        if by_hand is not None and not by_hand.value.startswith("^"):
            words = by_hand.value.removeprefix("=").split(",")
            given += [(word, (*at, "settings", "NCCL_SOCKET_IFNAME", "value")) for word in words]
        for word, where in given:
            if _LOCAL.fullmatch(word):
                message = f"`{word}` does not lead to other hosts"
                yield bootstrap_stays_at_home.finding(message, where, hint="name the interface that does: `ip -br link`")
