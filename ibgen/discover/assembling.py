"""From lines to a fabric.

Takes `Raw`. Gives `Observed` and findings. A GUID that stands for two things is no evidence for anything: its nodes are kept,
marked as not sound, and their cables left out.
"""

from __future__ import annotations

import numpy as np

from ibgen.diagnostics import Finding

from .cabling import PORTS, join
from .contradictions import twice, two_guids, zero
from .halves import Halves, halves
from .observed import ADAPTER, ROUTER, SWITCH, AdapterPorts, Nodes, Observed
from .record_lines import Raw

_WORDS = {SWITCH: "switch", ADAPTER: "adapter", ROUTER: "router"}


def assemble(raw: Raw, file: str) -> tuple[Observed, tuple[Finding, ...]]:
    """The fabric that a dump's lines speak of."""
    findings: list[Finding] = []
    ends = halves(raw)
    nodes = _nodes(raw, ends, file, findings)
    ports = _ports(ends, nodes, file, findings)
    links = join(ends, nodes, file, findings)
    _guids_once(nodes, ports, file, findings)
    partial = bool(raw.hidden or raw.garbage or raw.orphans or raw.cut or links.one_sided.any())
    return Observed(file, nodes, ports, links, partial), tuple(findings)


def _nodes(raw: Raw, ends: Halves, file: str, findings: list[Finding]) -> Nodes:
    """Every GUID once: by its record, else by the first cable that leads to it."""
    first, unsound = _records(raw, file, findings)
    guids = np.union1d(np.array(list(first), np.uint64), ends.far)
    far, mention = np.unique(ends.far, return_index=True)
    at = [first.get(g, -1) for g in guids.tolist()]
    half = dict(zip(far.tolist(), mention.tolist(), strict=True))
    kind = [raw.kind[i] if i >= 0 else int(ends.far_kind[half[g]]) for i, g in zip(at, guids.tolist(), strict=True)]
    line = [raw.line[i] if i >= 0 else int(ends.line[half[g]]) for i, g in zip(at, guids.tolist(), strict=True)]
    if len(guids) and guids[0] == 0:
        unsound.add(0)
        findings.append(zero("a node GUID", line[0], file))
    return Nodes(
        kind=np.array(kind, np.int32),
        guid=guids,
        image_guid=np.array([raw.image[i] if i >= 0 else 0 for i in at], np.uint64),
        own_guid=np.array([raw.own[i] if i >= 0 else 0 for i in at], np.uint64),
        size=np.array([raw.size[i] if i >= 0 else 0 for i in at], np.int32),
        description=_descriptions(raw, ends, guids.tolist(), at),
        line=np.array(line, np.int32),
        sound=np.array([g not in unsound for g in guids.tolist()], np.bool_),
    )


def _records(raw: Raw, file: str, findings: list[Finding]) -> tuple[dict[int, int], set[int]]:
    """The first record of each GUID, and the GUIDs whose records cannot be right."""
    first: dict[int, int] = {}
    unsound: set[int] = set()
    for i, guid in enumerate(raw.guid):
        other = first.setdefault(guid, i)
        if other != i and (raw.kind[i], raw.description[i].strip()) != (raw.kind[other], raw.description[other].strip()):
            unsound.add(guid)
            ends = [(raw.line[n], f"{_WORDS[raw.kind[n]]} `{raw.description[n].strip()}`") for n in (other, i)]
            findings.append(twice(f"node GUID 0x{guid:016x}", ends, file))
    for i, guid, line in raw.contradictory:
        unsound.add(raw.guid[i])
        message = f"the record of 0x{raw.guid[i]:016x} has 0x{guid:016x} above its head"
        findings.append(two_guids(message, raw.line[i], line, file))
    return first, unsound


def _descriptions(raw: Raw, ends: Halves, guids: list[int], at: list[int]) -> tuple[str, ...]:
    """A node's own, else the first that a cable to it gives."""
    own = [raw.description[i] if i >= 0 else "" for i in at]
    lacking = {g for g, text in zip(guids, own, strict=True) if not text}
    told: dict[int, str] = {}
    if lacking:
        for guid, text in zip(ends.far.tolist(), ends.far_description, strict=True):
            if text and guid in lacking:
                told.setdefault(guid, text)
    return tuple(text or told.get(g, "") for g, text in zip(guids, own, strict=True))


def _ports(ends: Halves, nodes: Nodes, file: str, findings: list[Finding]) -> AdapterPorts:
    """The ports of adapters and routers, whichever end tells their GUID."""
    row = np.searchsorted(nodes.guid, np.concatenate([ends.near, ends.far]))
    mine = np.flatnonzero(nodes.kind[row] != SWITCH)
    key = (row * PORTS + np.concatenate([ends.near_port, ends.far_port]))[mine]
    guid = np.concatenate([ends.near_guid, ends.far_guid])[mine]
    told = np.concatenate([ends.near_told, ends.far_told])[mine]
    lid = np.concatenate([ends.near_lid, ends.far_lid])[mine]
    line = np.tile(ends.line, 2)[mine]
    order = np.lexsort((line, ~told, key))
    keys, start, group = np.unique(key[order], return_index=True, return_inverse=True)
    guid, told, line = guid[order], told[order], line[order]
    first, given = guid[start], told[start]
    for i in np.flatnonzero(told & (guid != first[group])).tolist():
        node, port = divmod(int(keys[group[i]]), PORTS)
        nodes.sound[node] = False
        both = f"0x{int(first[group[i]]):016x} and 0x{int(guid[i]):016x}"
        message = f"port {port} of `{nodes.description[node].strip()}` has GUID {both}"
        findings.append(two_guids(message, int(line[i]), int(line[start[group[i]]]), file))
    for i in np.flatnonzero(given & (first == 0)).tolist():
        findings.append(
            zero(f"the port GUID of `{nodes.description[int(keys[i]) // PORTS].strip()}`", int(line[start[i]]), file)
        )
    lids = np.maximum.reduceat(lid[order], start) if len(start) else lid
    return AdapterPorts((keys // PORTS).astype(np.int32), (keys % PORTS).astype(np.int32), first, lids)


def _guids_once(nodes: Nodes, ports: AdapterPorts, file: str, findings: list[Finding]) -> None:
    """A port GUID belongs to one port, and is no other node's GUID. A node may share its own with one of its ports."""
    owners: dict[int, tuple[int, int]] = {g: (i, 0) for i, g in enumerate(nodes.guid.tolist())}
    for node, port, guid in zip(ports.node.tolist(), ports.port.tolist(), ports.guid.tolist(), strict=True):
        if guid == 0:
            continue
        other, number = owners.setdefault(guid, (node, port))
        if other != node or number not in (0, port):
            nodes.sound[[node, other]] = False
            ends = [(int(nodes.line[n]), f"`{nodes.description[n].strip()}`") for n in (other, node)]
            findings.append(twice(f"GUID 0x{guid:016x}", ends, file))
        elif number == 0:
            owners[guid] = (node, port)
