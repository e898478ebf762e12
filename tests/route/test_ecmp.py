"""Balls in bins: what probability theory says of queue pairs over equal ways."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ibgen.route import ecmp, spread

from .fabrics import pgft, wired

TREE = pgft(16, 4, 16)


def from_first_leaf() -> tuple[np.ndarray, np.ndarray]:
    return np.arange(16), np.arange(16, 32)


def test_every_queue_pair_takes_a_shortest_way_to_its_destination() -> None:
    sources, destinations = np.arange(64), np.roll(np.arange(64), 7)
    links = ecmp(TREE, sources, destinations, queue_pairs=3, seed=5)
    near = TREE.leaf[sources] == TREE.leaf[destinations]
    assert ((links >= 0).sum(axis=2) == np.where(near, 1, 3)[:, None]).all()
    last = np.take_along_axis(links, ((links >= 0).sum(axis=2) - 1)[:, :, None], axis=2)[:, :, 0]
    assert (TREE.endpoint.ravel()[last] == destinations[:, None]).all()
    assert (links[:, :, 0] // TREE.width == TREE.leaf[sources][:, None]).all()
    inner = links[~near][:, :, :2]
    assert (TREE.peer.ravel()[inner[:, :, 0]] == inner[:, :, 1] // TREE.width).all()


def test_idle_uplinks_are_as_many_as_chance_leaves_empty() -> None:
    """n balls into u bins leave u (1 - 1/u)^n empty; 200 draws, within 4 standard errors."""
    sources, destinations = from_first_leaf()
    empty = []
    for seed in range(200):
        links = ecmp(TREE, sources, destinations, seed=seed)[:, 0, 0]
        empty.append(16 - len(np.unique(links)))
    expected = 16 * (1 - 1 / 16) ** 16
    assert abs(np.mean(empty) - expected) < 4 * np.std(empty) / sqrt(len(empty))


def test_more_queue_pairs_spread_better() -> None:
    sources, destinations = from_first_leaf()
    one, eight = (spread(TREE, sources, destinations, q, tuple(range(50))) for q in (1, 8))
    assert one.mean < eight.mean < 1
    assert eight.deviation < one.deviation
    assert eight.largest.mean() < one.largest.mean()


def test_the_seed_decides_and_nothing_else() -> None:
    sources, destinations = from_first_leaf()
    a, b, c = (ecmp(TREE, sources, destinations, 4, seed) for seed in (1, 1, 2))
    assert (a == b).all()
    assert (a != c).any()


def test_flows_without_a_way_or_within_a_leaf() -> None:
    g = wired([(0, 1)], [2, 1, 1])  # switch 2 is an island
    links = ecmp(g, np.array([0, 0, 0]), np.array([1, 2, 3]))
    assert [(row >= 0).sum() for row in links[:, 0]] == [1, 2, 0]
    nobody = spread(g, np.array([0]), np.array([3]), 2, (0, 1))
    assert (nobody.mean, nobody.deviation, nobody.largest.max()) == (0.0, 0.0, 0.0)
