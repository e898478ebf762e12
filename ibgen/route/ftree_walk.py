"""The two walks of OpenSM's ftree for one destination, as kernels: down from a switch to all below, up to all above.

Takes flat tables of integers: records of switches, of port groups, of their ports, the groups of every switch in sorted order,
and the twin classes. So the same code runs on lists and, compiled, on arrays (`fast`). `up_walk` mirrors OpenSM's
fabric_route_downgoing_by_going_up, `down_walk` its fabric_route_upgoing_by_going_down, quirks included.

One thing is ours: switches with the same switches below are *twins*. Once one of them has been walked down from for this
destination, nothing is left to do below the others, so they return at once: the cost is that of the tree, not of all paths.
"""

from __future__ import annotations

from typing import Any

# A switch: where its down, level and up groups begin and its up groups end in `order`; OpenSM's down_port_groups_idx; the class
# of its twins (-1: none); and for the destination at hand the port toward it (-1: none) and the hops (255: none).
DOWN, LEVEL, UP, END, RANK, HAS_HOSTS, IS_LEAF, UNSORTED, TURN, TWIN, ROW, HOPS = range(12)
SWITCH = 12

# A group of ports: the switch at the other end, its ports, routes counted upward and downward, its place among equal ones.
REMOTE, FIRST, LAST, GROUP_UP, GROUP_DOWN, TIE = range(6)
GROUP = 6

# A port: the one at the other end, routes counted upward and downward.
REMOTE_PORT, PORT_UP, PORT_DOWN = range(3)
PORT = 3


def sort_groups(order: Any, start: int, end: int, groups: Any, counter: int) -> None:
    """Insertion sort by a counter, then by place: nearly sorted it comes and nearly nothing it costs."""
    for i in range(start + 1, end):
        group = order[i]
        at = group * GROUP
        value, place = groups[at + counter], groups[at + TIE]
        j = i - 1
        while j >= start:
            other = order[j] * GROUP
            rest = groups[other + counter] - value
            if rest < 0 or (rest == 0 and groups[other + TIE] <= place):
                break
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = group


def least_port(ports: Any, start: int, end: int, counter: int) -> int:
    """The first of the ports with the smallest counter, as its record."""
    best = start * PORT
    for i in range(start + 1, end):
        if ports[i * PORT + counter] < ports[best + counter]:
            best = i * PORT
    return best


def down_walk(
    switches: Any, groups: Any, ports: Any, order: Any, walked: Any, s: int, came_from: int, real: bool, hops: int
) -> bool:
    """Gives every switch below `s` its way up to it. Returns whether an adapter can be reached downward."""
    here = s * SWITCH
    down, level, up = switches[here + DOWN], switches[here + LEVEL], switches[here + UP]
    made = switches[here + HAS_HOSTS] == 1
    if down == level and not made:
        return False
    if switches[here + UNSORTED] == 1:
        sort_groups(order, down, level, groups, GROUP_UP)
        switches[here + UNSORTED] = 0
    kind = switches[here + TWIN]
    if kind < 0 or walked[kind] > hops:
        if level < up:
            sort_groups(order, level, up, groups, GROUP_UP)
        for i in range(down, up if real else level):
            group = order[i] * GROUP
            v = groups[group + REMOTE]
            there = v * SWITCH
            if v == came_from or hops + 1 >= switches[there + HOPS]:
                continue
            port = least_port(ports, groups[group + FIRST], groups[group + LAST], PORT_UP)
            switches[there + ROW] = ports[port + REMOTE_PORT]
            switches[there + HOPS] = hops + 1
            if switches[there + DOWN] == switches[there + UP]:
                routed = switches[there + HAS_HOSTS] == 1
            else:
                routed = down_walk(switches, groups, ports, order, walked, v, -1, real, hops + 1)
            if routed:
                made = True
                ports[port + PORT_UP] += 1
                groups[group + GROUP_UP] += 1
                switches[here + UNSORTED] = 1
        if kind >= 0:
            walked[kind] = hops
    if made:
        switches[here + TURN] += 1
    return made


def up_walk(
    switches: Any, groups: Any, ports: Any, order: Any, walked: Any,
    s: int, came_from: int, real: bool, main: bool, credit: int, hops: int,
) -> bool:  # fmt: skip
    """Walks down from `s`, then on to all above it. `real`: no dummy. `main`: the way that counts. `credit`: turns back down
    that are still allowed."""
    made = down_walk(switches, groups, ports, order, walked, s, came_from, real, hops)
    here = s * SWITCH
    down, level, up, end = switches[here + DOWN], switches[here + LEVEL], switches[here + UP], switches[here + END]
    if switches[here + RANK] == 0:
        if credit > 0 and level > down:
            switches[here + TURN] += 1
            first = switches[here + TURN]
            for i in range(level - down):
                v = groups[order[down + (first + i) % (level - down)] * GROUP + REMOTE]
                made |= up_walk(switches, groups, ports, order, walked, v, s, real, main, credit - 1, hops + 1)
        return made
    sort_groups(order, up, end, groups, GROUP_DOWN)
    chosen = order[up] * GROUP
    others = end - up
    for i in range(others + up - level):
        if i == others:
            sort_groups(order, level, up, groups, GROUP_DOWN)
        group = order[up + i if i < others else level + i - others] * GROUP
        v = groups[group + REMOTE]
        there = v * SWITCH
        first_way = main and i == 0
        shorter = switches[there + ROW] < 0 or hops + 1 < switches[there + HOPS]
        if not (shorter or first_way):
            continue
        port = least_port(ports, groups[group + FIRST], groups[group + LAST], PORT_DOWN)
        if shorter:
            switches[there + ROW] = ports[port + REMOTE_PORT]
            switches[there + HOPS] = hops + 1
        if first_way:
            groups[group + GROUP_DOWN] += 1
            ports[port + PORT_DOWN] += 1
        routed = up_walk(switches, groups, ports, order, walked, v, s, real, first_way, credit, hops + 1)
        made |= routed
        if routed and i >= others:
            groups[chosen + GROUP_DOWN] += 1
            ports[port + PORT_DOWN] += 1
    if credit > 0 and switches[here + IS_LEAF] == 0:
        for i in range(down, level):
            v = groups[order[i] * GROUP + REMOTE]
            made |= up_walk(switches, groups, ports, order, walked, v, s, real, True, credit - 1, hops + 1)
    return made


KERNELS = (sort_groups, least_port, down_walk, up_walk)
