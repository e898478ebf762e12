"""Loads of patterns on every directed link of a subnet, by name.

Takes a subnet, its tables and the names of patterns. Gives `LinkLoads`, one per pattern. Flows are counted; idle links count 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ibgen.fabric import Fabric, Ints, Subnet
from ibgen.route import Graph, Removed, Routes, graph
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

from .engines import TablesOf, tables
from .jobs import MOST_FLOWS, compute_rows, place_of
from .loads import Counts, flow_loads
from .named import endpoint_names, groups_of, tier_name
from .patterns import Flows, Rows, bisection, ring, shift, shuffled
from .traffic import named_flows
from .trees import all_to_all
from .walking import Tables

Row = tuple[str, int, str, int, str]
"""From, its port, to, flows, tier."""

Counted = Callable[[Tables], tuple[Counts, Counts]]

RANDOM = frozenset({"permutation", "bisection", "ring, random order"})
"""Patterns that a seed decides: the loads are those of pattern 0 of it."""

FLOWS, MOST_OF_SHIFTS = "flows", "flows, the most under any of the shifts"
"""Units of a load."""


@dataclass(frozen=True)
class LinkLoads:
    """E endpoints, S switches. `links` [S * width] and `injected` [E] as in `Loads`. `seed`: None where nothing is random."""

    subnet: str
    pattern: str
    model: str
    unit: str
    seed: int | None
    graph: Graph
    endpoints: tuple[str, ...]  # [E] `dgx-001/mlx5_3`
    links: Counts
    injected: Counts
    groups: Ints | None = None  # [S] of a dragonfly's switches

    def rows(self) -> Iterator[Row]:
        """Every link that has a cable: endpoints in order, then switches in order, port by port."""
        g = self.graph
        for e in g.plugged.tolist():
            yield self.endpoints[e], int(g.port[e]), g.names[g.leaf[e]], int(self.injected[e]), "from hosts"
        peer, door = g.peer.ravel(), g.endpoint.ravel()
        for link in np.flatnonzero((peer >= 0) | (door >= 0)).tolist():
            switch, port = divmod(link, g.width)
            end = self.endpoints[door[link]] if door[link] >= 0 else g.names[peer[link]]
            yield g.names[switch], port, end, int(self.links[link]), tier_name(g, switch, int(peer[link]), self.groups)


def patterns(spec: ClusterSpec, fabric: Fabric, s: Subnet, g: Graph, seed: int) -> dict[str, Counted]:
    """Every pattern that says something of links, by the name that a study gives it, in the same order."""
    jobs, place = compute_rows(s, g), place_of(fabric)
    named = named_flows(spec, fabric, s, g, jobs, place, seed)
    found: dict[str, Counted] = {"shift set": partial(_most_of_shifts, g)}
    found["permutation"] = partial(_of, named.pop("permutation"))
    found["bisection"] = partial(_of, bisection(g.plugged, seed))
    found["all-to-all"] = all_to_all
    if len(jobs) > 1:
        ordered: Rows = jobs[np.lexsort((jobs, place[s.ports.host[jobs]]))]
        found["ring, host order"] = partial(_of, ring(ordered))
        found["ring, random order"] = partial(_of, ring(shuffled(jobs, seed, 0)))
    return found | {name: partial(_of, flows) for name, flows in named.items()}


def link_loads(
    spec: ClusterSpec, fabric: Fabric, targets: Targets, subnet: int, names: Sequence[str], seed: int = 1,
    routes: Routes | None = None, without: Removed | None = None,
) -> tuple[LinkLoads, ...]:  # fmt: skip
    """`subnet`: row of `fabric.subnets`; `names`: of patterns; `routes` win over computed tables. A pattern that this subnet
    does not have is passed over."""
    s = fabric.subnets[subnet]
    g = routes.graph if routes is not None else graph(s, without)
    made, origin = tables(spec, fabric, targets, s, g, routes)
    known, ends = patterns(spec, fabric, s, g, seed), endpoint_names(fabric, s)
    found = []
    for name in names:
        if name in known:
            links, injected = known[name](made)
            unit = MOST_OF_SHIFTS if name == "shift set" else FLOWS
            drawn = seed if name in RANDOM else None
            found.append(LinkLoads(s.name, name, _model(origin), unit, drawn, g, ends, links, injected, groups_of(s)))
    return tuple(found)


def _model(origin: TablesOf) -> str:
    """`static tables, dmodk (closed form)`."""
    return f"static tables, {origin.engine} ({origin.origin})"


def _of(flows: Flows, made: Tables) -> tuple[Counts, Counts]:
    loads = flow_loads(made, flows)
    return loads.links, loads.injected


def _most_of_shifts(g: Graph, made: Tables) -> tuple[Counts, Counts]:
    """Per link the most flows under any shift in leaf order, of all or of those that the study takes."""
    rows, _ = g.by_leaf
    links, injected = np.zeros(g.switches * g.width, np.int64), np.zeros(g.endpoints, np.int64)
    for k in range(1, len(rows), max(1, -(-(len(rows) - 1) * len(rows) // MOST_FLOWS))):
        loads = flow_loads(made, shift(rows, k))
        np.maximum(links, loads.links, out=links)
        np.maximum(injected, loads.injected, out=injected)
    return links, injected
