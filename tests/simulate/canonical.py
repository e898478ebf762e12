"""Canonical minimal routing of a dragonfly as tables: local, global, local, and never another group.

Written from Kim, Dally, Scott, Abts (ISCA 2008), independent of the package's own ways: one table entry after the other.
"""

from __future__ import annotations

import numpy as np

from ibgen.route import Graph, Routes


def canonical(graph: Graph, group: np.ndarray) -> Routes:
    """Destination d takes cable number d mod n of the n cables between its group and the sender's."""
    cables: dict[tuple[int, int], list[tuple[int, int]]] = {}
    local: dict[tuple[int, int], int] = {}
    for switch, port in np.argwhere(graph.peer >= 0).tolist():
        other = int(graph.peer[switch, port])
        if group[switch] == group[other]:
            local.setdefault((switch, other), port)
        else:
            cables.setdefault((int(group[switch]), int(group[other])), []).append((switch, port))
    lft = np.full((graph.endpoints, graph.switches), 255, np.uint8)
    for d in graph.plugged.tolist():
        home = int(graph.leaf[d])
        for switch in range(graph.switches):
            if switch == home:
                lft[d, switch] = graph.leaf_port[d]
            elif group[switch] == group[home]:
                lft[d, switch] = local[switch, home]
            else:
                ways = cables[int(group[switch]), int(group[home])]
                holder, port = ways[d % len(ways)]
                lft[d, switch] = port if switch == holder else local[switch, holder]
    return Routes("canonical", graph, lft)
