"""What hangs on a fabric: its `attach` entries as (HCA, port, lane) lists, and as endpoint columns.

Takes one entry of `spec.fabrics` and the `Inventory`. Gives `Attachment` per entry, findings for adapters, ports and planes
that do not exist, and `Endpoints`: one row per attached HCA port of one plane, before any leaf is known.

A *lane* is the number of an attached port among those of its host and plane, in the order of the platform (or of the list
in the spec): the rail of an aligned fabric.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ibgen.catalog import Platform
from ibgen.diagnostics import Finding, Label, Path
from ibgen.spec import Attach, ClusterSpec, FabricSpec

from .columns import Bools, Ints, Rates
from .findings import NO_SUCH_PORT, NOTHING_ATTACHED, PORT_TWICE, UNKNOWN_HCA, WRONG_LINK
from .inventory import Inventory
from .spelling import KINDS, meant

_LINKS = {"infiniband": ("infiniband",), "efa": ("efa",), "roce": ("infiniband", "ethernet")}
"""Kind of a fabric -> links it takes. ConnectX ports speak either protocol, so an InfiniBand HCA may serve RoCE."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """One `attach` entry. `lanes[p]` lists what is attached on plane p+1: (index of the HCA, port, lane)."""

    attach: int  # row of the fabric's `attach`
    pool: int
    reserved: bool  # on ports kept by `reserve`
    purpose: str | None  # which reservation, as the spec says it
    lanes: tuple[tuple[tuple[int, int, int], ...], ...]


@dataclass(frozen=True)
class Endpoints:
    """Columns of [E] attached ports of one plane, by `attach` entry, host and lane."""

    host: Ints
    hca: Ints
    port: Ints
    lane: Ints
    attach: Ints
    rate_gbps: Rates  # of the HCA's port
    compute: Bools
    state: Ints


def attachments(
    spec: ClusterSpec, fabric: int, inventory: Inventory, planes: int
) -> tuple[tuple[Attachment, ...] | None, tuple[Finding, ...]]:
    """The entries of one fabric; None where a pool of it is not known well enough to build with."""
    entry = spec.fabrics[fabric]
    pools = {pool.name: p for p, pool in enumerate(spec.pools)}
    findings: list[Finding] = []
    result: list[Attachment] = []
    plugged: dict[tuple[int, int, int], int] = {}  # (pool, HCA, port) -> the entry that took it
    used: dict[tuple[int, int, bool], int] = {}  # (pool, plane, reserved) -> lanes that earlier entries took
    whole = True
    for a, attach in enumerate(entry.attach):
        pool = pools.get(attach.pool)
        if pool is None or pool in inventory.unusable:  # said already
            whole = False
            continue
        at: Path = ("fabrics", fabric, "attach", a)
        lanes, found = _lanes(entry, attach, inventory.hosts.platforms[pool], planes, at)
        findings += found
        if lanes is None:
            whole = False
            continue
        again = _again([pair for pairs in lanes for pair in pairs], pool, a, plugged)
        if again is not None:
            whole = False  # said before anything is sized by ports that do not exist
            hca, port, first = again
            message = (
                f"port {port} of {inventory.hosts.platforms[pool].hcas[hca].name} of pool `{attach.pool}` is attached twice"
            )
            labels = [Label(("fabrics", fabric, "attach", first), "attached here already")]
            hint = "one port takes one cable: attach other adapters by role or by name"
            findings.append(PORT_TWICE.finding(message, (*at, "hcas"), labels=labels, hint=hint))
            continue
        shifted = []
        for plane, pairs in enumerate(lanes):
            first = used.get((pool, plane, attach.at == "reserved"), 0)
            used[pool, plane, attach.at == "reserved"] = first + len(pairs)
            shifted.append(tuple((hca, port, first + n) for n, (hca, port) in enumerate(pairs)))
        result.append(Attachment(a, pool, attach.at == "reserved", attach.reserved_for, tuple(shifted)))
    if whole and not findings:
        findings += _empty_planes(entry, fabric, result, planes)
    return (tuple(result) if whole else None), tuple(findings)


def _empty_planes(entry: FabricSpec, fabric: int, entries: Sequence[Attachment], planes: int) -> list[Finding]:
    """Planes that nothing is attached to beside planes that something is: one finding, at the entry that repeats another."""
    filled = [any(e.lanes[p] for e in entries) for p in range(planes)]
    if all(filled) or not any(filled):
        return []
    empty = " and ".join(f"plane-{chr(97 + p)}" for p in range(planes) if not filled[p])
    only = " and ".join(f"plane-{chr(97 + p)}" for p in range(planes) if filled[p])
    pools = [e.pool for e in entries]
    row = next((e for n, e in enumerate(entries) if e.pool in pools[:n]), entries[0]).attach
    key = ("ports",) if entry.attach[row].ports else ()
    message = f"nothing is attached to {empty} of fabric `{entry.name}`: every entry of `attach` is on {only}"
    hint = f"attach the other port of each host there (`ports: {{1: {empty.split()[0]}}}`), or use `planes: {sum(filled)}`"
    at: Path = ("fabrics", fabric, "attach", row, *key)
    return [NOTHING_ATTACHED.finding(message, at, hint=hint, facts={"planes": planes, "planes in use": sum(filled)})]


def _again(
    pairs: Sequence[tuple[int, int]], pool: int, entry: int, plugged: dict[tuple[int, int, int], int]
) -> tuple[int, int, int] | None:
    """The first (HCA, port) that is taken already, and the entry that took it; what is free is noted in `plugged`."""
    taken = [(hca, port, plugged[pool, hca, port]) for hca, port in pairs if (pool, hca, port) in plugged]
    repeated = [(hca, port, entry) for n, (hca, port) in enumerate(pairs) if (hca, port) in pairs[:n]]
    plugged.update({(pool, hca, port): entry for hca, port in pairs})
    return next(iter(taken or repeated), None)


def ports_per_slot(entries: Sequence[Attachment]) -> int:
    """Attached ports of the widest host on slots, over all planes."""
    widths = [lane + 1 for e in entries if not e.reserved for pairs in e.lanes for _, _, lane in pairs]
    return max(widths, default=0)


def endpoints(entries: Sequence[Attachment], plane: int, inventory: Inventory) -> Endpoints:
    """Every host of every entry, on one plane (from 1)."""
    blocks: list[tuple[Ints, ...]] = []
    for entry in entries:
        rows = inventory.rows[entry.pool]
        triples = np.array(entry.lanes[plane - 1], np.int32).reshape(-1, 3)
        count = len(rows) * len(triples)
        hosts = np.repeat(np.arange(rows.start, rows.stop, dtype=np.int32), len(triples))
        hca, port, lane = (np.tile(triples[:, c], len(rows)) for c in range(3))
        blocks.append((hosts, hca, port, lane, np.full(count, entry.attach, np.int32)))
    empty = np.zeros(0, np.int32)
    host, hca, port, lane, attach = (np.concatenate([empty, *(b[c] for b in blocks)]) for c in range(5))
    rate, compute, _ = inventory.adapters(host, hca)
    return Endpoints(host, hca, port, lane, attach, rate, compute, inventory.state(host, hca))


def _lanes(
    fabric: FabricSpec, attach: Attach, platform: Platform, planes: int, at: Path
) -> tuple[list[list[tuple[int, int]]] | None, tuple[Finding, ...]]:
    """Per plane the (HCA, port) pairs in lane order."""
    chosen, findings = _chosen(attach, platform, at)
    if findings:
        return None, findings
    strange = [platform.hcas[i] for i in chosen if platform.hcas[i].link not in _LINKS[fabric.kind]]
    if strange:
        names = ", ".join(h.name for h in strange)
        message = f"{names} of {platform.id}: {strange[0].link} adapters cannot be plugged into {KINDS[fabric.kind]} fabric"
        hint = f"attach other adapters, or say `kind: {'efa' if strange[0].link == 'efa' else 'roce'}`"
        return None, (WRONG_LINK.finding(message, (*at, "hcas"), hint=hint),)
    planned, findings = _planes(attach, planes, at)
    if findings:
        return None, findings
    for i in chosen:
        missing = [p for p in planned if p > platform.hcas[i].ports]
        if missing:
            return None, (_short(platform, i, missing[0], planned, planes, attach, at),)
    lanes: list[list[tuple[int, int]]] = [[] for _ in range(planes)]
    for i in chosen:
        for port, plane in sorted(planned.items()):
            lanes[plane - 1].append((i, port))
    return lanes, ()


def _chosen(attach: Attach, platform: Platform, at: Path) -> tuple[list[int], tuple[Finding, ...]]:
    """Indices of the adapters an entry names, in lane order."""
    index = {h.name: i for i, h in enumerate(platform.hcas)}
    where = (*at, "hcas")
    if isinstance(attach.hcas, str):
        chosen = [index[h.name] for h in platform.by_role(attach.hcas)]
        if chosen:
            return chosen, ()
        roles = sorted({h.role for h in platform.hcas})
        wanted = "no adapter" if attach.hcas == "all" else f"no adapter for {attach.hcas}"
        hint = f"it has adapters for {', '.join(roles)}" if roles else "describe the host inline, with its adapters"
        return [], (NOTHING_ATTACHED.finding(f"{platform.id} of pool `{attach.pool}` has {wanted}", where, hint=hint),)
    findings = []
    for n, name in enumerate(attach.hcas):
        if name in platform.excluded_hcas:
            message = f"`{name}` of {platform.id} is not part of the fabric: the platform excludes it"
            findings.append(UNKNOWN_HCA.finding(message, (*where, n), hint="leave it out"))
        elif name not in index:
            hint = meant(name, index, "it has")
            findings.append(UNKNOWN_HCA.finding(f"{platform.id} has no adapter `{name}`", (*where, n), hint=hint))
    return ([] if findings else [index[name] for name in attach.hcas]), tuple(findings)


def _planes(attach: Attach, planes: int, at: Path) -> tuple[dict[int, int], tuple[Finding, ...]]:
    """Port of a card -> plane. Unless the spec says otherwise, port p is on plane p."""
    if attach.ports is None:
        return {p: p for p in range(1, planes + 1)}, ()
    result: dict[int, int] = {}
    findings = []
    for port, name in attach.ports.items():
        plane = plane_number(name)
        if plane is None or plane > planes:
            known = ", ".join(f"plane-{chr(96 + p)}" for p in range(1, planes + 1))
            hint = f"the fabric has {known}; `planes:` of its topology says how many"
            findings.append(NO_SUCH_PORT.finding(f"the fabric has no plane `{name}`", (*at, "ports", str(port)), hint=hint))
        else:
            result[port] = plane
    return result, tuple(findings)


def plane_number(name: str) -> int | None:
    """`plane-b`, `b`, `plane-2`, `p2` and `2` are plane 2; None for anything else."""
    match = re.fullmatch(r"(?:plane[-_]?|p)?(?:([a-p])|0*([1-9][0-9]?))", name.lower())
    if match is None:
        return None
    return ord(match[1]) - 96 if match[1] else int(match[2])


def _short(platform: Platform, i: int, port: int, planned: dict[int, int], planes: int, attach: Attach, at: Path) -> Finding:
    hca = platform.hcas[i]
    has = "one port" if hca.ports == 1 else f"{hca.ports} ports"
    message = f"{hca.name} of {platform.id} has {has}, and port {port} is to be on plane {planned[port]} of {planes}"
    where = (*at, "ports", str(port)) if attach.ports else (*at, "hcas")
    hint = (
        "say which ports to use: `ports: {1: plane-a}`" if attach.ports else "use `planes: 1`, or cards with a port per plane"
    )
    return NO_SUCH_PORT.finding(message, where, hint=hint)
