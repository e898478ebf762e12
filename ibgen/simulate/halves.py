"""What the halves of a subnet can send one another: max-flow, whatever the routing.

Takes a graph, the GB/s of its links and the groups of its switches. Gives `Halves`. Switches with equal cables to equal
neighbours are one vertex (colour refinement): a flow between such classes can be spread over their cables in proportion to what
these carry, so the reduced graph carries exactly what the whole one does. Where too many classes are left, the switches of a
group become one vertex; what is inside a group is then free, which bounds the flow from above.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.route import Graph

from .max_flow import max_flow
from .patterns import Rows
from .rates import Rates

MOST_VERTICES = 1000
"""Classes of switches up to which the flow is exact: on more it takes longer than all else in a study."""

MODEL = "max-flow between the halves of the leaves"

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Halves:
    """GB/s from one half of the leaves to the other (links are alike in both directions). `offered_gbs`: what the endpoints of
    the weaker half can send; `vertices` of the reduced graph; `exact` false: an upper bound, a group taken as one switch."""

    endpoints: int
    offered_gbs: float
    capacity_gbs: float
    vertices: int
    exact: bool

    @property
    def ratio(self) -> float:
        """Offered over capacity: 1.0 is full bisection bandwidth."""
        return self.offered_gbs / self.capacity_gbs if self.capacity_gbs else float("inf")


def halves(graph: Graph, links: Rates, injected: Rates, group: Rows, most: int = MOST_VERTICES) -> Halves | None:
    """Leaves in their order, cut where half of the endpoints is reached. None with fewer than two endpoints. `group` [S]: pod
    or group of each switch, 0 for none; `most` classes are taken one by one."""
    first = _first_half(graph)
    if not first.any() or first.sum() == len(graph.plugged):
        return None
    rows, leaf = graph.by_leaf[0], graph.leaf[graph.by_leaf[0]]
    sends: Rates = np.bincount(leaf, injected[rows] * first, graph.switches).astype(np.float64)
    hears: Rates = np.bincount(leaf, injected[rows] * ~first, graph.switches).astype(np.float64)
    switch, port = np.nonzero(graph.peer >= 0)
    ends = (switch, graph.peer[switch, port].astype(np.intp), _whole(links[switch * graph.width + port]))
    classes = _alike(_whole(sends), _whole(hears), ends)
    exact = int(classes.max()) < most
    if not exact:
        classes = np.where(group > 0, group - 1, int(group.max()) + np.arange(graph.switches))
        classes = np.unique(classes, return_inverse=True)[1]
    count = int(classes.max()) + 1
    flow = _flow(classes, count, _whole(sends), _whole(hears), ends)
    offered = min(sends.sum(), hears.sum())
    return Halves(len(rows), float(offered), flow / MB, count, exact)


MB = 1000
"""Flows are counted in whole MB/s: sums of whole numbers are the same in any order."""


def _whole(gbs: Rates) -> Rows:
    return np.rint(gbs * MB).astype(np.int64)


def _first_half(graph: Graph) -> npt.NDArray[np.bool_]:
    """[plugged, in leaf order] whether an endpoint is of the first half; a single leaf is cut in two."""
    rows, at = graph.by_leaf
    ends = np.unique(at[(at > 0) & (at < len(rows))])
    middle = len(rows) / 2
    cut = int(ends[np.abs(ends - middle).argmin()]) if len(ends) else len(rows) // 2
    return np.arange(len(rows)) < cut


def _alike(sends: Rows, hears: Rows, ends: tuple[Rows, Rows, Rows]) -> Rows:
    """[S] class of every switch: those of one class send and hear as much, and have as many GB/s to every other class."""
    switch, peer, rate = ends
    own = _mixed(sends.astype(np.uint64)) + _mixed(hears.astype(np.uint64) + np.uint64(1 << 40))
    classes = np.unique(own, return_inverse=True)[1]
    while True:
        word = _mixed(classes.astype(np.uint64))
        toward = np.zeros(len(classes), np.uint64)
        np.add.at(toward, switch, word[peer] * rate.astype(np.uint64))
        finer: Rows = np.unique(_mixed(toward) + word, return_inverse=True)[1].astype(np.intp)
        if finer.max() == classes.max():
            return finer
        classes = finer


def _mixed(words: Words) -> Words:
    """64-bit words that look random (the finaliser of SplitMix64, Steele 2014), so that unequal sums hardly ever meet."""
    x = words + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _flow(classes: Rows, count: int, sends: Rows, hears: Rows, ends: tuple[Rows, Rows, Rows]) -> int:
    """MB/s from a source behind all that send to a sink behind all that hear."""
    switch, peer, rate = ends
    a, b = classes[switch], classes[peer]
    key, at = np.unique((a * count + b)[a != b], return_inverse=True)
    room = np.zeros(len(key), np.int64)
    np.add.at(room, at, rate[a != b])
    arcs = [(int(k) // count, int(k) % count, int(r)) for k, r in zip(key, room, strict=True)]
    source, sink = count, count + 1
    for values, arc in ((sends, lambda c: (source, c)), (hears, lambda c: (c, sink))):
        total = np.zeros(count, np.int64)
        np.add.at(total, classes, values)
        arcs += [(*arc(int(c)), int(total[c])) for c in np.flatnonzero(total)]
    return max_flow(count + 2, arcs, source, sink)
