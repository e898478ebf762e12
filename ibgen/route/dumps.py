"""Tables of a real subnet: `opensm-lfts.dump`, `opensm.fdbs` or the output of `dump_lfts` -> Routes.

Takes the bytes of a dump and the `Graph` it should be of. Gives `Routes` (engine "imported"), the LIDs it found, and findings
for everything that could not be matched, each at its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.diagnostics import Code, Finding, Span

from .dump_lines import Lines, read_lines
from .findings import NO_TABLE, UNKNOWN_LID, UNKNOWN_SWITCH, UNREADABLE
from .graph import Graph, Ints, Rows
from .routes import Routes, empty

SHOWN = 10
"""Findings of one kind; the last one says how many more there are."""

UNICAST = 0xC000  # LIDs of ports end below (InfiniBand Architecture Specification, volume 1, 4.1.3)

_GUID = re.compile(rb"portguid 0x([0-9a-fA-F]+)")


@dataclass(frozen=True)
class Imported:
    """Routes as they are in the fabric. LIDs 0: not in the dump."""

    routes: Routes
    lids: Ints  # [E]
    switch_lids: Ints  # [S]


def read_dump(data: bytes, graph: Graph, file: str) -> tuple[Imported, tuple[Finding, ...]]:
    """`file`: its name, for the findings."""
    lines = read_lines(data)
    switch, findings = _switches(lines, graph, file)
    mine = switch[lines.table] >= 0
    at = np.where(mine, switch[lines.table], 0)
    row, odd = _owners(data, lines, graph, at, mine)
    findings += _said(UNKNOWN_LID, odd, file, "LID 0x{:04x} belongs to nothing in the subnet")
    known = mine & (row[lines.lid] >= 0) & (lines.port >= 0) & (lines.port < graph.width)
    targets, at, port = row[lines.lid][known], at[known], lines.port[known]
    both = empty(graph, graph.endpoints + graph.switches)
    both[targets, at] = port
    lids = np.zeros(graph.endpoints + graph.switches, np.int32)
    owned = np.flatnonzero(row >= 0)[::-1]  # the lowest LID of a port is its base LID
    lids[row[owned]] = owned
    findings += _said(UNREADABLE, [(line, line) for line in lines.unread], file, "line {} is none of a forwarding table")
    routes = Routes("imported", graph, both[: graph.endpoints], both[graph.endpoints :])
    return Imported(routes, lids[: graph.endpoints], lids[graph.endpoints :]), tuple(findings)


def _switches(lines: Lines, graph: Graph, file: str) -> tuple[Rows, list[Finding]]:
    """Row of the switch of every table; -1 unknown."""
    by_guid = {int(guid): s for s, guid in enumerate(graph.guid)}
    by_name = {name: s for s, name in enumerate(graph.names)}
    rows = [by_guid.get(guid, by_name.get(name, -1)) for guid, name in zip(lines.guid, lines.name, strict=True)]
    odd = [(lines.heading[i], f"0x{lines.guid[i]:016x}") for i, row in enumerate(rows) if row < 0]
    findings = _said(UNKNOWN_SWITCH, odd, file, "no switch of the subnet has GUID {}")
    missing = sorted(set(np.flatnonzero(graph.linked).tolist()) - set(rows))
    findings += _said(NO_TABLE, [(0, graph.names[s]) for s in missing], file, "{} has no table in the dump")
    return np.array(rows, np.intp), findings


def _owners(
    data: bytes, lines: Lines, graph: Graph, at: Rows, mine: npt.NDArray[np.bool_]
) -> tuple[Rows, list[tuple[int, int]]]:
    """Row of the endpoint (or of E + the switch) that has each LID [65536]; and the LIDs of nobody with their first lines."""
    row = np.full(1 << 16, -1, np.intp)
    local = np.where(mine & (lines.port >= 0) & (lines.port < graph.width), lines.port, 0)
    door = graph.endpoint[at, local]
    for found, owner in ((mine & (lines.port == 0), graph.endpoints + at), (door >= 0, door)):
        row[lines.lid[found][::-1]] = owner[found][::-1]
    by_guid = {int(guid): e for e, guid in enumerate(graph.port_guid)}
    by_guid |= {int(guid): graph.endpoints + s for s, guid in enumerate(graph.guid)}
    lids, first = np.unique(lines.lid, return_index=True)
    odd = []
    for lid, i in zip(lids.tolist(), first.tolist(), strict=True):
        start = int(lines.start[i])
        end = data.find(b"\n", start)
        match = _GUID.search(data, start, end if end >= 0 else len(data))
        named = by_guid.get(int(match[1], 16), -1) if match else -1
        if named >= 0:
            row[lid] = named
        if row[lid] < 0 and lid < UNICAST:
            odd.append((int(lines.line[i]), lid))
    return row, odd


def _said(code: Code, cases: list[tuple[int, int]] | list[tuple[int, str]], file: str, message: str) -> list[Finding]:
    """One finding per case, the last one of many speaking for the rest."""
    findings = []
    for i, (line, what) in enumerate(cases[:SHOWN]):
        more = len(cases) - SHOWN if i == SHOWN - 1 else 0
        text = message.format(what) + (f", and {more} more" if more > 0 else "")
        findings.append(code.finding(text, Span(file, line)))
    return findings
