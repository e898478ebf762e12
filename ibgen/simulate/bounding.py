"""Adaptive routing of a study's patterns: static below, fluid above, and the share that is declared, with its source.

Takes flows and loads by name. Gives `BoundsResult`s; of groups joined to each other also what detours make of the group shift.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ibgen.catalog import Catalog
from ibgen.catalog.adaptive import AdaptiveShare
from ibgen.fabric import GroupPlan, Subnet
from ibgen.route import Graph
from ibgen.spec import ClusterSpec

from .adaptive import fluid_bound
from .detours import GROUP, ROUTER, detours, joined
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

GROUPS = "fluid over global cables, a view of the whole fabric"


def bounds(
    spec: ClusterSpec, subnet: Subnet, graph: Graph, catalog: Catalog, named: Mapping[str, Flows], loads: Mapping[str, Loads],
    links: Rates, injected: Rates,
) -> tuple[BoundsResult, ...]:  # fmt: skip
    """One per pattern. `declared` is the catalog's parameter times the fluid: on a tapered tree no more is left to share."""
    row = catalog.row("adaptive", spec.fabrics[subnet.fabric].kind)
    active = adaptive(spec, subnet)
    nets = group_nets(subnet, graph, links)
    found = []
    for name, flows in named.items():
        fluid = fluid_bound(graph, flows, links, injected, nets)
        static = loads[name].efficiency
        share, source = None, ""
        if isinstance(row, AdaptiveShare):
            share = max(static, fluid * row.share)
            source = row.source + (" (unverified)" if row.unverified else "")
        model = DETOURS if nets else MODEL
        found.append(BoundsResult(name, static, max(fluid, static), share, source, active, model))
    return tuple(found)


def group_nets(subnet: Subnet, graph: Graph, links: Rates) -> tuple[GroupNet, ...]:
    """Router by router (of a dragonfly), and one node per group; nothing for shapes without groups. The trees inside the groups
    of a dragonfly+ are no part of it: their leaves are cuts of their own."""
    layout = subnet.layout
    if not isinstance(layout, GroupPlan) or layout.groups < 2:
        return ()
    pod = subnet.switches.pod.astype(np.intp)
    coarse = group_net(graph, pod, links, together=True)
    return (coarse,) if layout.plus else (group_net(graph, pod, links), coarse)


def group_detours(
    subnet: Subnet, graph: Graph, named: Mapping[str, Flows], loads: Mapping[str, Loads], links: Rates, injected: Rates
) -> DetourResult | None:
    """The shift by a group, by the ways that are allowed. None where there is none, or a group has no way to its partner."""
    nets = group_nets(subnet, graph, links)
    if not nets or NAME not in named:
        return None
    flows = named[NAME]
    line = float(injected[flows[0]].min())
    start, end, demand = nets[0].demands(graph, flows, line)
    if not len(start) or not joined(nets[0], start, end).all():
        return None
    ways = detours(nets[0], start, end)
    split, routers = best_split(ways, demand, 1.0), nets[0].size > 1
    found = (share(ways, weights, demand) for weights in (minimal(ways), valiant(ways, GROUP), valiant(ways, ROUTER)))
    straight, group, router = (min(1.0, x) for x in found)
    model = ROUTERS + (LOCAL if group < 0.9 * router else "") if routers else GROUPS
    return DetourResult(
        NAME, 1 / loads[NAME].max if loads[NAME].max else 1.0, straight, group, router if routers else None,
        min(1.0, split.best), min(1.0, split.bound), model,
    )  # fmt: skip
