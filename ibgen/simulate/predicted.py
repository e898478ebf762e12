"""Tables of a real fabric against those that the spec's manager should have written.

Takes `Routes` from a dump and the spec. Gives a finding where entries differ: the manager runs another engine, has other root
lists, met the fabric in another state, or nobody has routed since the cables changed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ibgen.diagnostics import Finding, Span
from ibgen.fabric import Subnet
from ibgen.route import NotRouted, Routes, compute
from ibgen.route.findings import OTHER_TABLES
from ibgen.spec import ClusterSpec

from .engines import engine_of

MOST_ENTRIES = 6_000_000
"""Table entries up to which the spec's engine is computed for this: 8,192 endpoints, a second or two."""

EXACT = ("minhop", "updn", "ftree")
"""Engines that are computed entry by entry as OpenSM does."""


def compared(routes: Routes, spec: ClusterSpec, subnet: Subnet, roots: Sequence[int] | None, file: str) -> tuple[Finding, ...]:
    """`file`: the name of the dump. Nothing where the engine's entries are not known here, or none differs."""
    g, engine = routes.graph, engine_of(spec, subnet)
    if engine not in EXACT or g.endpoints * g.switches > MOST_ENTRIES:
        return ()
    try:
        expected = compute(g, engine, None if roots is None else list(roots))
    except NotRouted:
        return ()
    mine, theirs = (np.where(r.lft == r.none, -1, r.lft.astype(np.int32))[g.plugged] for r in (routes, expected))
    known = mine >= 0
    differ = known & (mine != theirs)
    if not differ.any():
        return ()
    row, switch = (int(x[0]) for x in np.nonzero(differ))
    end = g.plugged[row]
    where = f"port {int(g.leaf_port[end])} of {g.names[int(g.leaf[end])]}"
    message = (
        f"{int(differ.sum()):,} of {int(known.sum()):,} entries differ from {engine} as OpenSM computes it here, such as "
        f"{g.names[switch]} toward {where}: port {int(mine[row, switch])}, expected {int(theirs[row, switch])}"
    )
    return (OTHER_TABLES.finding(message, Span(file, 0)),)
