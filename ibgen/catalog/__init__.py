"""Hardware and cloud facts, each with its source; version tables of the targets.

`load` gives a `Catalog`; `Catalog.platform("dgx-h100")` a validated row. The facts themselves are YAML in `facts/`.
"""

from __future__ import annotations

from .cable import CableModel
from .catalog import Catalog, standard
from .cloud import Cloud, CloudFabric, Provider
from .fact import Fact
from .gpu import GpuModel
from .hca import HcaModel
from .pcie import PcieGen, SlotMatch, slots
from .platform import Cpu, Hca, Numa, Platform, generic
from .switch import Split, SwitchModel
from .user import load

__all__ = [
    "CableModel",
    "Catalog",
    "Cloud",
    "CloudFabric",
    "Cpu",
    "Fact",
    "GpuModel",
    "Hca",
    "HcaModel",
    "Numa",
    "PcieGen",
    "Platform",
    "Provider",
    "SlotMatch",
    "Split",
    "SwitchModel",
    "generic",
    "load",
    "slots",
    "standard",
]
