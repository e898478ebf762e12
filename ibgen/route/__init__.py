"""Forwarding tables: what a subnet manager would write into every switch of a subnet, one file per routing engine.

Takes a `Subnet` (as a `Graph`, with what has failed left out). Gives `Routes`. minhop, updn and ftree equal OpenSM 3.3.23.
"""

from __future__ import annotations

from .compute import ENGINES, blocks, compute
from .graph import Graph, Removed, graph, mainland
from .ranks import NotRouted, found_roots
from .routes import Routes

__all__ = ["ENGINES", "Graph", "NotRouted", "Removed", "Routes", "blocks", "compute", "found_roots", "graph", "mainland"]
