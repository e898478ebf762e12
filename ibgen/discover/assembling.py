"""From lines to a fabric: halves of cables joined, contradictions named and taken out.

Takes `Raw`. Gives `Observed` and findings. A GUID that stands for two things, and a port that leads to two places, are no
evidence for anything: their nodes are kept, marked as not sound, and their cables left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.diagnostics import Finding, Label, Span
from ibgen.fabric import Bools, Ints

from .findings import GUID_TWICE_SEEN, GUID_ZERO_SEEN, RECORD_CONTRADICTS
from .observed import ADAPTER, ROUTER, SWITCH, AdapterPorts, Links, Nodes, Observed
from .record_lines import UNTOLD, Raw

_PORTS = 1024  # more than any node has; a node's row and a port number make one key
_WORDS = {SWITCH: "switch", ADAPTER: "adapter", ROUTER: "router"}


def assemble(raw: Raw, file: str) -> tuple[Observed, tuple[Finding, ...]]:
    """The fabric that a dump's lines speak of."""
    findings: list[Finding] = []
    nodes, row = _nodes(raw, file, findings)
    ports = _ports(raw, nodes, file, findings)
    halves = _Halves.of(raw, row, nodes)
    links = _links(halves, nodes, file, findings)
    _guids_once(nodes, ports, file, findings)
    partial = bool(raw.hidden or raw.garbage or raw.orphans or raw.cut or links.one_sided.any())
    return Observed(file, nodes, ports, links, partial), tuple(findings)


def _nodes(raw: Raw, file: str, findings: list[Finding]) -> tuple[Nodes, dict[int, int]]:
    """Every GUID once: by its record, else by the first cable that leads to it."""
    first: dict[int, int] = {}
    unsound: set[int] = set()
    for i, guid in enumerate(raw.guid):
        other = first.setdefault(guid, i)
        if other != i and (raw.kind[i], raw.description[i].strip()) != (raw.kind[other], raw.description[other].strip()):
            unsound.add(guid)
            ends = [(raw.line[other], _called(raw, other)), (raw.line[i], _called(raw, i))]
            findings.append(_twice(f"node GUID 0x{guid:016x}", ends, file))
    for i, guid, line in raw.contradictory:
        unsound.add(raw.guid[i])
        message = f"the record of 0x{raw.guid[i]:016x} has 0x{guid:016x} above its head"
        labels = [Label(Span(file, line), "here")]
        findings.append(RECORD_CONTRADICTS.finding(message, Span(file, raw.line[i]), labels=labels, hint="take the dump again"))
    mentioned: dict[int, int] = {}  # GUID -> the first half that leads there
    named: dict[int, str] = {}
    for h, guid in enumerate(raw.far):
        mentioned.setdefault(guid, h)
        if raw.far_description[h]:
            named.setdefault(guid, raw.far_description[h])
    guids = sorted(first.keys() | mentioned.keys())
    if guids and guids[0] == 0:
        unsound.add(0)
        line = raw.line[first[0]] if 0 in first else raw.link_line[mentioned[0]]
        findings.append(_zero("a node GUID", line, file))
    at = [first.get(g, -1) for g in guids]
    far = [mentioned.get(g, -1) for g in guids]
    return _table(raw, guids, at, far, named, unsound), {g: i for i, g in enumerate(guids)}


def _table(raw: Raw, guids: list[int], at: list[int], far: list[int], named: dict[int, str], unsound: set[int]) -> Nodes:
    ends = list(zip(at, far, strict=True))
    return Nodes(
        kind=np.array([raw.kind[i] if i >= 0 else raw.far_kind[h] for i, h in ends], np.int32),
        guid=np.array(guids, np.uint64),
        image_guid=np.array([raw.image[i] if i >= 0 else 0 for i in at], np.uint64),
        own_guid=np.array([raw.own[i] if i >= 0 else 0 for i in at], np.uint64),
        size=np.array([raw.size[i] if i >= 0 else 0 for i in at], np.int32),
        description=tuple((raw.description[i] if i >= 0 else "") or named.get(g, "") for i, g in zip(at, guids, strict=True)),
        line=np.array([raw.line[i] if i >= 0 else raw.link_line[h] for i, h in ends], np.int32),
        sound=np.array([g not in unsound for g in guids], np.bool_),
    )


