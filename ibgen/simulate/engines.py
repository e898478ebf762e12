"""Which tables a subnet is simulated on, and where they come from.

Takes the spec's control section and the graph. Gives tables and `TablesOf`, which says in words what stands for what. Closed
form where the engine comes to D-mod-k on a regular tree, entry by entry otherwise; imported tables win over both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ibgen.fabric import Fabric, Subnet
from ibgen.route import ENGINES, Graph, NotRouted, Routes, compute
from ibgen.route.fast import compiles
from ibgen.route.pointwise import Pointwise, pointwise
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.opensm_routing import ADAPTIVE, choose, roots_of

from .stand_ins import STAND_INS, sentence
from .walking import Tables

Origin = Literal["closed form", "exact", "own balance", "imported", "equal-cost multipath"]

BALANCED_MOST = 20_000_000
"""Table entries up to which balanced shortest ways are computed (one destination at a time); above them minhop stands in."""


FTREE_MOST, COMPILED_MOST = 400_000, 6_000_000
"""Table entries up to which ftree is computed where the closed form has other loads: 1,024 endpoints have 50,000: 0.2 s;
8,192 have 5 million: 1.5 s compiled."""


@dataclass(frozen=True, slots=True)
class TablesOf:
    """Where tables come from. `engine` computed them, `asked` is what the manager is told; `why` says how they differ."""

    engine: str
    origin: Origin
    asked: str
    why: str


def engine_of(spec: ClusterSpec, subnet: Subnet) -> str:
    """The first engine that the manager will try, `ecmp` on Ethernet."""
    declared = spec.fabrics[subnet.fabric]
    if declared.kind == "roce":
        return "ecmp"
    return choose(declared.control, subnet).engines[0]


def adaptive(spec: ClusterSpec, subnet: Subnet) -> bool:
    """Whether the manager routes adaptively."""
    return engine_of(spec, subnet) in ADAPTIVE


def tables(
    spec: ClusterSpec, fabric: Fabric, targets: Targets, subnet: Subnet, graph: Graph, routes: Routes | None = None, *,
    exact: bool = False, fast: bool | None = None,
) -> tuple[Tables, TablesOf]:  # fmt: skip
    """The tables of a subnet. `exact`: entry by entry even where the closed form would do."""
    asked = engine_of(spec, subnet)
    if routes is not None:
        origin = _origin(routes.engine)
        why = "" if routes.engine == asked else f"the spec's manager is told {asked}; these tables were given instead"
        return routes, TablesOf(routes.engine, origin, asked, why)
    manager = next((m for m in targets.opensm if fabric.subnets[m.subnet] is subnet), None)
    roots = manager.roots.tolist() if manager is not None and len(manager.roots) else roots_of(subnet).tolist()
    return tables_of_graph(asked, graph, roots, exact, fast)


def tables_of_graph(
    asked: str, graph: Graph, roots: list[int], exact: bool = False, fast: bool | None = None
) -> tuple[Tables, TablesOf]:
    """What is computed for an engine on a graph; the closed form on a regular tree."""
    refused = ""
    for engine in _order(asked, graph, exact):
        try:
            made: Tables = pointwise(graph) if engine == "dmodk" and not exact else compute(graph, engine, roots, fast=fast)
        except NotRouted as problem:
            refused = refused or f"{engine} cannot route this graph ({problem})"
            continue
        even = not isinstance(made, Pointwise) or made.form.tree.even
        if asked == "ftree" and not even and _affordable(graph, fast):
            continue
        why = sentence(asked, engine, refused, asked in ADAPTIVE, even)
        return made, TablesOf(engine, _origin(engine), asked, why)
    raise NotRouted(refused)  # minhop routes any graph: never reached


def _origin(engine: str) -> Origin:
    """`exact`: entry by entry what OpenSM computes; dfsssp is balanced in a way of our own."""
    known: dict[str, Origin] = {"imported": "imported", "dmodk": "closed form", "dfsssp": "own balance"}
    return known.get(engine, "exact")


def _affordable(graph: Graph, fast: bool | None) -> bool:
    """Whether ftree takes no more than two seconds or so."""
    entries = graph.endpoints * graph.switches
    return entries <= (COMPILED_MOST if fast or (fast is None and compiles(entries)) else FTREE_MOST)


def _order(asked: str, graph: Graph, exact: bool) -> list[str]:
    order = [*STAND_INS.get(asked, ("minhop",)), "minhop"]
    if exact and asked in ENGINES:
        order = [asked, *order]
    if graph.endpoints * graph.switches > BALANCED_MOST:
        order = [e for e in order if e != "dfsssp"]
    return list(dict.fromkeys(order))
