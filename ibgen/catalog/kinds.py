"""The kinds of rows: the key in a catalog file, the model behind it, and the word for one of them in a message."""

from __future__ import annotations

from .cable import CableModel
from .cloud import Cloud
from .fact import Fact
from .gpu import GpuModel
from .hca import HcaModel
from .nccl import NcclParameter
from .opensm import ManagerOption
from .pcie import PcieGen
from .platform import Platform
from .slurm import SlurmWord
from .switch import SwitchModel

KINDS: dict[str, type[Fact]] = {
    "platforms": Platform,
    "switches": SwitchModel,
    "cables": CableModel,
    "clouds": Cloud,
    "gpus": GpuModel,
    "hcas": HcaModel,
    "pcie": PcieGen,
    "slurm": SlurmWord,
    "nccl": NcclParameter,
    "opensm": ManagerOption,
}

SINGULAR = {
    "platforms": "platform",
    "switches": "switch",
    "cables": "cable",
    "clouds": "cloud",
    "gpus": "GPU model",
    "hcas": "HCA model",
    "pcie": "PCIe generation",
    "slurm": "word",
    "nccl": "variable",
    "opensm": "option",
}


def plural(kind: str) -> str:
    """`switch` and `switches` both mean the kind `switches`. Raises KeyError for a word that is no kind."""
    for key in KINDS:
        if kind in (key, SINGULAR[key], SINGULAR[key].split()[0].lower()):
            return key
    raise KeyError(kind)