def _called(raw: Raw, i: int) -> str:
    return f"{_WORDS[raw.kind[i]]} `{raw.description[i].strip()}`"


@dataclass(frozen=True)
class _Halves:
    """What each end of each cable says, rows of Nodes in the place of GUIDs. [2 L]"""

    near: npt.NDArray[np.int64]  # node * _PORTS + port
    far: npt.NDArray[np.int64]
    width: Ints
    gbps: npt.NDArray[np.float64]
    line: Ints

    @classmethod
    def of(cls, raw: Raw, row: dict[int, int], nodes: Nodes) -> _Halves:
        near = np.array([row[raw.guid[i]] for i in raw.near], np.int64) * _PORTS + np.array(raw.near_port, np.int64)
        far = np.array([row[g] for g in raw.far], np.int64) * _PORTS + np.array(raw.far_port, np.int64)
        good = nodes.sound[near // _PORTS] & nodes.sound[far // _PORTS]
        width, line = np.array(raw.width, np.int32)[good], np.array(raw.link_line, np.int32)[good]
        return cls(near[good], far[good], width, np.array(raw.gbps, np.float64)[good], line)


def _links(halves: _Halves, nodes: Nodes, file: str, findings: list[Finding]) -> Links:
    """Both halves of a cable as one row; a cable at a port that leads elsewhere as well is left out."""
    low, high = np.minimum(halves.near, halves.far), np.maximum(halves.near, halves.far)
    order = np.lexsort((halves.line, high, low))
    low, high = low[order], high[order]
    fresh = np.ones(len(low), np.bool_)
    fresh[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    starts = np.flatnonzero(fresh)
    from_low = (halves.near == np.minimum(halves.near, halves.far))[order]
    width, gbps, line = halves.width[order], halves.gbps[order], halves.line[order]

    def told(side: Bools, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        kept = np.where(side, values, 0)
        return np.maximum.reduceat(kept, starts) if len(starts) else kept[:0]

    ends = [
        told(side, values) for side in (from_low, ~from_low) for values in (width.astype(np.float64), gbps, np.ones(len(low)))
    ]
    low, high, line = low[starts], high[starts], line[starts]
    good = _one_place_each(low, high, line, nodes, file, findings)
    a_width, a_gbps, a_says, b_width, b_gbps, b_says = (e[good] for e in ends)
    low, high = low[good], high[good]
    return Links(
        a=(low // _PORTS).astype(np.int32),
        a_port=(low % _PORTS).astype(np.int32),
        b=(high // _PORTS).astype(np.int32),
        b_port=(high % _PORTS).astype(np.int32),
        a_width=a_width.astype(np.int32),
        b_width=b_width.astype(np.int32),
        a_gbps=a_gbps,
        b_gbps=b_gbps,
        one_sided=(a_says == 0) | (b_says == 0),
        line=line[good],
    )


def _one_place_each(
    low: npt.NDArray[np.int64], high: npt.NDArray[np.int64], line: Ints, nodes: Nodes, file: str, findings: list[Finding]
) -> Bools:
    """Which cables have both their ports to themselves. A loopback cable does; a port joined to itself is none."""
    cable = np.tile(np.arange(len(low)), 2)
    end = np.concatenate([low, high])
    order = np.argsort(end, kind="stable")
    repeat = np.flatnonzero(end[order][1:] == end[order][:-1])
    good: Bools = low != high
    for i in repeat.tolist():
        one, two = int(cable[order[i]]), int(cable[order[i + 1]])
        if one == two:
            continue
        good[[one, two]] = False
        node, port = divmod(int(end[order[i]]), _PORTS)
        if nodes.kind[node] != SWITCH:  # no adapter has two cables on a port: two adapters have one GUID
            nodes.sound[node] = False
        ends = [(int(line[c]), f"to {_far_end(nodes, int(low[c] + high[c] - end[order[i]]))}") for c in (one, two)]
        what = f"port {port} of `{nodes.description[node].strip()}` (0x{int(nodes.guid[node]):016x})"
        findings.append(_twice(what, ends, file, verb="leads"))
    return good


def _far_end(nodes: Nodes, key: int) -> str:
    return f"port {key % _PORTS} of `{nodes.description[key // _PORTS].strip()}`"


def _ports(raw: Raw, nodes: Nodes, file: str, findings: list[Finding]) -> AdapterPorts:
    """The ports of adapters and routers, whichever end tells their GUID."""
    guids: dict[int, tuple[int, int]] = {}  # key -> GUID, line that gives it
    lids: dict[int, int] = {}
    row = {g: i for i, g in enumerate(nodes.guid.tolist())}
    base = [-1 if kind == SWITCH else i * _PORTS for i, kind in enumerate(nodes.kind.tolist())]
    near = zip((raw.guid[i] for i in raw.near), raw.near_port, raw.near_guid, raw.near_lid, raw.link_line, strict=True)
    far = zip(raw.far, raw.far_port, raw.far_guid, raw.far_lid, raw.link_line, strict=True)
    for node, port, guid, lid, line in (*near, *far):
        key = base[row[node]]
        if key < 0:
            continue
        key += port
        lids[key] = lids.get(key, 0) or lid
        known = guids.get(key, (UNTOLD, line))
        if known[0] == UNTOLD:
            guids[key] = (guid, line)
        elif guid not in (UNTOLD, known[0]):
            nodes.sound[key // _PORTS] = False
            message = f"port {port} of `{nodes.description[row[node]].strip()}` has GUID 0x{known[0]:016x} and 0x{guid:016x}"
            labels = [Label(Span(file, known[1]), "the other one stands here")]
            findings.append(RECORD_CONTRADICTS.finding(message, Span(file, line), labels=labels, hint="take the dump again"))
    keys = sorted(guids)
    for key in keys:
        if guids[key][0] == 0:
            findings.append(_zero(f"the port GUID of `{nodes.description[key // _PORTS].strip()}`", guids[key][1], file))
    at = np.array(keys, np.int64)
    node_rows, numbers = (at // _PORTS).astype(np.int32), (at % _PORTS).astype(np.int32)
    own = np.array([max(0, guids[k][0]) for k in keys], np.uint64)
    return AdapterPorts(node_rows, numbers, own, np.array([lids[k] for k in keys], np.int32))


def _guids_once(nodes: Nodes, ports: AdapterPorts, file: str, findings: list[Finding]) -> None:
    """A port GUID belongs to one port, and is no other node's GUID. A node may share its own with one of its ports."""
    owners: dict[int, tuple[int, int]] = {g: (i, 0) for i, g in enumerate(nodes.guid.tolist())}
    for node, port, guid in zip(ports.node.tolist(), ports.port.tolist(), ports.guid.tolist(), strict=True):
        if guid == 0:
            continue
        other, number = owners.setdefault(guid, (node, port))
        if other != node or (number not in (0, port)):
            nodes.sound[[node, other]] = False
            ends = [(int(nodes.line[n]), f"`{nodes.description[n].strip()}`") for n in (other, node)]
            findings.append(_twice(f"GUID 0x{guid:016x}", ends, file))
        elif number == 0:
            owners[guid] = (node, port)


def _twice(what: str, ends: list[tuple[int, str]], file: str, verb: str = "is") -> Finding:
    (line, one), (other, two) = ends
    message = f"{what} {verb} {one} and {two}" if verb == "leads" else f"{what} {verb} on {one} and on {two}"
    hint = "take the dump again; if it stays, read both GUIDs on the hosts (`ibstat`)"
    return GUID_TWICE_SEEN.finding(message, Span(file, other), labels=[Label(Span(file, line), "and here")], hint=hint)


def _zero(what: str, line: int, file: str) -> Finding:
    hint = "read it on the host (`ibstat`); a firmware without GUIDs has to be given some"
    return GUID_ZERO_SEEN.finding(f"{what} is zero", Span(file, line), hint=hint)
