"""Halves of cables joined.

Takes `Halves` and nodes. Gives `Links`, and a finding for every port that leads to two places; its cables are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ibgen.diagnostics import Finding, Span
from ibgen.fabric import Bools, Ints

from .contradictions import twice
from .findings import RECORD_CONTRADICTS
from .halves import Halves
from .observed import SWITCH, Links, Nodes

PORTS = 1024
"""More ports than any node has: a node's row and a port number make one key."""

_Told = npt.NDArray[np.float64]
_Keys = npt.NDArray[np.int64]


def join(halves: Halves, nodes: Nodes, file: str, findings: list[Finding]) -> Links:
    """Both halves of a cable as one row. A switch whose record many others contradict, and an adapter with two cables on one
    port, are marked as not sound."""
    cables = _pair(halves, nodes)
    broken = _broken(cables, nodes)
    if len(broken):
        nodes.sound[broken] = False
        findings += [_run_into(nodes, int(node), file) for node in broken]
        cables = _pair(halves, nodes)
    whole = cables.low != cables.high  # a port joined to itself is no cable; a loopback cable has two ports
    for key, one, two in _shared(cables):
        whole[[one, two]] = False
        node, port = divmod(key, PORTS)
        if nodes.kind[node] != SWITCH:  # no adapter has two cables on a port: two adapters have one GUID
            nodes.sound[node] = False
        ends = [(int(cables.line[c]), f"to {_far_end(nodes, int(cables.low[c] + cables.high[c]) - key)}") for c in (one, two)]
        what = f"port {port} of `{nodes.description[node].strip()}` (0x{int(nodes.guid[node]):016x})"
        findings.append(twice(what, ends, file, verb="leads"))
    return _links(cables, np.flatnonzero(whole))


@dataclass(frozen=True)
class _Cables:
    """Each cable once, between two keys; what either end tells of it. [C]"""

    low: _Keys
    high: _Keys
    line: Ints
    width: tuple[_Told, _Told]
    gbps: tuple[_Told, _Told]
    says: tuple[_Told, _Told]  # whether that end mentions it


def _pair(halves: Halves, nodes: Nodes) -> _Cables:
    """Only nodes that are sound have cables."""
    near = np.searchsorted(nodes.guid, halves.near) * PORTS + halves.near_port
    far = np.searchsorted(nodes.guid, halves.far) * PORTS + halves.far_port
    good = np.flatnonzero(nodes.sound[near // PORTS] & nodes.sound[far // PORTS])
    near, far = near[good], far[good]
    low, high = np.minimum(near, far), np.maximum(near, far)
    order = np.lexsort((halves.line[good], high, low))
    rows, low, high, from_low = good[order], low[order], high[order], (near < far)[order]
    fresh = np.ones(len(low), np.bool_)
    fresh[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    starts = np.flatnonzero(fresh)

    def both(values: npt.NDArray[Any]) -> tuple[_Told, _Told]:
        return _told(from_low, values, starts), _told(~from_low, values, starts)

    columns = both(halves.width[rows]), both(halves.gbps[rows]), both(np.ones(len(rows)))
    return _Cables(low[starts], high[starts], halves.line[rows][starts], *columns)


def _links(cables: _Cables, rows: npt.NDArray[np.intp]) -> Links:
    low, high = cables.low[rows], cables.high[rows]
    return Links(
        a=(low // PORTS).astype(np.int32),
        a_port=(low % PORTS).astype(np.int32),
        b=(high // PORTS).astype(np.int32),
        b_port=(high % PORTS).astype(np.int32),
        a_width=cables.width[0][rows].astype(np.int32),
        b_width=cables.width[1][rows].astype(np.int32),
        a_gbps=cables.gbps[0][rows],
        b_gbps=cables.gbps[1][rows],
        one_sided=((cables.says[0] == 0) | (cables.says[1] == 0))[rows],
        line=cables.line[rows],
    )


def _told(side: Bools, values: npt.NDArray[Any], starts: npt.NDArray[np.intp]) -> _Told:
    """What one side says of each cable, 0 where it is silent; `starts` are the first rows of the cables."""
    kept = np.where(side, values.astype(np.float64), 0.0)
    said: _Told = np.maximum.reduceat(kept, starts) if len(starts) else kept
    return said


def _shared(cables: _Cables) -> Iterator[tuple[int, int, int]]:
    """Ports with more than one cable: (key, row, another row)."""
    cable = np.tile(np.arange(len(cables.low)), 2)
    end = np.concatenate([cables.low, cables.high])
    order = np.argsort(end, kind="stable")
    for i in np.flatnonzero(end[order][1:] == end[order][:-1]).tolist():
        one, two = int(cable[order[i]]), int(cable[order[i + 1]])
        if one != two:
            yield int(end[order[i]]), one, two


def _broken(cables: _Cables, nodes: Nodes) -> npt.NDArray[np.intp]:
    """Switches more than a fifth of whose ports lead to two places: where lines are lost, what is left of one record runs
    into the one before, and a switch seems to have another's cables."""
    shared = np.unique(np.array([key for key, _, _ in _shared(cables)], np.int64)) // PORTS
    ends = np.unique(np.concatenate([cables.low, cables.high])) // PORTS
    wrong, every = (np.bincount(a, minlength=len(nodes.guid)) for a in (shared, ends))
    return np.flatnonzero((nodes.kind == SWITCH) & (wrong >= 2) & (wrong * 5 > every))


def _run_into(nodes: Nodes, node: int, file: str) -> Finding:
    message = (
        f"`{nodes.description[node].strip()}` (0x{int(nodes.guid[node]):016x}) has cables that other records place elsewhere"
    )
    hint = "lines are lost, and two records have run into one; or two dumps are mixed: take one dump in one piece"
    return RECORD_CONTRADICTS.finding(message, Span(file, int(nodes.line[node])), hint=hint)


def _far_end(nodes: Nodes, key: int) -> str:
    return f"port {key % PORTS} of `{nodes.description[key // PORTS].strip()}`"
