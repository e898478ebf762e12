"""ibgen: one reviewed YAML spec of an InfiniBand GPU cluster, compiled into everything it is configured with."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_API = ("load", "compile", "check", "build", "simulation")


def __getattr__(name: str) -> Any:
    # The public functions live in `api`; importing it pulls numpy and pydantic in, which `ibgen --help` must not.
    if name in _API:
        return getattr(importlib.import_module("ibgen.api"), name)
    raise AttributeError(f"module 'ibgen' has no attribute {name!r}")
