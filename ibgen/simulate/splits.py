"""How traffic may be split over the ways of `detours`: straight only, as Valiant does, and the best split with its bound.

Takes `Detours` and what every pair of nodes demands, GB/s. Gives shares: what part of the demand all pairs get at once.
Valiant's are expectations, exact. The best split assumes a view of the whole fabric. Its bound is a dual one: for any lengths
of the links no more is carried than (sum of room x length) / (sum of demand x shortest way), however they were found.
Sources: Valiant and Brebner, STOC 1981; Kim et al., ISCA 2008; multiplicative weights as in Arora, Hazan, Kale, Theory of
Computing 2012, each side looking one step ahead (Rakhlin and Sridharan, NIPS 2013).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .detours import MINIMAL, ROUTER, Detours
from .rates import Rates

CLOSE = 1.005
"""Bound over split at which the search ends: half a percent."""

WORK, LEAST, MOST = 1_200_000, 8, 100
"""Ways that a search looks at in all, and the least and most rounds it makes. More rounds only bring the bound nearer."""

FLOWS_STEP, PRICES_STEP = 0.6, 0.2
"""Step sizes of the two sides, in units of the mean cost and of the fullest link. They decide on speed, not on validity."""

FLOOR = 1e-3
"""Part of the prices that stays spread over all links, so that no way is ever free."""


CLOSED = -1000.0
"""Logarithm of the weight of a way over a cable that is not there."""


@dataclass(frozen=True, slots=True)
class Split:
    """Shares of the demand that all get at once: `best` was found, `bound` cannot be passed, the truth lies between. `mean`:
    what the mean of their shares cannot pass, where each gets its demand at most."""

    best: float
    bound: float
    mean: float


def minimal(ways: Detours) -> Rates:
    """[W] weights: straight to the other group, over all cables of the pair alike; inside a group by the local link."""
    return _per_pair(ways, (ways.kind == MINIMAL).astype(float))


def valiant(ways: Detours, kind: int) -> Rates:
    """[W] weights: every flow to a group drawn at random, there (`kind` is `ROUTER`) to a random router, then on. Where it
    draws its own group or that of its destination it goes straight. What stays in a group never leaves it."""
    net, pairs = ways.net, len(ways.first)
    none = len(net.room)
    inside, third = ways.links[1] == none, ways.links[3] < none
    weights = np.zeros(len(ways.pair))
    chosen = third & (ways.kind == kind if net.size > 2 else third)
    one, two = (net.counts.ravel()[net.pairs[ways.links[row, chosen] - net.local]] for row in (1, 3))
    weights[chosen] = 1 / (one * two)  # every third group alike, whatever number of cables leads there
    straight = ~inside & ~third
    number = np.bincount(ways.pair[straight], minlength=pairs)
    weights[straight] = 2 / number[ways.pair[straight]]
    weights[(np.bincount(ways.pair[inside], minlength=pairs) > 0)[ways.pair]] = 0.0
    weights[inside & (ways.kind == (ROUTER if kind == ROUTER and net.size > 2 else MINIMAL))] = 1.0
    return _per_pair(ways, weights)


def share(ways: Detours, weights: Rates, demand: Rates) -> float:
    """What the fullest link leaves of the demand; above 1: more than is demanded; 0 where a pair has no such way."""
    if (np.bincount(ways.pair, weights, len(ways.first)) < 0.5).any():
        return 0.0
    room, loads = ways.net.room, ways.loads(weights * demand[ways.pair])
    used = loads > 0
    return float((room[used] / loads[used]).min(initial=np.inf))


def best_split(ways: Detours, demand: Rates, enough: float = np.inf) -> Split:
    """The search ends where a split gives `enough`, where the bound has come near, or with the work."""
    best = max(share(ways, weights, demand) for weights in (minimal(ways), valiant(ways, ROUTER)))
    known, prices = Split(best, np.inf, 1.0), np.zeros(0)
    for tried in _first_prices(ways, demand):
        found = _bounded(ways, demand, tried, known)
        if found.bound < known.bound:
            prices = tried
        known = found
    if len(prices) and best < enough and known.bound > best * CLOSE:
        return _searched(ways, demand, known, prices, enough)
    return known


def _first_prices(ways: Detours, demand: Rates) -> Iterator[Rates]:
    """Guesses, [links] parts of 1: every link between groups alike, those dearer that straight ways overfill, local links
    for nothing, half or all of that."""
    net = ways.net
    room, outer = net.room, np.arange(len(net.room)) >= net.local
    loads = ways.loads(minimal(ways) * demand[ways.pair])
    full = np.where(room > 0, loads / np.where(room > 0, room, 1.0), 0.0)
    over = full > 1.5 * full[outer].mean()
    for local in (0.0, 0.5, 1.0):
        for dear in (1.0, 2.0):
            price = room * np.where(outer, 1.0, local) * np.where(over, dear, 1.0)
            yield price / price.sum()


def _searched(ways: Detours, demand: Rates, known: Split, prices: Rates, enough: float) -> Split:
    """Flows go where links are cheap, prices rise where links are full; averages of both sides close in on each other."""
    room = ways.net.room
    there = room > 0
    per = np.where(there, 1 / np.where(there, room, 1.0), 0.0)
    even, mean = room / room.sum(), float(demand.sum())
    costs, dear = np.log(np.maximum((prices + even) / 2, 1e-300)), np.zeros(len(room))
    logs = np.where(np.isfinite(ways.lengths(np.where(there, per, np.inf))), 0.0, CLOSED)
    gain = np.zeros(len(ways.pair))
    if (np.maximum.reduceat(logs, ways.first) == CLOSED).any():
        return _bounded(ways, demand, even, known)
    loads_sum, price_sum = np.zeros((2, len(room)))
    rounds = int(np.clip(WORK // len(ways.pair), LEAST, MOST))
    for turn in range(1, rounds + 1):
        full = ways.loads(_normal(ways, logs - FLOWS_STEP * gain) * demand[ways.pair]) * per
        price = np.where(there, np.exp(costs + PRICES_STEP * dear - (costs + PRICES_STEP * dear)[there].max()), 0.0)
        price = (1 - FLOOR) * price / price.sum() + FLOOR * even
        loads_sum += turn * full
        price_sum += turn * price
        weight = turn * (turn + 1) / 2
        known = replace(known, best=max(known.best, 1 / float(full.max()), weight / float(loads_sum.max())))
        if turn % 4 == 0 or turn == rounds:
            for tried in (price, price_sum / weight):
                known = _bounded(ways, demand, tried, known)
        if known.best >= enough or known.bound <= known.best * CLOSE:
            break
        gain = np.minimum(ways.lengths(np.where(there, price * per, np.inf)) * mean * known.bound, 10.0)
        dear = np.minimum(full * known.best, 3.0)
        logs, costs = logs - FLOWS_STEP * gain, costs + PRICES_STEP * dear
    return known


def _bounded(ways: Detours, demand: Rates, prices: Rates, known: Split) -> Split:
    """What is known, and what lengths price / room forbid to pass; the prices sum up to 1. Pairs that cannot be reached are
    left out of `bound` and count in full in `mean`, which only raises them.

    Of `mean`: with all lengths t times as long, sum of rates <= t + sum of demand x (1 - t x shortest way), where that is
    positive; the least of it lies where some pair's term vanishes.
    """
    room = ways.net.room
    near = ways.nearest(np.where(room > 0, prices / np.where(room > 0, room, 1.0), np.inf))
    order = np.argsort(-near, kind="stable")
    order = order[np.isfinite(near[order]) & (near[order] > 0)]
    if not len(order):
        return known
    near, some = near[order], demand[order]
    all_, left = float(demand.sum()), float(demand.sum() - some.sum())
    cost, rest = np.cumsum((near * some)[::-1])[::-1], np.cumsum(some[::-1])[::-1]
    later = np.arange(1, len(near) + 1)  # pairs with shorter ways than this one: their terms are still positive
    sums = (1 - np.append(cost, 0.0)[later]) / near + np.append(rest, 0.0)[later] + left
    return Split(known.best, min(known.bound, 1 / float(cost[0])), min(known.mean, float(sums.min()) / all_))


def _per_pair(ways: Detours, weights: Rates) -> Rates:
    total = np.bincount(ways.pair, weights, len(ways.first))
    return weights / np.where(total > 0, total, 1.0)[ways.pair]


def _normal(ways: Detours, logs: Rates) -> Rates:
    weights = np.exp(logs - np.maximum.reduceat(logs, ways.first)[ways.pair])
    return weights / np.add.reduceat(weights, ways.first)[ways.pair]
