"""What NCCL is told: one profile per class of hosts, as few settings as the fabric and the platform call for.

Takes `ClusterSpec`, `Fabric`, the host classes, `Catalog`. Gives `NcclProfile`s and findings; `expect` says what the real
library must have in its environment after reading the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any

from ibgen.catalog import Catalog, Platform
from ibgen.catalog.nccl import parameter, release
from ibgen.diagnostics import Finding
from ibgen.fabric import Fabric
from ibgen.hostlist import fold
from ibgen.spec import ClusterSpec, NcclPool

from .devices import HostClass, plugin_network
from .nccl_findings import INTERFACE_TWICE, TOO_MANY_HCAS
from .nccl_hcas import MAX_HCAS, exactly
from .nccl_planes import half_rails, mixed_planes
from .nccl_rails import PLACES_SINCE, Separation, separations
from .nccl_settings import judge
from .service_levels import pool_level

COMMENTS_SINCE = (2, 26, 2)
"""First NCCL whose nccl.conf has comments; before, one that holds `=` becomes an environment variable (measured)."""

BY_INDEX, BY_VALUE = "NCCL_IB_PKEY", "NCCL_IB_PKEY_VALUE"

FULL_BIT = 0x8000
"""Membership bit of a P_Key (InfiniBand Architecture Specification, volume 1, 10.9.1.1)."""


@dataclass(frozen=True, slots=True)
class NcclSetting:
    """One line of nccl.conf and why it is there (one line of text)."""

    name: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class PkeyProbe:
    """What is looked up on a host when a job starts: at which index all of `ports` hold the P_Key, with its membership bit."""

    partition: str
    pkey: int
    ports: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class NcclProfile:
    """nccl.conf of one host class. `comments`: whether every library that reads it knows comments; `probe`: what a script must
    find out because the library takes an index."""

    name: str
    pool: int
    hosts: tuple[str, ...]
    version: str
    settings: tuple[NcclSetting, ...]
    comments: bool
    probe: PkeyProbe | None = None


def decide(
    spec: ClusterSpec, fabric: Fabric, classes: tuple[HostClass, ...], catalog: Catalog
) -> tuple[tuple[NcclProfile, ...], tuple[Finding, ...]]:
    """One profile per class with GPUs that has anything to say. Findings: IBG661 to IBG671."""
    if spec.nccl is None:
        return (), ()
    profiles: list[NcclProfile] = []
    findings: list[Finding] = []
    version = spec.nccl.version
    apart = separations(fabric)
    told: set[int] = set()
    for group in classes:
        if not group.platform.gpus:
            continue
        by_hand = spec.nccl.pools.get(spec.pools[group.pool].name, NcclPool())
        settings = {s.name: s for s in _derived(spec, group, by_hand, catalog, version, apart.get(group.pool))}
        if len(group.compute) > MAX_HCAS and not plugin_network(group):
            findings.append(_too_many(group))
        if group.pool not in told:  # what the spec says of a pool is judged once, not for each of its classes
            findings += _conflicts(spec, group, by_hand)
            findings += judge(spec, group, by_hand, catalog, plugin_network(group))
            findings += mixed_planes(spec, group, by_hand, apart.get(group.pool))
            told.add(group.pool)
        findings += half_rails(spec, group, by_hand, apart.get(group.pool))
        settings |= {name: NcclSetting(name, s.value, s.reason) for name, s in sorted(by_hand.settings.items())}
        if settings:
            comments = release(version) >= COMMENTS_SINCE
            lines = tuple(settings.values())
            probe = _probe(group, settings.keys())
            profiles.append(NcclProfile(group.name, group.pool, group.hosts, version, lines, comments, probe))
    return tuple(profiles), tuple(findings)


def _derived(
    spec: ClusterSpec, group: HostClass, by_hand: NcclPool, catalog: Catalog, version: str, apart: Separation | None
) -> Iterator[NcclSetting]:
    """What fabric and platform call for, in the order of the file."""
    if by_hand.socket_interface:
        yield NcclSetting("NCCL_SOCKET_IFNAME", f"={by_hand.socket_interface}", "the bootstrap's interface, matched exactly")
    if plugin_network(group):
        yield from _plugin(group, catalog, version)
        return
    if not group.compute:
        return
    yield from _ports(group, version, apart)
    yield from _partition(group, catalog, version)
    level = pool_level(spec, spec.pools[group.pool].name, "nccl")
    if level:
        yield NcclSetting("NCCL_IB_SL", str(level), "the fabric's service level for this traffic")
    taken = {"NCCL_IB_HCA", *(("NCCL_SOCKET_IFNAME",) if by_hand.socket_interface else ()), *(("NCCL_IB_SL",) if level else ())}
    for name, text in sorted(vendor(group.platform, catalog, version).items()):
        if name not in taken:
            yield NcclSetting(name, text, f"the vendor's own setting for {group.platform.id}")


def _ports(group: HostClass, version: str, apart: Separation | None) -> Iterator[NcclSetting]:
    """The list of ports, and what keeps those apart that no cable joins. A library that is told the planes never connects two;
    one that is not can only be kept to the same adapter on both sides, which costs alternating rings (360 against 384 GB/s on
    eight rails of 400 Gb/s, NCCL 2.21's own tuning)."""
    hcas = group.platform.hcas
    told = apart is not None and release(version) >= PLACES_SINCE
    places = {(hcas[i].name, port): place for (i, port), place in apart.places.items()} if apart and told else {}
    why = "the compute ports of this class of hosts, matched exactly, in rail order"
    why += f": adapter, port, rail{', plane' * apart.planes}" if apart and places else ""
    yield NcclSetting("NCCL_IB_HCA", exactly(((hca.name, port) for hca, port in group.compute), places), why)
    if apart is None or (places and not apart.rails):
        return
    what = "rails" if apart.rails else "planes"
    yield NcclSetting("NCCL_CROSS_NIC", "0", f"no cable joins the {what}, so each must be kept to itself")


def _partition(group: HostClass, catalog: Catalog, version: str) -> Iterator[NcclSetting]:
    """The tenant's P_Key by value where the library reads it (2.32.3 compares the low 15 bits, measured), else the index where
    it is known beforehand."""
    if group.tenant is None:
        return
    known = parameter(catalog, BY_VALUE)
    if known is not None and known.exists_in(version):
        why = f"the partition of `{group.tenant.name}`; index 0 is the default one, where limited members cannot talk"
        yield NcclSetting(BY_VALUE, f"0x{group.tenant.pkey | FULL_BIT:04x}", why)
    elif group.tenant.first:
        yield NcclSetting(BY_INDEX, "0", f"`indx0` puts the partition of `{group.tenant.name}` there")


def _probe(group: HostClass, told: Set[str]) -> PkeyProbe | None:
    """What a script must find out: an index differs from adapter to adapter (azure-docs 69185), so it is never written down."""
    if group.tenant is None or not group.compute or plugin_network(group) or told & {BY_VALUE, BY_INDEX}:
        return None
    ports = tuple((hca.name, port) for hca, port in group.compute)
    return PkeyProbe(group.tenant.name, group.tenant.pkey | FULL_BIT, ports)


def _plugin(group: HostClass, catalog: Catalog, version: str) -> Iterator[NcclSetting]:
    """Almost nothing: the plugin sets what it needs by platform, and checkers of some images abort on other values."""
    name = "AWS Libfabric" if any(hca.link == "efa" for hca, _ in group.compute) else group.platform.nccl.get("NCCL_NET")
    known = parameter(catalog, "NCCL_NET")
    if name and known is not None and known.exists_in(version):
        yield NcclSetting("NCCL_NET", name, "a missing plugin fails at once and does not fall back to TCP")


def vendor(platform: Platform, catalog: Catalog, version: str) -> dict[str, str]:
    """The vendor's settings that the version reads and that are not its default already; FI_, UCX_ and the like belong
    elsewhere, for nccl.conf reaches only what is read after NCCL started."""
    kept: dict[str, str] = {}
    for name, value in platform.nccl.items():
        known = parameter(catalog, name)
        if known is None or known.owner != "core" or not known.exists_in(version) or known.default_at(version) == value:
            continue
        kept[name] = value
    return kept


def _too_many(group: HostClass) -> Finding:
    return TOO_MANY_HCAS.finding(
        f"{len(group.compute)} compute ports, NCCL_IB_HCA names at most {MAX_HCAS}",
        ("pools", group.pool, "platform"),
        hint="attach fewer adapters to compute fabrics",
    )


def _conflicts(spec: ClusterSpec, group: HostClass, by_hand: NcclPool) -> Iterator[Finding]:
    if by_hand.socket_interface and "NCCL_SOCKET_IFNAME" in by_hand.settings:
        yield INTERFACE_TWICE.finding(
            f"`socket_interface: {by_hand.socket_interface}` and NCCL_SOCKET_IFNAME contradict each other",
            ("nccl", "pools", spec.pools[group.pool].name, "settings", "NCCL_SOCKET_IFNAME"),
            on="key",
            hint="keep `socket_interface`",
        )


def expect(profile: NcclProfile) -> dict[str, Any]:
    """What the library must have in its environment after reading the profile's file, as plain JSON values."""
    return {
        "file": f"nccl/{profile.name}.conf",
        "hosts": fold(profile.hosts),
        "version": profile.version,
        "comments": profile.comments,
        "settings": {s.name: s.value for s in profile.settings},
    } | _expect_probe(profile)


def _expect_probe(profile: NcclProfile) -> dict[str, Any]:
    if profile.probe is None:
        return {}
    ports = [f"{device}:{port}" for device, port in profile.probe.ports]
    return {"probe": {"file": f"nccl/{profile.name}-pkey.sh", "pkey": f"0x{profile.probe.pkey:04x}", "ports": ports}}
