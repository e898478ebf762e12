"""One call for all engines: a graph and an engine's name, and its tables. An engine is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .dmodk import BLOCK, closed_form, dmodk
from .graph import Graph, Rows, mainland
from .routes import Routes, Table

ENGINES = ("minhop", "updn", "ftree", "dmodk", "dfsssp")
"""minhop, updn and ftree are OpenSM's, entry by entry; dmodk is what ftree comes to on a regular tree; dfsssp is our own."""


def compute(
    graph: Graph,
    engine: str,
    roots: Sequence[int] | Rows | None = None,
    compute_ports: Sequence[int] | None = None,
    io_ports: Sequence[int] | None = None,
    *,
    max_reverse_hops: int = 0,
    switches: bool = False,
    fast: bool | None = None,
) -> Routes:
    """The tables of `engine`, one of `ENGINES`.

    `roots`: rows of switches, `compute_ports`, `io_ports`: rows of endpoints, as the root, compute node and I/O node files of
    OpenSM name them; None: no such file. `switches`: also the routes toward the switches (not dmodk, dfsssp). `fast`: whether
    kernels run compiled; None: as it pays. Where the fabric falls into islands, only the largest is routed, as one subnet
    manager would. Raises `NotRouted` where the engine cannot, ValueError for another name.
    """
    home = mainland(graph)
    if engine == "minhop":
        from .minhop import minhop

        routes = minhop(home, switches, fast)
    elif engine == "updn":
        from .updn import updn

        routes = updn(home, roots, switches, fast)
    elif engine == "ftree":
        from .ftree import ftree

        options = {"max_reverse_hops": max_reverse_hops}
        routes = ftree(home, roots, compute_ports, io_ports, **options, switches=switches, fast=fast)
    elif engine == "dmodk":
        routes = dmodk(home)
    elif engine == "dfsssp":
        from .dfsssp import dfsssp

        routes = dfsssp(home)
    else:
        raise ValueError(f"no engine `{engine}`: {', '.join(ENGINES)}")
    return routes if home is graph else replace(routes, graph=graph)


def blocks(graph: Graph, engine: str = "dmodk", size: int = BLOCK, **options: Sequence[int]) -> Iterator[tuple[int, Table]]:
    """(first endpoint, rows of the table from there on), in order. The closed form needs no whole table; a block of it is
    overwritten by the next. Other engines are computed whole first."""
    if engine == "dmodk":
        yield from closed_form(mainland(graph)).blocks(size)
        return
    lft = compute(graph, engine, **options).lft  # type: ignore[arg-type]
    for first in range(0, graph.endpoints, size):
        yield first, lft[first : first + size]
