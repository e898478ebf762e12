"""Is this a regular fat tree, and if so, how do its cables stand in the notation of parallel ports generalised fat trees?

Takes a `Graph`. Gives `Regular`, or raises `NotRouted` with the first irregularity. Notation: PGFT(m; w; p) of Zahavi,
"Fat-tree routing and node ordering providing contention free traffic for MPI global collectives" (JPDC 2012): w parents per
switch, p parallel cables to each. Two or three tiers; one switch alone is a tree as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .graph import Graph, Ints, Rows
from .ranks import NotRouted

Ports = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Regular:
    """L leaves, W spines in each of D pods, C cores. A spine's index in its pod says which cores it has."""

    leaves: Rows  # [L]
    spines: Rows  # [D, W]
    cores: Rows  # [C]
    pod: Rows  # [L] of a leaf
    numbers: Rows  # [E] a destination's number: leaf by leaf as many as the fullest has, its endpoints first
    leaf_up: Ports  # [L, w * p] ports in the order they are dealt: parent by parent, then the next cable of each
    leaf_down: Ports  # [p, L, W] port on the spine of the leaf's pod toward the leaf
    spine_up: Ports  # [D, W, w * p]; no columns in two tiers
    core_down: Ports  # [p, D, W, C] port on the core toward a spine, or toward its likest where it has no cable to it
    even: bool  # whether OpenSM's ftree comes to the same loads: see `_even`


def regular(graph: Graph) -> Regular:
    """Raises `NotRouted`."""
    used = graph.linked
    tiers = [np.flatnonzero(used & (graph.tier == t)) for t in range(3)]
    leaves = tiers[0]
    if not len(leaves) or (graph.host_links[np.concatenate(tiers[1:])] > 0).any():
        raise NotRouted("endpoints stand on other switches than leaves")
    here, there = np.nonzero(graph.peer >= 0)[0], graph.peer[graph.peer >= 0]
    if (np.abs(graph.tier[here] - graph.tier[there]) != 1).any():
        raise NotRouted("a cable joins two switches that are not one tier apart")
    pod, spines = _pods(graph, leaves, tiers[1])
    leaf_up, leaf_down = _leaf_cables(graph, leaves, pod, spines)
    if not len(tiers[2]):
        if len(spines) > 1:
            raise NotRouted("the tree falls into islands")
        spine_up, core_down = np.zeros((*spines.shape, 0), np.uint16), np.zeros((0, *spines.shape, 0), np.uint16)
    else:
        spine_up, core_down = _core_cables(graph, spines, tiers[2])
    even = _even(graph.host_links[leaves], leaf_up.shape[1], bool(len(tiers[2])))
    return Regular(leaves, spines, tiers[2], pod, _numbers(graph), leaf_up, leaf_down, spine_up, core_down, even)


def _numbers(graph: Graph) -> Rows:
    """[E] as OpenSM's ftree deals destinations: leaves without endpoints are passed over, and on those that are not full the
    missing ones are counted behind the others."""
    rows, at = graph.by_leaf
    home = graph.leaf[rows]
    turn = np.cumsum(graph.host_links > 0) - 1
    numbers = np.zeros(graph.endpoints, np.intp)
    numbers[rows] = turn[home] * graph.host_links.max(initial=0) + np.arange(len(rows)) - at[home]
    return numbers


def _even(held: Rows, uplinks: int, cores: bool) -> bool:
    """Every link as full as on ftree's tables, measured: the fullest leaf takes whole turns of its uplinks, and under cores no
    leaf has fewer endpoints. Elsewhere ftree's counters run apart from a closed form."""
    fullest = int(held.max(initial=0))
    return not uplinks or (fullest % uplinks == 0 and (not cores or bool((held == fullest).all())))


def _pods(graph: Graph, leaves: Rows, spines: Rows) -> tuple[Rows, Rows]:
    """The pod of every leaf, and the spines of every pod in an order that puts those with the same cores at one index."""
    if not len(spines):
        if len(leaves) > 1:
            raise NotRouted("leaves without spines")
        return np.zeros(1, np.intp), np.zeros((1, 0), np.intp)
    first = _first_upper(graph, leaves)
    names, pod = np.unique(first, return_inverse=True)
    of_spine = np.full(graph.switches, -1, np.intp)
    for i, leaf in zip(pod.tolist(), leaves.tolist(), strict=True):
        row = graph.peer[leaf]
        of_spine[row[row >= 0]] = i
    members = of_spine[spines]
    counts = np.bincount(members[members >= 0], minlength=len(names))
    if (members < 0).any() or (counts != counts[0]).any():
        raise NotRouted("pods have different numbers of spines")
    order = np.lexsort((spines, _first_upper(graph, spines), members))
    return pod, spines[order].reshape(len(names), -1)


