"""Hardware and cloud facts, each with its source; version tables of the targets.

`load` gives a `Catalog`; `Catalog.platform("dgx-h100")` a validated row. The facts themselves are YAML in `facts/`. Names are
imported when they are used: building every model would cost more than reading the rows a run needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_PLACES = {
    "cable": ("CableModel",),
    "catalog": ("Catalog", "standard"),
    "cloud": ("Cloud", "CloudFabric", "Provider"),
    "fact": ("Fact",),
    "gpu": ("GpuModel",),
    "hca": ("HcaModel",),
    "pcie": ("PcieGen", "SlotMatch", "slots"),
    "platform": ("Cpu", "Hca", "Numa", "Platform", "generic"),
    "switch": ("Split", "SwitchModel"),
    "user": ("load",),
}

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


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
