"""The kinds of rows: the key in a catalog file, the model behind it, and the word for one of them in a message.

A model's module is imported when its first row is read: most runs touch three kinds.
"""

from __future__ import annotations

from importlib import import_module

from .fact import Fact

_MODELS = {
    "platforms": ("platform", "Platform"),
    "switches": ("switch", "SwitchModel"),
    "cables": ("cable", "CableModel"),
    "clouds": ("cloud", "Cloud"),
    "gpus": ("gpu", "GpuModel"),
    "hcas": ("hca", "HcaModel"),
    "pcie": ("pcie", "PcieGen"),
    "slurm": ("slurm", "SlurmWord"),
    "nccl": ("nccl", "NcclParameter"),
    "opensm": ("opensm", "ManagerOption"),
    "tuning": ("tuning", "TuningTable"),
    "latency": ("tuning", "AlgorithmLatency"),
    "adaptive": ("adaptive", "AdaptiveShare"),
    "calibration": ("calibration", "Measurement"),
    "mfu": ("calibration", "TrainingRun"),
}

KINDS = tuple(_MODELS)

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
    "tuning": "tuning table",
    "latency": "algorithm",
    "adaptive": "adaptive routing",
    "calibration": "measurement",
    "mfu": "training run",
}


def model(kind: str) -> type[Fact]:
    """The pydantic model of a kind."""
    module, name = _MODELS[kind]
    found: type[Fact] = getattr(import_module(f".{module}", __package__), name)
    return found


def plural(kind: str) -> str:
    """`switch` and `switches` both mean the kind `switches`. Raises KeyError for a word that is no kind."""
    for key in KINDS:
        if kind in (key, SINGULAR[key], SINGULAR[key].split()[0].lower()):
            return key
    raise KeyError(kind)
