"""The two walks of OpenSM's ftree for one destination, as kernels: down from a switch to all below, up to all above.

Takes `Walk`: flat tables of a fabric with the counters and, for the destination at hand, `row` (ports) and `hops`. Written over
flat integer sequences so that the same code runs on lists and, compiled, on arrays (`fast`). `up_walk` mirrors OpenSM's
fabric_route_downgoing_by_going_up, `down_walk` its fabric_route_upgoing_by_going_down, quirks included.

One thing is ours: switches with the same switches below are *twins*. Once one of them has been walked down from for this
destination, nothing is left to do below the others, so they return at once: the cost is that of the tree, not of all paths.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Walk(NamedTuple):
    """Sequences of integers. Of G groups, of their ports, of S switches, of twin classes."""

    remote: Any  # [G] switch at the other end
    first: Any  # [G + 1] where its ports begin
    group_up: Any  # [G] routes counted upward, downward
    group_down: Any  # [G]
    tie: Any  # [G] order among groups with equal counters
    remote_port: Any  # of every port of every group
    port_up: Any
    port_down: Any
    groups: Any  # group numbers, switch by switch: down groups, level groups, up groups; kept sorted
    start: Any  # [3 S + 1] where those of a switch begin
    rank: Any  # [S]
    has_hosts: Any  # [S]
    is_leaf: Any  # [S]
    unsorted: Any  # [S] whether a counter changed since its down groups were sorted
    turn: Any  # [S] OpenSM's down_port_groups_idx
    twin: Any  # [S] class; -1: none
    walked: Any  # [classes] hops at which one of the class was walked down from; 255
    row: Any  # [S] port toward the destination; -1
    hops: Any  # [S] hops to it; 255


def sort_groups(groups: Any, start: int, end: int, count: Any, tie: Any) -> None:
    """Insertion sort by a counter, then by `tie`: nearly sorted it comes and nearly nothing it costs."""
    for i in range(start + 1, end):
        group = groups[i]
        value, last = count[group], tie[group]
        j = i - 1
        while j >= start and (count[groups[j]] > value or (count[groups[j]] == value and tie[groups[j]] > last)):
            groups[j + 1] = groups[j]
            j -= 1
        groups[j + 1] = group


def least_port(count: Any, start: int, end: int) -> int:
    """The first of the ports with the smallest counter."""
    best = start
    for i in range(start + 1, end):
        if count[i] < count[best]:
            best = i
    return best


def down_walk(w: Walk, s: int, came_from: int, real: bool, hops: int) -> bool:
    """Gives every switch below `s` its way up to it. Returns whether an adapter can be reached downward."""
    down, level, up = w.start[3 * s], w.start[3 * s + 1], w.start[3 * s + 2]
    made = w.has_hosts[s] == 1
    if down == level and not made:
        return False
    if w.unsorted[s] == 1:
        sort_groups(w.groups, down, level, w.group_up, w.tie)
        w.unsorted[s] = 0
    kind = w.twin[s]
    if kind < 0 or w.walked[kind] > hops:
        sort_groups(w.groups, level, up, w.group_up, w.tie)
        for i in range(down, up if real else level):
            group = w.groups[i]
            v = w.remote[group]
            if v == came_from or hops + 1 >= w.hops[v]:
                continue
            port = least_port(w.port_up, w.first[group], w.first[group + 1])
            w.row[v] = w.remote_port[port]
            w.hops[v] = hops + 1
            if down_walk(w, v, -1, real, hops + 1):
                made = True
                w.port_up[port] += 1
                w.group_up[group] += 1
                w.unsorted[s] = 1
        if kind >= 0:
            w.walked[kind] = hops
    if made:
        w.turn[s] += 1
    return made


def up_walk(w: Walk, s: int, came_from: int, real: bool, main: bool, credit: int, hops: int) -> bool:
    """Walks down from `s`, then on to all above it. `real`: no dummy. `main`: the way that counts. `credit`: turns back down
    that are still allowed."""
    made = down_walk(w, s, came_from, real, hops)
    down, level, up, end = w.start[3 * s], w.start[3 * s + 1], w.start[3 * s + 2], w.start[3 * s + 3]
    if w.rank[s] == 0:
        if credit > 0 and level > down:
            w.turn[s] += 1
            first = w.turn[s]
            for i in range(level - down):
                v = w.remote[w.groups[down + (first + i) % (level - down)]]
                made = up_walk(w, v, s, real, main, credit - 1, hops + 1) or made
        return made
    sort_groups(w.groups, up, end, w.group_down, w.tie)
    chosen = w.groups[up]
    if main:
        port = least_port(w.port_down, w.first[chosen], w.first[chosen + 1])
        v = w.remote[chosen]
        w.group_down[chosen] += 1
        w.port_down[port] += 1
        if w.row[v] < 0 or hops + 1 < w.hops[v]:
            w.row[v] = w.remote_port[port]
            w.hops[v] = hops + 1
        made = up_walk(w, v, s, real, True, credit, hops + 1) or made
    others = end - up
    for i in range(1 if main else 0, others + up - level):
        if i == others:
            sort_groups(w.groups, level, up, w.group_down, w.tie)
        group = w.groups[up + i if i < others else level + i - others]
        v = w.remote[group]
        if w.row[v] >= 0 and hops + 1 >= w.hops[v]:
            continue
        port = least_port(w.port_down, w.first[group], w.first[group + 1])
        w.row[v] = w.remote_port[port]
        w.hops[v] = hops + 1
        routed = up_walk(w, v, s, real, False, credit, hops + 1)
        made = made or routed
        if routed and i >= others:
            w.group_down[chosen] += 1
            w.port_down[port] += 1
    if credit > 0 and w.is_leaf[s] == 0:
        for i in range(down, level):
            made = up_walk(w, w.remote[w.groups[i]], s, real, True, credit - 1, hops + 1) or made
    return made


KERNELS = (sort_groups, least_port, down_walk, up_walk)
