"""`Compilation`: what the passes have produced so far. Frozen; a pass that failed leaves its value None."""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.catalog import Catalog
from ibgen.fabric import Bindings, Fabric
from ibgen.simulate import Simulation
from ibgen.source import Document
from ibgen.spec import ClusterSpec, Site
from ibgen.targets import Targets


@dataclass(frozen=True)
class Compilation:
    """One spec on its way through the compiler."""

    document: Document
    catalog: Catalog
    spec: ClusterSpec | None = None
    site: Site | None = None
    bindings: Bindings | None = None
    fabric: Fabric | None = None
    targets: Targets | None = None
    simulation: Simulation | None = None


@dataclass(frozen=True)
class Complete:
    """A compilation in which every pass succeeded: what emitters are handed."""

    document: Document
    catalog: Catalog
    spec: ClusterSpec
    site: Site | None
    bindings: Bindings | None
    fabric: Fabric
    targets: Targets
    simulation: Simulation


def complete(c: Compilation) -> Complete | None:
    """The compilation without its Nones, or None where a pass failed."""
    if c.spec is None or c.fabric is None or c.targets is None or c.simulation is None:
        return None
    return Complete(c.document, c.catalog, c.spec, c.site, c.bindings, c.fabric, c.targets, c.simulation)
