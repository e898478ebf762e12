"""Forwarding tables: what a subnet manager would write into every switch of a subnet, one file per routing engine.

Takes a `Subnet` (as a `Graph`, with what has failed left out). Gives `Routes`. minhop, updn and ftree equal OpenSM 3.3.23.
"""

from __future__ import annotations

from .arrival import arriving
from .compute import ENGINES, blocks, compute
from .dumps import Imported, read_dump
from .ecmp import Spread, ecmp, spread
from .graph import Graph, Removed, graph, mainland
from .ranks import NotRouted, found_roots
from .routes import Routes
from .verify import Verification, link_name, verify

__all__ = [
    "ENGINES",
    "Graph",
    "Imported",
    "NotRouted",
    "Removed",
    "Routes",
    "Spread",
    "Verification",
    "arriving",
    "blocks",
    "compute",
    "ecmp",
    "found_roots",
    "graph",
    "link_name",
    "mainland",
    "read_dump",
    "spread",
    "verify",
]
