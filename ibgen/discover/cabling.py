"""Halves of cables joined.

Takes `Halves` and nodes. Gives `Links`, and a finding for every port that leads to two places; its cables are left out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ibgen.diagnostics import Finding
from ibgen.fabric import Bools, Ints

from .contradictions import twice
from .halves import Halves
from .observed import SWITCH, Links, Nodes

PORTS = 1024
"""More ports than any node has: a node's row and a port number make one key."""

_Keys = npt.NDArray[np.int64]


def join(halves: Halves, nodes: Nodes, file: str, findings: list[Finding]) -> Links:
    """Both halves of a cable as one row. An adapter with two cables on one port is marked as not sound: two adapters have
    its GUID."""
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
    told = [_told(side, values[rows], starts) for side in (from_low, ~from_low) for values in (halves.width, halves.gbps)]
    says = [_told(side, np.ones(len(low)), starts) for side in (from_low, ~from_low)]
    line, low, high = halves.line[rows][starts], low[starts], high[starts]
    whole = _one_place_each(low, high, line, nodes, file, findings)
    a_width, a_gbps, b_width, b_gbps = (t[whole] for t in told)
    return Links(
        a=(low[whole] // PORTS).astype(np.int32),
        a_port=(low[whole] % PORTS).astype(np.int32),
        b=(high[whole] // PORTS).astype(np.int32),
        b_port=(high[whole] % PORTS).astype(np.int32),
        a_width=a_width.astype(np.int32),
        b_width=b_width.astype(np.int32),
        a_gbps=a_gbps,
        b_gbps=b_gbps,
        one_sided=((says[0] == 0) | (says[1] == 0))[whole],
        line=line[whole],
    )


def _told(side: Bools, values: npt.NDArray[np.generic], starts: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """What one side says of each cable, 0 where it is silent; `starts` are the first rows of the cables."""
    kept = np.where(side, values.astype(np.float64), 0.0)
    said: npt.NDArray[np.float64] = np.maximum.reduceat(kept, starts) if len(starts) else kept
    return said


def _one_place_each(low: _Keys, high: _Keys, line: Ints, nodes: Nodes, file: str, findings: list[Finding]) -> Bools:
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
        key = int(end[order[i]])
        node, port = divmod(key, PORTS)
        if nodes.kind[node] != SWITCH:  # no adapter has two cables on a port: two adapters have one GUID
            nodes.sound[node] = False
        ends = [(int(line[c]), f"to {_far_end(nodes, int(low[c] + high[c]) - key)}") for c in (one, two)]
        what = f"port {port} of `{nodes.description[node].strip()}` (0x{int(nodes.guid[node]):016x})"
        findings.append(twice(what, ends, file, verb="leads"))
    return good


def _far_end(nodes: Nodes, key: int) -> str:
    return f"port {key % PORTS} of `{nodes.description[key // PORTS].strip()}`"
