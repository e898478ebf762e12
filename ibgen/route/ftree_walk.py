"""OpenSM's ftree for one destination, as kernels: up from its leaf to all above, and down from each of them to all below.

Takes flat tables of integers: records of switches, of port groups, of their ports, the groups of every switch in sorted order,
the twin classes, and stacks of frames in place of recursion. So the same code runs on lists and, compiled, on arrays (`fast`).
`up_walk` mirrors OpenSM's fabric_route_downgoing_by_going_up (one main way that counts, all others only where they are shorter,
then cables within a tier, then turns back down for I/O nodes), `down_walk` its fabric_route_upgoing_by_going_down, quirks
included. One file, because numba looks at a file's date to see whether what it compiled is stale.

One thing is ours: switches with the same switches below are *twins*. Once one of them has been walked down from for this
destination, nothing is left to do below the others, so they return at once: the cost is that of the tree, not of all paths.
"""

from __future__ import annotations

from typing import Any

# A switch: where its down, level and up groups begin and its up groups end in `order`; OpenSM's down_port_groups_idx; the class
# of its twins (-1: none); and for the destination at hand the port toward it (-1: none) and the hops (255: none).
DOWN, LEVEL, UP, END, RANK, HAS_HOSTS, IS_LEAF, UNSORTED, TURN, TWIN, ROW, HOPS = range(12)
SWITCH = 12

# A group of ports: the switch at the other end, its ports, routes counted upward and downward, its place among equal ones, and
# the port at the other end where there is one only (else 0): such a group needs no look at its port.
REMOTE, FIRST, LAST, GROUP_UP, GROUP_DOWN, TIE, SINGLE = range(7)
GROUP = 8

# A port: the one at the other end, routes counted upward and downward.
REMOTE_PORT, PORT_UP, PORT_DOWN = range(3)
PORT = 3

# A frame of the walk down: the switch, the one it was entered from (-1: from above), the hops there, the next and the last of
# its groups in `order`, whether an adapter was found below, and the group and port (-1: the only one) taken last.
AT, CAME_FROM, DEEP, NEXT, STOP, MADE, VIA, DOOR = range(8)
FRAME = 8
FRAMES = 256  # hops are counted in a byte, and every frame is one hop

# A frame of the walk up: the switch, whether its way counts, the turns back down still allowed, the hops there, what is being
# done, the next and the last step of it, whether an adapter was found, the group that counts ways for it, the port taken last
# (-1: the only one of its group), OpenSM's index of the first group to turn back by, and how the switch above is entered.
PLACE, MAIN, CREDIT, DEPTH, PHASE, TURNED, TURNS, FOUND, CHOSEN, TAKEN, TURN_FROM, NEXT_MAIN, NEXT_CREDIT = range(13)
STEP = 13

AT_ROOT, CLIMBING, TURNING = range(3)
"""Phases: back down from a root; up and across; back down from elsewhere."""


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


def enter_down(
    switches: Any, groups: Any, order: Any, walked: Any, stack: Any, f: int, s: int, came_from: int, real: bool, hops: int
) -> int:
    """Opens a frame at `f` and gives 2; or gives at once whether an adapter is below (1 or 0), where there is nothing to do."""
    here = s * SWITCH
    down, level, up = switches[here + DOWN], switches[here + LEVEL], switches[here + UP]
    made = switches[here + HAS_HOSTS]
    if down == level and made == 0:
        return 0
    if switches[here + UNSORTED] == 1:
        sort_groups(order, down, level, groups, GROUP_UP)
        switches[here + UNSORTED] = 0
    kind = switches[here + TWIN]
    if kind >= 0 and walked[kind] <= hops:
        switches[here + TURN] += made
        return int(made)
    if level < up:
        sort_groups(order, level, up, groups, GROUP_UP)
    stack[f + AT] = s
    stack[f + CAME_FROM] = came_from
    stack[f + DEEP] = hops
    stack[f + NEXT] = down
    stack[f + STOP] = up if real else level
    stack[f + MADE] = made
    return 2


def count_up(switches: Any, groups: Any, ports: Any, stack: Any, f: int, group: int, port: int) -> None:
    """One more way up by this group, and by this port where the group has several."""
    stack[f + MADE] = 1
    groups[group + GROUP_UP] += 1
    if port >= 0:
        ports[port + PORT_UP] += 1
    switches[stack[f + AT] * SWITCH + UNSORTED] = 1


