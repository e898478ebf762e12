"""A study of an Ethernet fabric: equal-cost multipath as balls in bins.

Takes a graph. Gives a `Study` with patterns only: each draw is a seed of the hash in the switches; no manager has a word in it.
"""

from __future__ import annotations

import numpy as np

from ibgen.fabric import Fabric, Subnet
from ibgen.route import Graph
from ibgen.route.ecmp import spread
from ibgen.spec import ClusterSpec

from .engines import Origin, TablesOf
from .group_shift import NAME, group_shift
from .jobs import compute_rows, place_of, rings
from .measures import patterns_drawn
from .patterns import Flows, permutation
from .rates import GBS
from .results import Options, PatternResult, Study

MODEL: Origin = "equal-cost multipath"
QUEUE_PAIRS = 1


def multipath(spec: ClusterSpec, fabric: Fabric, subnet: Subnet, graph: Graph, options: Options) -> Study:
    """Permutation, rail rings and the shift by a group under as many hash seeds as there would be patterns."""
    options.progress(f"patterns on {subnet.name}")
    drawn = min(patterns_drawn(options, graph.endpoints), 20)
    seeds = tuple(range(options.seed, options.seed + drawn))
    jobs = compute_rows(subnet, graph)
    named: dict[str, Flows] = {"permutation": permutation(graph.plugged, options.seed)}
    if len(np.unique(subnet.ports.host[jobs])) > 1:
        named["rail rings"] = rings(fabric, subnet, jobs, place_of(fabric, options.order))
    between = group_shift(subnet, graph)
    if between is not None:
        named[NAME] = between.flows
    found = [_pattern(graph, name, flows, seeds) for name, flows in named.items()]
    rates, count = np.unique(subnet.ports.rate_gbps[graph.plugged], return_counts=True)
    line = float(rates[count.argmax()]) / GBS if len(rates) else 0.0
    note = f"Every connection is {QUEUE_PAIRS} queue pair that falls by a hash into one of the equal ways."
    return Study(
        subnet.name, subnet.fabric, options.seed, len(graph.plugged), len(np.unique(subnet.ports.host[graph.plugged])),
        int(graph.linked.sum()), line, TablesOf("ecmp", MODEL, "ecmp", ""), tuple(found), (), (), (), (), None, (), (), (),
        (note,), None,
    )  # fmt: skip


def _pattern(graph: Graph, name: str, flows: Flows, seeds: tuple[int, ...]) -> PatternResult:
    moving = flows[0] != flows[1]
    if not moving.any():
        return PatternResult(name, MODEL, 0, 1, seeds[0], 1.0, 0.0, 0, 0, "nobody to send to")
    made = spread(graph, flows[0][moving], flows[1][moving], QUEUE_PAIRS, seeds)
    error = made.deviation / len(seeds) ** 0.5
    most = int(np.ceil(made.largest.max(initial=0)))
    note = "one seed of the hash per draw"
    return PatternResult(name, MODEL, int(moving.sum()), len(seeds), seeds[0], made.mean, error, most, 0, note)
