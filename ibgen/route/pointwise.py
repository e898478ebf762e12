"""Single next ports of D-mod-k, without a table: what a few thousand flows on a fabric of 65,536 endpoints need.

Takes the closed form of a graph. Gives `Pointwise`, which answers for (destination, switch) pairs what the whole table would.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .dmodk import DModK, closed_form
from .graph import Graph, Ints, Rows
from .regular import Regular


@dataclass(frozen=True)
class Pointwise:
    """The closed form, with the place of every switch in its tier. No table is held: its arrays are a few hundred kilobytes."""

    graph: Graph
    form: DModK
    place: Rows  # [S] index among the leaves, the spines (pod by pod), the cores

    @property
    def engine(self) -> str:
        return "dmodk"

    def ports(self, destinations: Rows, switches: Rows) -> Ints:
        """Ports by which `switches` send toward `destinations`; -1: not plugged in. [N]"""
        g, t = self.graph, self.form.tree
        home = g.leaf[destinations]
        leaf = self.form.leaf_index[np.maximum(home, 0)]
        number = t.numbers[destinations]
        tier = g.tier[switches]
        result = g.leaf_port[destinations].astype(np.int32)
        below = (tier == 0) & (switches != home)
        result[below] = self.form.leaf_rows[_turn(number[below], t), self.place[switches[below]]] if t.spines.size else 0
        middle, top = tier == 1, tier == 2
        result[middle] = self._spine(number[middle], leaf[middle], switches[middle])
        if top.any():
            result[top] = self._core(number[top], leaf[top], switches[top])
        result[home < 0] = -1
        return result

    def _spine(self, number: Rows, leaf: Rows, switches: Rows) -> Ints:
        t = self.form.tree
        per_pod = max(1, t.spines.shape[1])
        pod, index = np.divmod(self.place[switches], per_pod)
        down = pod == t.pod[leaf]
        result = np.zeros(len(number), np.int32)
        if len(t.cores):
            turn = number // per_pod % t.spine_up.shape[2]
            result = self.form.spine_rows[turn, self.place[switches]].astype(np.int32)
        result[down] = t.leaf_down[_turn(number[down], t) // per_pod, leaf[down], index[down]]
        return result

    def _core(self, number: Rows, leaf: Rows, switches: Rows) -> Ints:
        t = self.form.tree
        pods, per_pod = t.spines.shape
        turn = number // per_pod % t.spine_up.shape[2]
        width = t.spine_up.shape[2] // t.core_down.shape[0]
        row = (turn // width * pods + t.pod[leaf]) * per_pod + number % per_pod
        return np.asarray(self.form.core_rows[row, self.place[switches]], np.int32)


def _turn(number: Rows, tree: Regular) -> Rows:
    return np.asarray(number % tree.leaf_up.shape[1])


def pointwise(graph: Graph) -> Pointwise:
    """Raises `NotRouted` where the graph is no regular fat tree."""
    form = closed_form(graph)
    place = np.zeros(graph.switches, np.intp)
    for rows in (form.tree.leaves, form.tree.spines.ravel(), form.tree.cores):
        place[rows] = np.arange(len(rows))
    return Pointwise(graph, form, place)
