"""Effective bisection bandwidth where `requirements` ask for it.

Takes `ClusterSpec`, `Fabric`, `Catalog`. Gives one `EffectiveBandwidth` per subnet whose fabric is asked about: on the closed
form where the engine comes to it, on the engine's own tables where they are small enough to be computed in passing.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.catalog import Catalog
from ibgen.fabric import Fabric, Subnet
from ibgen.route import graph
from ibgen.spec import ClusterSpec
from ibgen.targets.opensm_routing import roots_of

from .bounding import bounds
from .engines import engine_of, tables_of_graph
from .loads import estimate, flow_loads
from .patterns import bisection
from .rates import capacities
from .results import PatternResult, estimated
from .summary import SEED

MOST_ENTRIES = 6_000_000
"""Table entries up to which an engine's own tables are computed (8,192 endpoints on 640 switches); above, the closed form."""

DRAWN, FLOWS = 20, 200_000


@dataclass(frozen=True, slots=True)
class EffectiveBandwidth:
    """One subnet. `bisection`: of the static routes, counted. `declared`: what adaptive routing would keep by the catalog's
    parameter, where the manager's engine routes adaptively; `verified`: whether a document says how that was measured."""

    subnet: str
    fabric: int
    bisection: PatternResult
    declared: float | None
    verified: bool
    source: str

    @property
    def reach(self) -> float:
        """The most there could be, taking the declared share as given."""
        return max(self.bisection.share, self.declared or 0.0)


def effective_bandwidths(spec: ClusterSpec, fabric: Fabric, catalog: Catalog) -> tuple[EffectiveBandwidth, ...]:
    """Nothing where nothing is asked; Ethernet fabrics, which have no tables, are left out."""
    asked = spec.requirements.effective_bandwidth
    if asked is None:
        return ()
    wanted = [
        s for s in fabric.subnets if spec.fabrics[s.fabric].kind != "roce"
        and (not isinstance(asked, dict) or spec.fabrics[s.fabric].name in asked)
    ]  # fmt: skip
    return tuple(_judged(spec, s, catalog) for s in wanted)


def _judged(spec: ClusterSpec, s: Subnet, catalog: Catalog) -> EffectiveBandwidth:
    g = graph(s)
    large = g.endpoints * g.switches > MOST_ENTRIES
    engine = "ftree" if large and s.plan is not None else engine_of(spec, s)
    made, origin = tables_of_graph(engine, g, roots_of(s).tolist(), fast=False)
    drawn = max(1, min(DRAWN, FLOWS // max(1, len(g.plugged))))
    found = estimate(made, "bisection", (bisection(g.plugged, SEED, k) for k in range(drawn)), SEED, False)
    result = estimated(found, f"static tables of {origin.engine}, {origin.origin}")
    flows = bisection(g.plugged, SEED, 0)
    loads = {"bisection": flow_loads(made, flows, False)}
    (limit,) = bounds(spec, s, g, catalog, {"bisection": flows}, loads, *capacities(s, g))
    row = catalog.row("adaptive", spec.fabrics[s.fabric].kind)
    verified = row is not None and not row.doubts("share")
    return EffectiveBandwidth(s.name, s.fabric, result, limit.declared if limit.active else None, verified, limit.source)
