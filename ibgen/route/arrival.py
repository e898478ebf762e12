"""Whether imported tables lead everyone where they should: loops, dead ends, other hosts' doors, credit loops; as findings.

Takes `Routes` that were read from a file. Gives routes in which entries to another host's door are none, and findings.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ibgen.diagnostics import Finding, Span

from .findings import CREDIT_LOOP, NO_ARRIVAL
from .routes import Routes, Table
from .verify import Case, link_name, verify

MOST_PAIRS = 20_000_000
"""Pairs of a leaf and an endpoint that are walked: half a minute. Larger dumps are taken as they are."""

BLOCK = 256


def arriving(routes: Routes, file: str) -> tuple[Routes, tuple[Finding, ...]]:
    """`file`: the name of the dump, for the findings."""
    g = routes.graph
    if int(np.count_nonzero(g.host_links)) * len(g.plugged) > MOST_PAIRS:
        return routes, ()
    found = verify(routes)
    findings = []
    for count, cases, what in (
        (found.loops, found.loop_cases, "go round in a loop"),
        (found.dead_ends, found.dead_end_cases, "end nowhere"),
        (found.astray, found.astray_cases, "end at another host"),
    ):
        if count:
            message = f"{count:,} of {found.pairs:,} ways {what}, {_example(routes, cases[0], what)}"
            findings.append(NO_ARRIVAL.finding(message, Span(file, 0)))
    ring = next((links for links in found.credit_loops if links), ())
    if ring:
        names = ", ".join(link_name(g, link) for link in ring[:6]) + (", ..." if len(ring) > 6 else "")
        findings.append(CREDIT_LOOP.finding(f"these links wait for one another: {names}", Span(file, 0)))
    return (replace(routes, lft=_no_doors(routes)) if found.astray else routes), tuple(findings)


def _example(routes: Routes, case: Case, what: str) -> str:
    """A case is (destination endpoint, switch): where the way stops, or the leaf it began at."""
    g = routes.graph
    target, switch = case
    door = f"port {int(g.leaf_port[target])} of {g.names[int(g.leaf[target])]}"
    return f"such as from {g.names[switch]} to {door}" if "loop" in what else f"such as at {g.names[switch]} for {door}"


def _no_doors(routes: Routes) -> Table:
    """The table without entries that lead to another endpoint than the row's."""
    g, lft = routes.graph, routes.lft.copy()
    at = np.arange(g.switches)[None, :]
    for first in range(0, len(lft), BLOCK):
        rows = lft[first : first + BLOCK]
        valid = (rows != routes.none) & (rows < g.width)
        door = np.where(valid, g.endpoint[at, np.where(valid, rows, 0)], -1)
        rows[(door >= 0) & (door != np.arange(first, first + len(rows))[:, None])] = routes.none
    return lft
