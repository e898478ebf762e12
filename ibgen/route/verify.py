"""Do tables work? Every pair routed, no loop, no dead end, nobody else's door, and no credit loop in any virtual layer.

Takes `Routes` from wherever: computed, or read from a dump. Gives a `Verification`: counts, and the first cases by row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .dependencies import cycle, dependencies
from .graph import Graph, Rows
from .routes import Routes
from .walks import pair_blocks, steps

SHOWN = 20
"""Cases that are kept of each kind."""

Case = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Verification:
    """Pairs are of a leaf (a switch with endpoints) and a destination endpoint. Cases are (destination endpoint, switch)."""

    pairs: int
    unplugged: tuple[int, ...]  # endpoints that are in the subnet and not plugged in: nothing leads there
    dead_ends: int  # pairs whose way stops: no entry, or a port without a cable
    astray: int  # pairs that end at another endpoint
    loops: int  # pairs that never end
    dead_end_cases: tuple[Case, ...]  # the switch where the way stops
    astray_cases: tuple[Case, ...]
    loop_cases: tuple[Case, ...]  # the leaf it started from
    credit_loops: tuple[tuple[int, ...], ...]  # per virtual layer one cycle of directed links; () where there is none

    @property
    def sound(self) -> bool:
        """Whether everything that is plugged in reaches everything else, without credit loops."""
        return not (self.dead_ends or self.astray or self.loops or any(self.credit_loops))


def verify(routes: Routes) -> Verification:
    """Walks every pair. 11,664 endpoints: 7.6 million pairs."""
    g = routes.graph
    counts = {"dead": 0, "astray": 0, "loops": 0}
    cases: dict[str, list[Case]] = {kind: [] for kind in counts}

    def note(kind: str, targets: Rows, switches: Rows) -> None:
        counts[kind] += len(targets)
        room = SHOWN - len(cases[kind])
        cases[kind] += list(zip(targets[:room].tolist(), switches[:room].tolist(), strict=True))

    pairs = 0
    for sources, targets in pair_blocks(g):
        pairs += len(sources)
        ended = np.zeros(len(sources), bool)
        for step in steps(routes, sources, targets):
            ended[step.pair[step.ends]] = True
            bad = step.ends & ~step.arrives
            if bad.any():
                met = g.endpoint.ravel()[step.link[bad]] >= 0
                rows, at = targets[step.pair[bad]], step.link[bad] // g.width
                note("astray", rows[met], at[met])
                note("dead", rows[~met], at[~met])
        note("loops", targets[~ended], sources[~ended])
    rings = tuple(cycle(edges) for edges in dependencies(routes))
    shown = {kind: tuple(found) for kind, found in cases.items()}
    unplugged = tuple(np.flatnonzero(g.leaf < 0).tolist())
    return Verification(
        pairs,
        unplugged,
        counts["dead"],
        counts["astray"],
        counts["loops"],
        shown["dead"],
        shown["astray"],
        shown["loops"],
        rings,
    )


def link_name(graph: Graph, link: int) -> str:
    """A directed link by the switch and port it leaves: `leaf-u01-r0:33`."""
    return f"{graph.names[link // graph.width]}:{link % graph.width}"
