"""A study of an Ethernet fabric: equal-cost multipath as balls in bins.

Takes a graph. Gives a `Study`: each draw is a seed of the hash in the switches; no manager has a word in it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ibgen.catalog import Catalog
from ibgen.fabric import Fabric, Subnet
from ibgen.route import Graph, Spread, spread
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

from .attached import Attached, attached, whole
from .engines import Origin, TablesOf
from .fabric_rates import held_collectives, training_outcomes
from .group_shift import NAME, group_shift
from .halves import halves
from .jobs import compute_rows, place_of, rings
from .measures import patterns_drawn
from .patterns import Flows, Rows, permutation
from .rates import GBS, capacities
from .results import FabricRate, Options, PatternResult, Study

MODEL: Origin = "equal-cost multipath"
RING_MODEL = "equal-cost multipath, fullest link of a draw"
QUEUE_PAIRS = "NCCL_IB_QPS_PER_CONNECTION"


def multipath(
    spec: ClusterSpec, fabric: Fabric, targets: Targets, catalog: Catalog, subnet: Subnet, graph: Graph, options: Options
) -> Study:  # fmt: skip
    """Permutation, rail rings and the shift by a group under as many hash seeds as there would be patterns; collectives are
    held to the fullest link that the rings have, the mean over the seeds."""
    options.progress(f"patterns on {subnet.name}")
    drawn = options.patterns or min(patterns_drawn(options, graph.endpoints), 20)
    seeds = tuple(range(options.seed, options.seed + drawn))
    jobs = compute_rows(subnet, graph)
    named: dict[str, Flows] = {"permutation": permutation(graph.plugged, options.seed)}
    if len(np.unique(subnet.ports.host[jobs])) > 1:
        named["rail rings"] = rings(fabric, subnet, jobs, place_of(fabric, options.order))
    between = group_shift(subnet, graph)
    if between is not None:
        named[NAME] = between.flows
    pairs = _queue_pairs(targets, fabric, subnet, jobs)
    made = {name: _spread(graph, flows, pairs, seeds) for name, flows in named.items()}
    found = tuple(_pattern(name, s, int((named[name][0] != named[name][1]).sum()), seeds) for name, s in made.items())
    rates, count = np.unique(subnet.ports.rate_gbps[graph.plugged], return_counts=True)
    line = float(rates[count.argmax()]) / GBS if len(rates) else 0.0
    rated = _rated(fabric, subnet, jobs, made.get("rail rings"), attached(targets))
    more = options.collectives
    return Study(
        subnet.name, subnet.fabric, options.seed, len(graph.plugged), len(np.unique(subnet.ports.host[graph.plugged])),
        int(graph.linked.sum()), line, TablesOf("ecmp", MODEL, "ecmp", ""), found, (), (), (), (), None, rated,
        held_collectives(spec, fabric, targets, catalog, rated) if more else (),
        training_outcomes(spec, fabric, catalog, rated) if more else (), (_note(pairs),), None,
        halves(graph, *capacities(subnet, graph), subnet.switches.pod.astype(np.intp)),
    )  # fmt: skip


def _queue_pairs(targets: Targets, fabric: Fabric, subnet: Subnet, jobs: Rows) -> int:
    """What NCCL is told for the hosts here; its default is one queue pair per connection."""
    pools = set(np.unique(fabric.hosts.pool[subnet.ports.host[jobs]]).tolist())
    told = (s.value for p in targets.nccl if p.pool in pools for s in p.settings if s.name == QUEUE_PAIRS)
    return max((int(value) for value in told if value.isdecimal()), default=1) or 1


def _note(pairs: int) -> str:
    many = "one queue pair that falls" if pairs == 1 else f"{pairs} queue pairs that fall each"
    return f"Every connection is {many} by a hash into one of the equal ways."


def _spread(graph: Graph, flows: Flows, pairs: int, seeds: tuple[int, ...]) -> Spread | None:
    moving = flows[0] != flows[1]
    return spread(graph, flows[0][moving], flows[1][moving], pairs, seeds) if moving.any() else None


def _pattern(name: str, made: Spread | None, flows: int, seeds: tuple[int, ...]) -> PatternResult:
    if made is None:
        return PatternResult(name, MODEL, 0, 1, None, 1.0, None, 0, 0, "nobody to send to")
    error = made.deviation / len(seeds) ** 0.5 if len(seeds) > 1 else None
    most = int(np.ceil(made.largest.max(initial=0)))
    return PatternResult(name, MODEL, flows, len(seeds), seeds[0], made.mean, error, most, 0, "one seed of the hash per draw")


def _rated(
    fabric: Fabric, subnet: Subnet, jobs: Rows, made: Spread | None, held: Mapping[int, Attached]
) -> tuple[FabricRate, ...]:
    """A ring is as fast as its slowest hop: what the fullest link of each draw leaves, the mean over the draws."""
    if made is None:
        return ()
    share = float((1 / np.maximum(made.largest, 1.0)).mean())
    found = []
    for pool, platform in enumerate(fabric.hosts.platforms):
        if platform.gpus and (fabric.hosts.pool[subnet.ports.host[jobs]] == pool).any():
            own = held.get(pool) or whole(platform)
            found.append(FabricRate(pool, "ring", share * own.part, share * own.least, own.whole, "rail rings", RING_MODEL))
    return tuple(found)