def go_on(switches: Any, groups: Any, ports: Any, order: Any, walked: Any, stack: Any, f: int, real: bool) -> bool:
    """Takes the frame's next groups. True where one of them opened a frame of its own; False at the end."""
    came_from, hops, stop = stack[f + CAME_FROM], stack[f + DEEP] + 1, stack[f + STOP]
    for i in range(stack[f + NEXT], stop):
        group = order[i] * GROUP
        v = groups[group + REMOTE]
        there = v * SWITCH
        if hops >= switches[there + HOPS] or v == came_from:
            continue
        port, door = -1, groups[group + SINGLE]
        if door == 0:
            port = least_port(ports, groups[group + FIRST], groups[group + LAST], PORT_UP)
            door = ports[port + REMOTE_PORT]
        switches[there + ROW] = door
        switches[there + HOPS] = hops
        if switches[there + DOWN] == switches[there + UP]:
            state = switches[there + HAS_HOSTS]
        else:
            state = enter_down(switches, groups, order, walked, stack, f + FRAME, v, -1, real, hops)
        if state == 2:
            stack[f + NEXT] = i + 1
            stack[f + VIA] = group
            stack[f + DOOR] = port
            return True
        if state == 1:
            count_up(switches, groups, ports, stack, f, group, port)
    return False


def leave_down(switches: Any, walked: Any, stack: Any, f: int) -> int:
    """Closes a frame. Whether an adapter was found below."""
    here = stack[f + AT] * SWITCH
    kind = switches[here + TWIN]
    if kind >= 0:
        walked[kind] = stack[f + DEEP]
    made = stack[f + MADE]
    switches[here + TURN] += made
    return int(made)


def down_walk(
    switches: Any, groups: Any, ports: Any, order: Any, walked: Any, stack: Any, s: int, came_from: int, real: bool, hops: int
) -> int:
    """Walks down from `s`. `real`: no dummy. Whether an adapter can be reached downward (1 or 0)."""
    state = enter_down(switches, groups, order, walked, stack, 0, s, came_from, real, hops)
    if state < 2:
        return state
    f = 0
    while True:
        if go_on(switches, groups, ports, order, walked, stack, f, real):
            f += FRAME
            continue
        state = leave_down(switches, walked, stack, f)
        if f == 0:
            return state
        f -= FRAME
        if state == 1:
            count_up(switches, groups, ports, stack, f, stack[f + VIA], stack[f + DOOR])


def count_down(groups: Any, group: int, ports: Any, port: int) -> None:
    """One more way down by this group, and by this port where the group has several."""
    groups[group + GROUP_DOWN] += 1
    if port >= 0:
        ports[port + PORT_DOWN] += 1


def enter_up(
    switches: Any, groups: Any, ports: Any, order: Any, walked: Any, stack: Any, climb: Any,
    f: int, s: int, came_from: int, real: bool, main: int, credit: int, hops: int,
) -> int:  # fmt: skip
    """Walks down from `s`, then opens a frame at `f` and gives 2; or gives whether an adapter was found, at a root."""
    made = down_walk(switches, groups, ports, order, walked, stack, s, came_from, real, hops)
    here = s * SWITCH
    below = switches[here + LEVEL] - switches[here + DOWN]
    up, end = switches[here + UP], switches[here + END]
    if switches[here + RANK] == 0:
        if credit == 0 or below == 0:
            return made
        switches[here + TURN] += 1
        climb[f + PHASE] = AT_ROOT
        climb[f + TURNS] = below
        climb[f + TURN_FROM] = switches[here + TURN]
    else:
        sort_groups(order, up, end, groups, GROUP_DOWN)
        climb[f + PHASE] = CLIMBING
        climb[f + TURNS] = end - switches[here + LEVEL]
        climb[f + CHOSEN] = order[up] * GROUP
    climb[f + PLACE] = s
    climb[f + MAIN] = main
    climb[f + CREDIT] = credit
    climb[f + DEPTH] = hops
    climb[f + TURNED] = 0
    climb[f + FOUND] = made
    return 2


