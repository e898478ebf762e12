"""OpenSM's default engine: among the ports on a shortest way, the first that has the fewest destinations.

Takes a `Graph`. Gives `Routes` equal to OpenSM 3.3.23 on a fresh fabric, entry by entry (LMC 0, no option set).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .graph import Graph
from .greedy import deal
from .hops import FAR, distances
from .routes import Routes


def minhop(graph: Graph, switches: bool = False, fast: bool | None = None) -> Routes:
    """`switches`: also the routes toward the switches themselves. `fast`: compiled or not; None: as it pays."""
    hops = distances(graph)
    wired, peer = graph.peer >= 0, np.maximum(graph.peer, 0).astype(np.intp)

    def allowed(target: int) -> npt.NDArray[np.bool_]:
        far = hops[target].astype(np.int16)
        far[far == FAR] = -2  # out of reach: no peer is one nearer
        mask: npt.NDArray[np.bool_] = wired & (far[peer] == far[:, None] - 1) & (far >= 0)[:, None]
        return mask

    return Routes("minhop", graph, *deal(graph, allowed, switches, fast))
