"""One pattern's load on every directed link of a subnet, by name.

Takes a subnet, its tables, a pattern. Gives `LinkLoads`. Flows are counted; idle links count 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ibgen.fabric import Fabric
from ibgen.route import Graph, Removed, Routes, graph
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

from .engines import tables
from .loads import Counts, flow_loads
from .named import endpoint_names, tier_name
from .patterns import permutation
from .trees import all_to_all

PATTERNS = ("permutation", "all-to-all")
"""Patterns that say something of every link; the permutation is number 0 of the seed."""

Row = tuple[str, int, str, int, str]
"""From, its port, to, flows, tier."""


@dataclass(frozen=True)
class LinkLoads:
    """E endpoints, S switches. `links` [S * width] and `injected` [E] as in `Loads`."""

    subnet: str
    pattern: str
    graph: Graph
    endpoints: tuple[str, ...]  # [E] `dgx-001/mlx5_3`
    links: Counts
    injected: Counts

    def rows(self) -> Iterator[Row]:
        """Every link that has a cable: endpoints in order, then switches in order, port by port."""
        g = self.graph
        for e in g.plugged.tolist():
            yield self.endpoints[e], int(g.port[e]), g.names[g.leaf[e]], int(self.injected[e]), "from hosts"
        peer, door = g.peer.ravel(), g.endpoint.ravel()
        for link in np.flatnonzero((peer >= 0) | (door >= 0)).tolist():
            switch, port = divmod(link, g.width)
            end = self.endpoints[door[link]] if door[link] >= 0 else g.names[peer[link]]
            yield g.names[switch], port, end, int(self.links[link]), tier_name(g, switch, int(peer[link]))


def link_loads(
    spec: ClusterSpec, fabric: Fabric, targets: Targets, subnet: int, pattern: str, seed: int = 1,
    routes: Routes | None = None, without: Removed | None = None,
) -> LinkLoads:  # fmt: skip
    """`subnet`: row of `fabric.subnets`; `pattern`: one of `PATTERNS`; `routes` win over computed tables. Raises ValueError for
    another pattern."""
    s = fabric.subnets[subnet]
    g = routes.graph if routes is not None else graph(s, without)
    made, _ = tables(spec, fabric, targets, s, g, routes)
    if pattern == "permutation":
        loads = flow_loads(made, permutation(g.plugged, seed))
        links, injected = loads.links, loads.injected
    elif pattern == "all-to-all":
        links, injected = all_to_all(made)
    else:
        raise ValueError(f"no link loads of `{pattern}`: {', '.join(PATTERNS)}")
    return LinkLoads(s.name, pattern, g, endpoint_names(fabric, s), links, injected)
