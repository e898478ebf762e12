"""Where the files that travel with ibgen lie: templates, schemas, examples, catalog data.

In a checkout they stand at the top of the repository; in an installed wheel under `ibgen/data`. Nothing else knows.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def _root() -> Path:
    installed = _PACKAGE / "data"
    return installed if installed.is_dir() else _PACKAGE.parent


def templates() -> Path:
    """The template folders, one per target."""
    return _root() / "templates"


def schemas() -> Path:
    """`cluster.schema.json`, `manifest.schema.json`, `report.schema.json`."""
    return _root() / "schemas"


def examples() -> Path:
    """Specs that build, flat: `<name>.yaml` and companions."""
    return _root() / "examples"


def catalog() -> Path:
    """The shipped hardware and cloud facts, `*.yaml`."""
    return _PACKAGE / "catalog" / "facts"
