"""Adaptive routing of a study's patterns: static below, fluid above, and the share that is declared, with its source."""

from __future__ import annotations

from collections.abc import Mapping

from ibgen.catalog import Catalog
from ibgen.catalog.adaptive import AdaptiveShare
from ibgen.fabric import Subnet
from ibgen.route import Graph
from ibgen.spec import ClusterSpec

from .adaptive import fluid_bound
from .engines import adaptive
from .loads import Loads
from .patterns import Flows
from .rates import Rates
from .results import BoundsResult

MODEL = "static tables to fluid over all ways"


def bounds(
    spec: ClusterSpec, subnet: Subnet, graph: Graph, catalog: Catalog, named: Mapping[str, Flows], loads: Mapping[str, Loads],
    links: Rates, injected: Rates,
) -> tuple[BoundsResult, ...]:  # fmt: skip
    """One per pattern. `declared` is the catalog's parameter times the fluid: on a tapered tree no more is left to share."""
    row = catalog.row("adaptive", spec.fabrics[subnet.fabric].kind)
    active = adaptive(spec, subnet)
    found = []
    for name, flows in named.items():
        fluid = fluid_bound(graph, flows, links, injected)
        static = loads[name].efficiency
        share, source = None, ""
        if isinstance(row, AdaptiveShare):
            share = max(static, fluid * row.share)
            source = row.source + (" (unverified)" if row.unverified else "")
        found.append(BoundsResult(name, static, max(fluid, static), share, source, active, MODEL))
    return tuple(found)