def _first_upper(graph: Graph, rows: Rows) -> Ints:
    """The lowest row among the peers one tier up; the number of switches where there is none."""
    peer = graph.peer[rows]
    above = (peer >= 0) & (graph.tier[np.maximum(peer, 0)] > graph.tier[rows][:, None])
    lowest: Ints = np.where(above, peer, graph.switches).min(axis=1).astype(np.int32)
    return lowest


def _leaf_cables(graph: Graph, leaves: Rows, pod: Rows, spines: Rows) -> tuple[Ports, Ports]:
    if not spines.shape[1]:
        return np.zeros((1, 0), np.uint16), np.zeros((0, 1, 0), np.uint16)
    up, width = _dealt(graph, leaves)
    peers = graph.peer[leaves[:, None], up][:, :width]
    if width != spines.shape[1] or (np.sort(peers, axis=1) != np.sort(spines[pod], axis=1)).any():
        raise NotRouted("a leaf has no cable to a spine of its pod")
    up = _like(up, peers, spines[pod], width)
    down = graph.peer_port[leaves[:, None], up].reshape(len(leaves), -1, width)
    return up.astype(np.uint16), np.moveaxis(down, 1, 0).astype(np.uint16)


def _dealt(graph: Graph, rows: Rows) -> tuple[Rows, int]:
    """Up ports in the order they are dealt [R, w * p], and w: parents ascending, then the second cable of each, and so on."""
    peer = graph.peer[rows]
    above = (peer >= 0) & (graph.tier[np.maximum(peer, 0)] > graph.tier[rows][:, None])
    counts = above.sum(axis=1)
    if (counts != counts[0]).any() or not counts[0]:
        raise NotRouted("switches of one tier have different numbers of uplinks")
    key = np.where(above, peer, graph.switches)
    ports = np.argsort(key, axis=1, kind="stable")[:, : counts[0]]
    parents = np.take_along_axis(key, ports, axis=1)
    width = int((np.diff(parents[0]) != 0).sum()) + 1
    parallel, rest = divmod(int(counts[0]), width)
    runs = parents.reshape(len(rows), width, -1) if not rest else parents[:, :, None]
    if rest or (runs != runs[:, :, :1]).any() or (np.diff(runs[:, :, 0], axis=1) == 0).any():
        raise NotRouted("a switch has more cables to one parent than to another")
    return np.swapaxes(ports.reshape(len(rows), width, parallel), 1, 2).reshape(len(rows), -1), width


def _like(up: Rows, peers: Ints, wanted: Rows, width: int) -> Rows:
    """Reorders the parents of every switch as `wanted` has them."""
    place = np.take_along_axis(np.argsort(peers, axis=1), np.argsort(np.argsort(wanted, axis=1), axis=1), axis=1)
    parallel = up.reshape(len(up), -1, width)
    return np.take_along_axis(parallel, place[:, None, :], axis=2).reshape(len(up), -1)


def _core_cables(graph: Graph, spines: Rows, cores: Rows) -> tuple[Ports, Ports]:
    pods, per_pod = spines.shape
    up, width = _dealt(graph, spines.ravel())
    parents = graph.peer[spines.ravel()[:, None], up][:, :width].reshape(pods, per_pod, width)
    if (parents != parents[:1]).any():
        raise NotRouted("spines of one place in their pods have different cores")
    ports = graph.peer_port[spines.ravel()[:, None], up].reshape(pods, per_pod, -1, width)
    row = np.full(graph.switches, -1, np.intp)
    row[cores] = np.arange(len(cores))
    down = np.zeros((ports.shape[2], pods, per_pod, len(cores)), np.uint16)
    d, w, k = np.ogrid[:pods, :per_pod, :width]
    for i in range(ports.shape[2]):
        down[i, d, w, row[parents][d, w, k]] = ports[:, :, i]
    _complete(down)
    return up.reshape(pods, per_pod, -1).astype(np.uint16), down


def _complete(down: Ports) -> None:
    """A core without a cable to the spine a destination is dealt to takes another of that pod. Nothing is sent that way."""
    has = down[0, 0] > 0  # [W, C]
    if not has.any(axis=0).all():
        raise NotRouted("a core has no spine")
    kinds, kind = np.unique(np.packbits(has, axis=0), axis=1, return_inverse=True)
    for i in range(kinds.shape[1]):
        cores = np.flatnonzero(kind.ravel() == i)
        own, other = np.flatnonzero(has[:, cores[0]]), np.flatnonzero(~has[:, cores[0]])
        down[:, :, other[:, None], cores] = down[:, :, own[other % len(own)][:, None], cores]
