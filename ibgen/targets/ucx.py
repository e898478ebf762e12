"""What UCX, and MPI over it, is told: one profile per class of hosts.

Takes `ClusterSpec`, `Fabric`, the host classes. Gives `UcxProfile`s and findings. A setting goes into ucx.conf where every UCX
that reads it knows the file and the line fits, else into a script of exports; the environment always wins over the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ibgen.diagnostics import Finding, Path
from ibgen.fabric import Fabric
from ibgen.hostlist import fold
from ibgen.spec import ClusterSpec, UcxPool

from .devices import HostClass
from .service_levels import pool_level
from .ucx_findings import UCX_DEVICES, UCX_LEVEL, UCX_PKEY, UCX_SPEED

CONF_SINCE = (1, 12)
"""First UCX whose ucx.conf is relied on (openucx/ucx pull 6475 of March 2021; measured on 1.13.1)."""

LONGEST_LINE = 197
"""Characters of a line of ucx.conf; the rest of a longer one is read as a line of its own (INI_MAX_LINE, ucs/config/ini.h)."""

HIGHEST_PKEY = 0x7FFF
"""UCX takes a P_Key without its membership bit and refuses more (uct_ib_iface_init_pkey, all releases)."""

_NDR_GBPS = 400.0
_FOREIGN = ("efa", "gvnic")
_NO_HCOLL = ("azure/", "oci/")
"""Clouds whose recipes all turn Open MPI's hcoll off (azhpc-images, oci-hpc)."""


@dataclass(frozen=True, slots=True)
class UcxSetting:
    """One variable and why it is set (one line of text)."""

    name: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class UcxProfile:
    """What one class of hosts is told: lines of ucx.conf, and variables that a login or job script exports."""

    name: str
    pool: int
    hosts: tuple[str, ...]
    version: str
    conf: tuple[UcxSetting, ...]
    exports: tuple[UcxSetting, ...]


def decide(
    spec: ClusterSpec, fabric: Fabric, classes: tuple[HostClass, ...]
) -> tuple[tuple[UcxProfile, ...], tuple[Finding, ...]]:
    """One profile per class with compute ports that UCX can use. Findings: IBG680 to IBG689."""
    if spec.ucx is None:
        return (), ()
    version = tuple(int(part) for part in spec.ucx.version.split("."))
    profiles: list[UcxProfile] = []
    findings: list[Finding] = []
    told: set[int] = set()
    for group in classes:
        if not group.compute or any(hca.link in _FOREIGN for hca, _ in group.compute):
            continue
        by_hand = spec.ucx.pools.get(spec.pools[group.pool].name, UcxPool())
        if group.pool not in told:
            findings += judge(spec, group, by_hand, version)
            told.add(group.pool)
        settings = {s.name: s for s in _derived(spec, group)}
        settings |= {name: UcxSetting(name, s.value, s.reason) for name, s in sorted(by_hand.settings.items())}
        conf = tuple(s for s in settings.values() if fits(s, version))
        exports = tuple(s for s in settings.values() if not fits(s, version))
        profiles.append(UcxProfile(group.name, group.pool, group.hosts, spec.ucx.version, conf, exports))
    return tuple(profiles), tuple(findings)


def fits(setting: UcxSetting, version: tuple[int, ...]) -> bool:
    """Whether a setting can stand in ucx.conf."""
    line = f"{setting.name}={setting.value}"
    return setting.name.startswith("UCX_") and version >= CONF_SINCE and len(line.encode()) <= LONGEST_LINE


def _derived(spec: ClusterSpec, group: HostClass) -> Iterator[UcxSetting]:
    ports = ",".join(f"{hca.name}:{port}" for hca, port in group.compute)
    yield UcxSetting("UCX_NET_DEVICES", ports, "the compute ports of this class of hosts, in rail order")
    if group.tenant is not None:
        why = f"the partition of `{group.tenant.name}`, by value and without its membership bit"
        yield UcxSetting("UCX_IB_PKEY", f"0x{group.tenant.pkey:04x}", why)
    level = pool_level(spec, spec.pools[group.pool].name, "ucx")
    if level:
        yield UcxSetting("UCX_IB_SL", str(level), "the fabric's service level for this traffic")
    if group.platform.id.startswith(_NO_HCOLL):
        yield UcxSetting("OMPI_MCA_coll_hcoll_enable", "0", "as in every recipe of this cloud")


def judge(spec: ClusterSpec, group: HostClass, by_hand: UcxPool, version: tuple[int, ...]) -> Iterator[Finding]:
    """What is wrong with a pool's settings, and with UCX of that version on its links."""
    pool = spec.pools[group.pool].name
    fastest = max(hca.rate_gbps for hca, _ in group.compute)
    if version < CONF_SINCE and fastest >= _NDR_GBPS:
        yield UCX_SPEED.finding(
            f"UCX {spec.ucx.version if spec.ucx else ''} does not know {fastest:g} Gb/s ports",
            ("ucx", "version"),
            hint="use 1.12 or newer",
        )
    for name, setting in by_hand.settings.items():
        at: Path = ("ucx", "pools", pool, "settings", name, "value")
        if name == "UCX_IB_PKEY":
            yield from _pkey(setting.value, group, at)
        elif name == "UCX_NET_DEVICES":
            yield from _devices(setting.value, group, at)
        elif name == "UCX_IB_SL" and setting.value != str(level := pool_level(spec, pool, "ucx")):
            message = f"UCX_IB_SL={setting.value}, but the fabric carries this traffic on {level}"
            yield UCX_LEVEL.finding(message, at, hint="change the traffic class, or take the setting out")


def _pkey(value: str, group: HostClass, at: Path) -> Iterator[Finding]:
    try:
        number = int(value, 16)
    except ValueError:
        yield UCX_PKEY.finding(f"`{value}` is no P_Key", at, hint="write it in hexadecimal: 0x0101")
        return
    wanted = group.tenant.pkey if group.tenant else None
    if not 0 < number <= HIGHEST_PKEY:
        hint = f"write 0x{number & HIGHEST_PKEY:04x}"
        yield UCX_PKEY.finding(f"UCX refuses 0x{number:x}: it takes a P_Key without its membership bit", at, hint=hint)
    elif wanted is not None and number != wanted:
        message = f"UCX_IB_PKEY is 0x{number:04x}, the hosts' jobs use 0x{wanted:04x}"
        yield UCX_PKEY.finding(message, at, hint="take the setting out: it follows from the partitions")


def _devices(value: str, group: HostClass, at: Path) -> Iterator[Finding]:
    ports = [f"{hca.name}:{port}" for hca, port in group.compute]
    hint = f"take the setting out, or write {','.join(ports)}"
    if set(value) & set("=^ \t"):
        yield UCX_DEVICES.finding("UCX_NET_DEVICES is a plain list: no `=`, no `^`, no blanks", at, hint=hint)
        return
    strange = [p for p in value.split(",") if p not in ports]
    if strange:
        yield UCX_DEVICES.finding(f"`{strange[0]}` is no compute port of these hosts", at, hint=hint)


def expect(profile: UcxProfile) -> dict[str, Any]:
    """What UCX must be told, as plain JSON values."""
    return {
        "file": f"ucx/{profile.name}.conf" if profile.conf else "",
        "exports_file": f"ucx/{profile.name}.sh" if profile.exports else "",
        "hosts": fold(profile.hosts),
        "version": profile.version,
        "settings": {s.name: s.value for s in profile.conf},
        "exports": {s.name: s.value for s in profile.exports},
    }
