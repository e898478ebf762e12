"""What OpenSM's ftree makes of a fabric before it routes: ranks, port groups, compute nodes, the index of every switch.

Takes a `Graph` and the files ftree is given. Gives `Indexed`, or raises `NotRouted` where OpenSM would fall back. Source:
OpenSM's osm_ucast_ftree.c; measured bit-exact. Its terms: a *group* is the set of a switch's ports to one other switch, a
*tuple* the index of a switch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .graph import Graph, Ints, Rows
from .ranks import UNRANKED, NotRouted, given_roots, ranks

MIN_RANK, MAX_RANK = 2, 8  # FAT_TREE_MIN_RANK, FAT_TREE_MAX_RANK
PLACES = 255  # values of one coordinate of a tuple


@dataclass
class Groups:
    """G port groups between switches. Ports of a group follow one another; the groups of a switch stand in its lists."""

    remote: list[int]  # [G] switch at the other end
    first: list[int]  # [G + 1] where its ports begin
    port: list[int]  # own port number, group by group
    remote_port: list[int]
    down: list[list[int]]  # [S] groups toward higher ranks, toward equal ones, toward the roots
    level: list[list[int]]
    up: list[list[int]]


@dataclass(frozen=True)
class Targets:
    """Endpoints in the order they are routed."""

    compute: list[tuple[int, list[int], int]]  # leaf, its compute ports by leaf port, how many are missing to the fullest leaf
    other: list[tuple[int, bool]]  # endpoint, whether it is an I/O node


@dataclass(frozen=True)
class Indexed:
    rank: Ints  # [S]
    groups: Groups
    leaves: list[bool]  # [S] with compute ports
    place: Ints  # [S] order of the switches by index
    targets: Targets


def indexed(
    graph: Graph, roots: Sequence[int] | Rows | None, compute: Sequence[int] | None, io: Sequence[int] | None
) -> Indexed:
    """`roots`: rows of switches; `compute`, `io`: rows of endpoints; None: the file is not given. Raises `NotRouted`."""
    ports = _ports(graph)
    if graph.linked.sum() < 2 or len(np.unique(graph.node_guid[ports])) < 2:
        raise NotRouted("fewer than two switches or two adapters are no fat tree")
    rank = _ranked(graph, roots)
    switches = graph.order[rank[graph.order] < UNRANKED]
    ports = ports[rank[graph.leaf[ports]] < UNRANKED]
    groups = _groups(graph, rank, switches)
    node = _marked(graph, compute, default=True)
    other = _marked(graph, io, default=False) & (~node if compute is not None else True)
    node &= ~other
    if not node[ports].any():
        raise NotRouted("there is no compute node")
    leaf_rank = int(rank[switches].max() if roots is None else rank[graph.leaf[ports[node[ports]][0]]])
    if not MIN_RANK <= leaf_rank + 1 <= MAX_RANK:
        raise NotRouted(f"{leaf_rank + 1} tiers, and ftree takes {MIN_RANK} to {MAX_RANK}")
    leaves = np.zeros(graph.switches, bool)
    leaves[graph.leaf[ports[node[ports]]]] = True
    if (rank[leaves] != leaf_rank).any():
        raise NotRouted("compute nodes stand at different distances from the roots")
    tuples = _tuples(rank, groups, leaves.tolist(), switches, leaf_rank)
    if roots is None:
        _validate(rank, groups, graph, switches, leaf_rank)
    order = _leaf_order(rank, leaves.tolist(), tuples, switches, leaf_rank)
    held = [(s, [e for e in graph.at_leaf(s).tolist() if node[e]]) for s in order]
    most = max(len(rows) for _, rows in held)
    rest = [(int(e), bool(other[e])) for e in ports if not node[e]]
    place = np.full(graph.switches, graph.switches, np.int32)
    place[sorted(tuples, key=tuples.__getitem__)] = np.arange(len(tuples))
    return Indexed(rank, groups, leaves.tolist(), place, Targets([(s, rows, most - len(rows)) for s, rows in held], rest))


def _marked(graph: Graph, rows: Sequence[int] | None, default: bool) -> npt.NDArray[np.bool_]:
    """What a file of port GUIDs marks. [E]"""
    marked = np.full(graph.endpoints, default if rows is None else False)
    marked[list(rows or ())] = True
    return marked


def _ports(graph: Graph) -> Rows:
    """Plugged endpoints by adapter, then port; adapters by node GUID as OpenSM compares them."""
    there = graph.plugged
    return there[np.lexsort((graph.port[there], graph.node_guid[there].byteswap()))]


def _ranked(graph: Graph, roots: Sequence[int] | Rows | None) -> Ints:
    """Hops from the roots. Without a root file the roots are the switches farthest from all endpoints."""
    if roots is not None:
        top = given_roots(graph, roots)
        if not len(top):
            raise NotRouted("none of the root switches is there")
        return ranks(graph, top)
    height = ranks(graph, np.flatnonzero(graph.host_links))
    known = height < UNRANKED
    return ranks(graph, np.flatnonzero(known & (height == height[known].max())))


def _groups(graph: Graph, rank: Ints, switches: Rows) -> Groups:
    lists: tuple[list[list[int]], ...] = tuple([[] for _ in range(graph.switches)] for _ in range(3))
    made = Groups([], [0], [], [], *lists)
    of_rank = rank.tolist()
    for s in switches.tolist():
        by_peer: dict[int, list[tuple[int, int]]] = {}
        for p in np.flatnonzero(graph.peer[s] >= 0).tolist():
            by_peer.setdefault(int(graph.peer[s, p]), []).append((p, int(graph.peer_port[s, p])))
        by_peer.pop(s, None)
        for v, ports in by_peer.items():
            kind = made.up if of_rank[v] < of_rank[s] else made.level if of_rank[v] == of_rank[s] else made.down
            kind[s].append(len(made.remote))
            made.remote.append(v)
            made.port += [p for p, _ in ports]
            made.remote_port += [q for _, q in ports]
            made.first.append(len(made.port))
    return made


def _tuples(rank: Ints, groups: Groups, leaves: list[bool], switches: Rows, leaf_rank: int) -> dict[int, tuple[int, ...]]:
    """Index of every switch that the search from the first leaf meets; sorts their groups by the index of the other end."""
    start = next(s for s in switches.tolist() if leaves[s])
    tuples = {start: (int(rank[start]), *[0] * int(rank[start]))}
    taken, queue = set(tuples.values()), [start]

    def index(members: list[int], here: tuple[int, ...], step: int, place: int) -> None:
        for group in members:
            v = groups.remote[group]
            if v not in tuples:
                tuples[v] = _free(taken, here, step, place)
                taken.add(tuples[v])
                queue.append(v)
        members.sort(key=lambda g: tuples[groups.remote[g]])

    for s in queue:
        here = tuples[s]
        if rank[s] < leaf_rank:
            index(groups.down[s], here, 1, here[0] + 1)
        if rank[s] > 0:
            index(groups.up[s], here, -1, here[0])
    return tuples


def _free(taken: set[tuple[int, ...]], here: tuple[int, ...], step: int, place: int) -> tuple[int, ...]:
    coordinates = [here[0] + step, *here[1:], *[0] * (place + 1 - len(here))]
    for i in range(PLACES):
        coordinates[place] = i
        if tuple(coordinates) not in taken:
            return tuple(coordinates)
    raise NotRouted(f"a switch has more than {PLACES} neighbours in one direction")


def _validate(rank: Ints, groups: Groups, graph: Graph, switches: Rows, leaf_rank: int) -> None:
    """Without a root file the tree has to be pure: every switch like the first of its rank, group by group."""
    first: dict[int, int] = {}

    def size(group: int) -> int:
        return groups.first[group + 1] - groups.first[group]

    for s in switches.tolist():
        reference = first.setdefault(int(rank[s]), s)
        names = f"{graph.names[reference]} and {graph.names[s]}"
        up, likewise = groups.up[s], groups.up[reference]
        if len(up) != len(likewise):
            raise NotRouted(f"{names} have different numbers of upward port groups")
        if any(size(g) != size(likewise[0]) for g in up):
            raise NotRouted(f"{names} have different numbers of ports in an upward port group")
        if rank[s] == leaf_rank:
            continue
        down, likewise = groups.down[s], groups.down[reference]
        if len(down) + graph.host_links[s] != len(likewise) + graph.host_links[reference]:
            raise NotRouted(f"{names} have different numbers of downward port groups")
        if down and likewise and size(down[0]) != size(likewise[0]):
            raise NotRouted(f"{names} have different numbers of ports in a downward port group")


def _leaf_order(
    rank: Ints, leaves: list[bool], tuples: dict[int, tuple[int, ...]], switches: Rows, leaf_rank: int
) -> list[int]:
    """Switches of the leaf rank by index, from the first with compute nodes to the last."""
    level = [s for s in switches.tolist() if rank[s] == leaf_rank]
    level.sort(key=lambda s: tuples.get(s, (PLACES,)))
    real = [i for i, s in enumerate(level) if leaves[s]]
    if len(real) < 2:
        raise NotRouted("a single leaf is no fat tree")
    return level[real[0] : real[-1] + 1]
