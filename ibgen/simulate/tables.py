"""Whole tables of a subnet, for the work that changes single rows of them.

Takes a spec and a subnet, or tables and new rows. Gives `Routes`.
"""

from __future__ import annotations

from ibgen.fabric import Subnet
from ibgen.route import Graph, Routes, compute, graph
from ibgen.route.pointwise import Pointwise
from ibgen.spec import ClusterSpec
from ibgen.targets.opensm_routing import roots_of

from .engines import engine_of, tables_of_graph
from .reroute import Rerouted
from .results import Options

EVEN = "equal-cost multipath, dealt evenly"
"""What is said of an Ethernet fabric: one of the equal ways per destination, as a hash deals them on the average only."""

EVEN_NOTE = (
    "Equal ways are dealt to destinations in turn. Hashes spread connections less evenly, so before and after are more than a "
    "hash keeps; without --fail hashes are drawn."
)


def whole_table(spec: ClusterSpec, s: Subnet, routes: Routes | None, options: Options) -> tuple[Routes, str]:
    """The table of the subnet as it should be, and the engine it is of. Ethernet fabrics take shortest ways, dealt evenly."""
    if routes is not None:
        return routes, routes.engine
    asked = engine_of(spec, s)
    made = tables_of_graph(asked, graph(s), roots_of(s).tolist(), options.exact, options.fast)[0]
    if asked == "ecmp":
        return (compute(made.graph, "dmodk") if isinstance(made, Pointwise) else made), EVEN
    return (compute(made.graph, "dmodk"), "dmodk") if isinstance(made, Pointwise) else (made, made.engine)


def laid(routes: Routes, damaged: Graph, changed: Rerouted) -> Routes:
    """The table with its new rows."""
    lft = routes.lft.copy()
    lft[changed.rows] = changed.lft
    return Routes(routes.engine, damaged, lft)
