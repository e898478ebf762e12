"""What NCCL does to planes that no cable joins: judged per pool and per class of hosts.

Takes a host class, its settings by hand and its `Separation`. Gives findings. NCCL pairs what it merged by order: it deals the
queue pairs of a connection to the ports of a device in turn, on either side from the first (net_ib, ncclIbConnect).
"""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.catalog.nccl import release
from ibgen.diagnostics import Finding, Path
from ibgen.hostlist import fold
from ibgen.spec import ClusterSpec, NcclPool

from .devices import HostClass, plugin_network
from .nccl_findings import HALF_RAIL, MIXED_PLANES
from .nccl_rails import MERGE_SINCE, PLACES_SINCE, Separation

MERGE = "NCCL_IB_MERGE_NICS"


def mixed_planes(spec: ClusterSpec, group: HostClass, by_hand: NcclPool, apart: Separation | None) -> Iterator[Finding]:
    """A library that would send from one plane to another: it is told no planes, and does not merge the ports of a card."""
    version = spec.nccl.version if spec.nccl else ""
    if apart is None or not apart.planes or plugin_network(group) or release(version) >= PLACES_SINCE:
        return
    since = ".".join(map(str, PLACES_SINCE))
    if _parted(by_hand):
        at: Path = ("nccl", "pools", spec.pools[group.pool].name, "settings", MERGE, "value")
        message = f"{MERGE}=0 parts the ports of a card, and NCCL {version} does not know their planes"
        yield MIXED_PLANES.finding(message, at, hint=f"take it out, or use NCCL {since}, which is told the planes")
    elif release(version) < MERGE_SINCE:
        message = f"NCCL {version} does not know which port of `{spec.pools[group.pool].name}` is on which plane"
        yield MIXED_PLANES.finding(message, ("nccl", "version"), hint=f"use NCCL {since}, which is told the planes")


def half_rails(spec: ClusterSpec, group: HostClass, by_hand: NcclPool, apart: Separation | None) -> Iterator[Finding]:
    """Hosts that lack a port of a rail on one plane and have it on another, under a library that merges the two."""
    version = spec.nccl.version if spec.nccl else ""
    merges = release(version) >= MERGE_SINCE and not _parted(by_hand)
    if apart is None or not apart.planes or plugin_network(group) or not merges or not group.missing:
        return
    hcas = group.platform.hcas
    lost = {rail: hcas[i].name for (i, _), (rail, _) in apart.places.items() if hcas[i].name in group.missing}
    left = {rail: hcas[i].name for (i, _), (rail, _) in apart.places.items() if hcas[i].name not in group.missing}
    half = sorted(lost.keys() & left.keys())
    if half:
        rail = half[0]
        yield HALF_RAIL.finding(
            f"{fold(group.hosts)}: rail {rail} has {left[rail]} and lacks {lost[rail]} on another plane",
            ("pools", group.pool, "exceptions"),
            on="key",
            hint=f"take its other port out of service too: `{left[rail]}: down`",
        )


def _parted(by_hand: NcclPool) -> bool:
    """Whether the spec itself keeps NCCL from merging the ports of a card."""
    merge = by_hand.settings.get(MERGE)
    return merge is not None and merge.value.strip() == "0"