def step_back(switches: Any, groups: Any, order: Any, climb: Any, f: int, i: int) -> int:
    """Turns back down by the i-th group. The switch there."""
    here = climb[f + PLACE] * SWITCH
    down, below = switches[here + DOWN], switches[here + LEVEL] - switches[here + DOWN]
    climb[f + NEXT_CREDIT] = climb[f + CREDIT] - 1
    climb[f + NEXT_MAIN] = 1
    if climb[f + PHASE] == AT_ROOT:
        i = (climb[f + TURN_FROM] + i) % below
        climb[f + NEXT_MAIN] = climb[f + MAIN]
    return int(groups[order[down + i] * GROUP + REMOTE])


def step_up(switches: Any, groups: Any, ports: Any, order: Any, climb: Any, f: int) -> int:
    """Takes the frame's next step. The switch to go on from; -1: nothing to do there."""
    i, here = climb[f + TURNED], climb[f + PLACE] * SWITCH
    climb[f + TURNED] = i + 1
    if climb[f + PHASE] != CLIMBING:
        return step_back(switches, groups, order, climb, f, i)
    level, up = switches[here + LEVEL], switches[here + UP]
    others = switches[here + END] - up
    if i == others:
        sort_groups(order, level, up, groups, GROUP_DOWN)
    group = order[up + i if i < others else level + i - others] * GROUP
    v = groups[group + REMOTE]
    there, hops = v * SWITCH, climb[f + DEPTH] + 1
    first_way = climb[f + MAIN] == 1 and i == 0
    shorter = switches[there + ROW] < 0 or hops < switches[there + HOPS]
    if not (shorter or first_way):
        return -1
    port, door = -1, groups[group + SINGLE]
    if door == 0:
        port = least_port(ports, groups[group + FIRST], groups[group + LAST], PORT_DOWN)
        door = ports[port + REMOTE_PORT]
    if shorter:
        switches[there + ROW] = door
        switches[there + HOPS] = hops
    if first_way:
        count_down(groups, group, ports, port)
    climb[f + TAKEN] = port
    climb[f + NEXT_MAIN] = 1 if first_way else 0
    climb[f + NEXT_CREDIT] = climb[f + CREDIT]
    return int(v)


def turn_back(switches: Any, climb: Any, f: int) -> bool:
    """Whether the frame has yet to turn back down; begins it."""
    here = climb[f + PLACE] * SWITCH
    if climb[f + PHASE] != CLIMBING or climb[f + CREDIT] == 0 or switches[here + IS_LEAF] == 1:
        return False
    climb[f + PHASE] = TURNING
    climb[f + TURNED] = 0
    climb[f + TURNS] = switches[here + LEVEL] - switches[here + DOWN]
    return True


def up_walk(
    switches: Any, groups: Any, ports: Any, order: Any, walked: Any, stack: Any, climb: Any,
    s: int, real: bool, main: int, credit: int, hops: int,
) -> None:  # fmt: skip
    """Routes one destination from its leaf on. `real`: no dummy. `main`: 1 where the way counts. `credit`: turns back down."""
    f = 0
    if enter_up(switches, groups, ports, order, walked, stack, climb, f, s, -1, real, main, credit, hops) < 2:
        return
    while True:
        if climb[f + TURNED] < climb[f + TURNS]:
            v = step_up(switches, groups, ports, order, climb, f)
            if v < 0:
                continue
            made = enter_up(
                switches, groups, ports, order, walked, stack, climb, f + STEP, v, climb[f + PLACE], real,
                climb[f + NEXT_MAIN], climb[f + NEXT_CREDIT], climb[f + DEPTH] + 1,
            )  # fmt: skip
            if made == 2:
                f += STEP
                continue
        elif turn_back(switches, climb, f):
            continue
        else:
            made = climb[f + FOUND]
            if f == 0:
                return
            f -= STEP
        if made == 1:
            climb[f + FOUND] = 1
            here = climb[f + PLACE] * SWITCH
            if climb[f + PHASE] == CLIMBING and climb[f + TURNED] > switches[here + END] - switches[here + UP]:
                count_down(groups, climb[f + CHOSEN], ports, climb[f + TAKEN])


KERNELS = (
    sort_groups, least_port, enter_down, count_up, go_on, leave_down, down_walk, count_down, enter_up, step_back, step_up,
    turn_back, up_walk,
)  # fmt: skip
