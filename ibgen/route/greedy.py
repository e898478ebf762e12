"""OpenSM's dealing of destinations to ports: each to the first of the allowed ports that has the fewest so far.

Takes, per destination switch, which ports lie on a way that is allowed. Gives the tables of minhop and updn. Source: OpenSM's
osm_ucast_mgr.c and osm_switch_recommend_path, measured bit-exact (LMC 0, fresh fabric).

Destinations of one leaf follow one another and share their allowed ports, so they are dealt together: while the counters of
the allowed ports of a switch differ by one at most, they are filled in port order, the lower ones first, and that is a formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .fast import compiled, compiles
from .graph import Graph, Rows
from .routes import Table, empty

Ports = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Allowed = Callable[[int], Ports]
"""Destination switch -> [S, width] ports that may be taken toward it."""

_MANY = np.iinfo(np.int64).max


def deal(graph: Graph, allowed: Allowed, switches: bool = False, fast: bool | None = None) -> tuple[Table, Table | None]:
    """The tables by endpoint [E, S] and, if asked for, by switch [S, S]. The latter count on no port (port_profile_switch_nodes
    FALSE) and come last, so the former do not depend on them. `fast`: compiled or not; None: as it pays."""
    lft = empty(graph, graph.endpoints)
    counts = np.zeros(graph.peer.shape, np.int64)
    if fast is None:
        fast = compiles(graph.endpoints * graph.switches)
    block = compiled(deal_block)[0] if fast else _deal_block
    room = np.zeros(graph.width, np.int64)
    for leaf in leaf_order(graph).tolist():
        rows = graph.at_leaf(leaf)
        mask = allowed(leaf)
        mask[leaf] = False
        block(mask, counts, lft, rows, room)
        lft[rows, leaf] = graph.leaf_port[rows]
    if not switches:
        return lft, None
    own = empty(graph, graph.switches)
    for target in np.flatnonzero(graph.linked).tolist():
        mask = allowed(target)
        mask[target] = False
        at, ports = _candidates(mask)
        own[target, at] = _first_least(counts[at[:, None], ports] + np.where(ports == 0, _MANY // 2, 0), ports)
        own[target, target] = 0
    return lft, own


def _deal_block(mask: Ports, counts: Counts, lft: Table, rows: Rows, room: Counts) -> None:
    """Deals the endpoints `rows` of one leaf at every switch."""
    at, ports = _candidates(mask)
    lft[rows[:, None], at[None, :]] = _pick(counts, at, ports, len(rows)).T


def deal_block(mask: Any, counts: Any, lft: Any, rows: Any, room: Any) -> None:
    """The same, compiled: level by level of the counters, at each level the ports in order. `room` [width] to work in."""
    for s in range(mask.shape[0]):
        number = 0
        for p in range(mask.shape[1]):
            if mask[s, p]:
                room[number] = p
                number += 1
        given = 0
        while number > 0 and given < len(rows):
            level = counts[s, room[0]]
            for k in range(number):
                level = min(level, counts[s, room[k]])
            for k in range(number):
                if counts[s, room[k]] == level and given < len(rows):
                    counts[s, room[k]] += 1
                    lft[rows[given], s] = room[k]
                    given += 1


def leaf_order(graph: Graph) -> Rows:
    """Switches with endpoints: those with the most first, else as OpenSM walks them (glibc's qsort merges and is stable)."""
    order = graph.order[np.argsort(-graph.host_links[graph.order], kind="stable")]
    return order[graph.host_links[order] > 0]


def _candidates(mask: Ports) -> tuple[Rows, Rows]:
    """Switches with an allowed port [R], and their allowed ports ascending, filled up with port 0 behind them [R, K]."""
    number = mask.sum(axis=1)
    at = np.flatnonzero(number)
    number = number[at]
    ports = np.zeros((len(at), int(number.max(initial=0))), np.intp)
    ports[np.arange(ports.shape[1]) < number[:, None]] = np.nonzero(mask)[1]
    return at, ports


def _pick(counts: Counts, at: Rows, ports: Rows, number: int) -> Rows:
    """Deals `number` destinations at every switch of `at` and counts them. The ports in the order of dealing. [R, number]"""
    if not ports.shape[1]:
        return np.empty((len(at), number), np.intp)
    real = ports > 0
    have = counts[at[:, None], ports]
    least = np.where(real, have, _MANY).min(axis=1)
    even = np.where(real, have, 0).max(axis=1) <= least + 1
    result = np.empty((len(at), number), np.intp)
    result[even] = _round(have[even] == least[even, None], ports[even], number)
    odd = np.flatnonzero(~even)
    if len(odd):
        result[odd] = _one_by_one(np.where(real[odd], have[odd], _MANY // 2), ports[odd], number)
    flat = counts.reshape(-1)
    keys = (at[:, None] * counts.shape[1] + result).ravel()
    flat += np.bincount(keys, minlength=len(flat))
    return result


def _round(low: npt.NDArray[np.bool_], ports: Rows, number: int) -> Rows:
    """Counters that differ by one at most: first the lower ones, then all in turn, each time in port order."""
    low = low & (ports > 0)
    lows, every = low.sum(axis=1)[:, None], (ports > 0).sum(axis=1)[:, None]
    first = np.argsort(~low, axis=1, kind="stable")
    step = np.arange(number)[None, :]
    turn = np.where(step < lows, np.take_along_axis(first, np.minimum(step, ports.shape[1] - 1), axis=1), (step - lows) % every)
    return np.take_along_axis(ports, turn, axis=1)


def _one_by_one(have: Counts, ports: Rows, number: int) -> Rows:
    result = np.empty((len(have), number), np.intp)
    rows = np.arange(len(have))
    for i in range(number):
        column = have.argmin(axis=1)
        have[rows, column] += 1
        result[:, i] = ports[rows, column]
    return result


def _first_least(have: Counts, ports: Rows) -> Rows:
    if not ports.shape[1]:
        return np.empty(len(ports), np.intp)
    return np.take_along_axis(ports, have.argmin(axis=1)[:, None], axis=1)[:, 0]
