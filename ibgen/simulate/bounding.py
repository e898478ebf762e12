"""Adaptive routing of a study's patterns: static below, fluid above, and the share that is declared, with its source.

Takes flows and loads by name. Gives `BoundsResult`s; of groups joined to each other also what detours make of the group shift.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ibgen.catalog import Catalog
from ibgen.catalog.adaptive import AdaptiveShare
from ibgen.fabric import GroupPlan, Subnet
from ibgen.route import Graph
from ibgen.spec import ClusterSpec

from .adaptive import MOST_WAYS, fluid_all_to_all, fluid_bound, fluid_slowest
from .detours import GROUP, ROUTER, Detours, detours, joined, ways_count
from .engines import adaptive
from .group_net import GroupNet, group_net
from .group_shift import NAME
from .loads import Loads
from .patterns import Flows
from .rates import Rates
from .results import BoundsResult, DetourResult
from .splits import best_split, minimal, share, valiant

MODEL = "static tables to fluid over all ways"
DETOURS = "static tables to fluid over all ways straight and through one other group"
ROUTERS = "fluid over local and global cables, a view of the whole fabric"
LOCAL = "; by a random group alone flows meet on single local links of the group between"
"""Garcia et al., ICPP 2012: the cables from one group and to another end on two routers, and one link joins these."""

ALL_TO_ALL = "all-to-all"
GROUPS = "fluid over global cables, a view of the whole fabric"
TREES = "fluid over global cables and, evenly, those inside groups, a view of the whole fabric"

MOST_TREES = 256
"""Groups up to which it is kept which of their ways need a leaf: 16 MB."""


def bounds(
    spec: ClusterSpec, subnet: Subnet, graph: Graph, catalog: Catalog, named: Mapping[str, Flows], loads: Mapping[str, Loads],
    links: Rates, injected: Rates, every: float | None = None,
) -> tuple[BoundsResult, ...]:  # fmt: skip
    """One per pattern; of the all-to-all too where its static share is given (`every`). `declared` is the catalog's parameter
    times the fluid: on a tapered tree no more is left to share."""
    row = catalog.row("adaptive", spec.fabrics[subnet.fabric].kind)
    active = adaptive(spec, subnet)
    nets = group_nets(subnet, graph, links)
    pairs = [(name, loads[name].efficiency, fluid_bound(graph, flows, links, injected, nets)) for name, flows in named.items()]
    if every is not None:
        pairs.append((ALL_TO_ALL, every, fluid_all_to_all(graph, links, injected, nets)))
    found = []
    for name, static, fluid in pairs:
        share, efficiency, source = None, None, ""
        if isinstance(row, AdaptiveShare):
            efficiency, share = row.share, max(static, fluid * row.share)
            source = row.source + (" (unverified)" if row.doubts("share") else "")
        model = DETOURS if nets else MODEL
        found.append(BoundsResult(name, static, max(fluid, static), efficiency, share, source, active, model))
    return tuple(found)


def declared_slowest(
    spec: ClusterSpec, subnet: Subnet, graph: Graph, catalog: Catalog, links: Rates, injected: Rates
) -> Callable[[Flows], float] | None:
    """What adaptive routing is declared to leave the slowest of some flows, as a share of its sender's line: the catalog's
    parameter times the fullest cut. None where the manager does not route adaptively."""
    row = catalog.row("adaptive", spec.fabrics[subnet.fabric].kind)
    if not adaptive(spec, subnet) or not isinstance(row, AdaptiveShare):
        return None
    part, nets = row.share, group_nets(subnet, graph, links)
    return lambda flows: part * fluid_slowest(graph, flows, links, injected, nets)


def group_nets(subnet: Subnet, graph: Graph, links: Rates) -> tuple[GroupNet, ...]:
    """Router by router (of a dragonfly), and one node per group; nothing for shapes without groups. Of a dragonfly+ the cables
    inside a group count together, where there are not too many groups to say which ways need them."""
    layout = subnet.layout
    if not isinstance(layout, GroupPlan) or layout.groups < 2:
        return ()
    pod = subnet.switches.pod.astype(np.intp)
    coarse = group_net(graph, pod, links, together=True, trees=layout.plus and layout.groups <= MOST_TREES)
    return (coarse,) if layout.plus else (group_net(graph, pod, links), coarse)


def group_detours(
    subnet: Subnet, graph: Graph, named: Mapping[str, Flows], loads: Mapping[str, Loads], links: Rates, injected: Rates
) -> DetourResult | None:
    """The shift by a group, by the ways that are allowed. None where there is none, or a group has no way to its partner."""
    if NAME not in named:
        return None
    flows = named[NAME]
    line = float(injected[flows[0]].min())
    for net in group_nets(subnet, graph, links):
        start, end, demand = net.demands(graph, flows, line)
        if not len(start) or not joined(net, start, end).all():
            return None
        if ways_count(net, start, end) <= MOST_WAYS:
            return _by_ways(detours(net, start, end), demand, loads[NAME].max)
    return None


def _by_ways(ways: Detours, demand: Rates, crowd: int) -> DetourResult:
    """`crowd`: flows on the fullest link of the static tables."""
    split, routers = best_split(ways, demand, 1.0), ways.net.size > 1
    found = (share(ways, weights, demand) for weights in (minimal(ways), valiant(ways, GROUP), valiant(ways, ROUTER)))
    straight, group, router = (min(1.0, x) for x in found)
    model = ROUTERS + (LOCAL if group < 0.9 * router else "") if routers else GROUPS if ways.net.trees is None else TREES
    best, bound = min(1.0, split.best), min(1.0, split.bound)
    return DetourResult(NAME, 1 / max(1, crowd), straight, group, router if routers else None, best, bound, model)
