"""The most that can flow from one vertex to another (Dinic 1970).

Takes arcs of whole capacities. Gives the value of a maximum flow: exact, and the same whatever the order of the arcs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

Arc = list[int]
"""[vertex it leads to, room that is left, place of its opposite in that vertex' arcs]"""


def max_flow(vertices: int, arcs: Iterable[tuple[int, int, int]], source: int, sink: int) -> int:
    """`arcs`: (from, to, capacity)."""
    out: list[list[Arc]] = [[] for _ in range(vertices)]
    for a, b, room in arcs:
        out[a].append([b, room, len(out[b])])
        out[b].append([a, 0, len(out[a]) - 1])
    total = 0
    while (level := _levels(out, source))[sink] >= 0:
        tried = [0] * vertices
        while (pushed := _push(out, level, tried, source, sink)) > 0:
            total += pushed
    return total


def _levels(out: list[list[Arc]], source: int) -> list[int]:
    """Steps from the source over arcs with room; -1: out of reach."""
    level = [-1] * len(out)
    level[source] = 0
    todo = deque([source])
    while todo:
        at = todo.popleft()
        for to, room, _ in out[at]:
            if room and level[to] < 0:
                level[to] = level[at] + 1
                todo.append(to)
    return level


def _push(out: list[list[Arc]], level: list[int], tried: list[int], source: int, sink: int) -> int:
    """Fills one shortest way, and says with how much. `tried`: arcs of each vertex that lead nowhere any more."""
    way: list[Arc] = []
    at = source
    while at != sink:
        arcs = out[at]
        while tried[at] < len(arcs) and not (arcs[tried[at]][1] and level[arcs[tried[at]][0]] == level[at] + 1):
            tried[at] += 1
        if tried[at] < len(arcs):
            way.append(arcs[tried[at]])
            at = way[-1][0]
        elif at == source:
            return 0
        else:
            back = way.pop()
            at = out[back[0]][back[2]][0]
            tried[at] += 1
    pushed = min(arc[1] for arc in way)
    for arc in way:
        arc[1] -= pushed
        out[arc[0]][arc[2]][1] += pushed
    return pushed
