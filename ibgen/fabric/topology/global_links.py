"""Which port of a group goes to which group: the absolute arrangement, as arrays.

Takes counts. Gives both ends of every cable between groups as (group, port of the group), groups and ports from 0.

*Absolute* (Hastings et al., CLUSTER 2015): the ports of a group lead to the other groups in ascending order, itself left
out, `pair` ports to each. The cable between two groups thus has the same ports however many groups follow: a further group
recables none, as long as `pair` stays. Ports of a group are dealt to its routers (spines) in turn, so that parallel cables
of a pair end on different switches. What is left is joined as a circulant graph, one more cable to the groups 1, 2, ... on
either side, so that no two pairs differ by more than one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..columns import Ints


@dataclass(frozen=True, slots=True)
class GlobalLinks:
    """Cables between groups, by lower group and port. The lower end is the group with the smaller number."""

    lower: Ints
    lower_port: Ints
    upper: Ints
    upper_port: Ints


def global_links(groups: int, pair: int, odd: int = 0) -> GlobalLinks:
    """`pair` cables between every two groups, and `odd` further ones per group, each to a group of its own."""
    one, other = np.triu_indices(groups, 1)
    low, high = np.repeat(one, pair), np.repeat(other, pair)
    copy = np.tile(np.arange(pair), len(one))
    ends = [np.stack([low, (high - 1) * pair + copy, high, low * pair + copy])]
    ends += _circulant(groups, pair * (groups - 1), odd)
    table = np.concatenate(ends, axis=1).astype(np.int32)
    table = table[:, np.lexsort((table[1], table[0]))]
    return GlobalLinks(table[0], table[1], table[2], table[3])


def _circulant(groups: int, first: int, odd: int) -> list[np.ndarray]:
    """One further cable to the neighbours at distance 1, 2, ..., and half way round where `odd` is odd."""
    found = []
    everyone = np.arange(groups)
    for step in range(1, odd // 2 + 1):
        there = (everyone + step) % groups
        out, back = np.full(groups, first + 2 * step - 2), np.full(groups, first + 2 * step - 1)
        found.append(_ordered(everyone, out, there, back))
    if odd % 2:
        half = everyone[: groups // 2]
        port = np.full(len(half), first + odd - 1)
        found.append(_ordered(half, port, half + groups // 2, port))
    return found


def _ordered(a: np.ndarray, p: np.ndarray, b: np.ndarray, q: np.ndarray) -> np.ndarray:
    swap = a > b
    return np.stack([np.where(swap, b, a), np.where(swap, q, p), np.where(swap, a, b), np.where(swap, p, q)])
