"""Where the provider schemas lie, and what is in them.

Two folders are served: the project's own `schemas/`, and the one named by `TF_OFFLINE_EXTRA_SCHEMAS`, from which only
providers that the project does not serve itself are taken. The extra folder may be absent.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = ROOT.parents[2]
OWN = ROOT / "schemas"
RULES = OWN / "rules.json"
REGISTRY = "registry.terraform.io"
EXTRA_VARIABLE = "TF_OFFLINE_EXTRA_SCHEMAS"
EXTRA_DEFAULT = "../shared/referee/terraform/schemas"


@dataclass(frozen=True, slots=True)
class Served:
    """One provider version that can be served: `source` is `namespace/name`."""

    source: str
    version: str
    path: Path


def extra_folder() -> tuple[str, Path]:
    """The extra folder as it is written (for messages) and where that is; a relative path counts from the repository."""
    written = os.environ.get(EXTRA_VARIABLE) or EXTRA_DEFAULT
    return written, (REPOSITORY / written).resolve()


def in_folder(folder: Path) -> list[Served]:
    """Every provider version of one folder of `*.json.gz` files, sorted by file name; none when there is no folder."""
    found = []
    for path in sorted(folder.glob("*.json.gz")):
        document = read(path)
        version = document.get("x_provenance", {}).get("version", "0.0.0")
        found += [Served(a.removeprefix(f"{REGISTRY}/"), version, path) for a in document["provider_schemas"]]
    return found


def served(own: Path = OWN, extra: Path | None = None) -> list[Served]:
    """What can be served: all of `own`, and of `extra` the providers that `own` lacks."""
    mine = in_folder(own)
    names = {s.source for s in mine}
    return mine + [s for s in in_folder(extra or extra_folder()[1]) if s.source not in names]


def why_absent(source: str, among: Iterable[Served]) -> str:
    """Why no configuration of this provider can be judged here, or "" when it can."""
    if any(s.source == source for s in among):
        return ""
    return f"no schema for {source} in {extra_folder()[0]} (set {EXTRA_VARIABLE})"


def read(path: Path) -> dict[str, Any]:
    """One schema document, in the form of `terraform providers schema -json`."""
    with gzip.open(path, "rb") as stream:
        document: dict[str, Any] = json.load(stream)
    return document


def provider(path: Path, source: str) -> dict[str, Any]:
    """One provider of a schema document: `provider`, `resource_schemas`, `data_source_schemas`."""
    schema: dict[str, Any] = read(path)["provider_schemas"][f"{REGISTRY}/{source}"]
    return schema


def blocks(selected: Mapping[str, str], among: Iterable[Served]) -> dict[str, dict[str, Any]]:
    """Type name (`data.` before a data source's) -> block, for the provider versions in `selected` (source -> version)."""
    table: dict[str, dict[str, Any]] = {}
    for s in among:
        if selected.get(s.source) != s.version:
            continue
        schema = provider(s.path, s.source)
        table |= {name: entry["block"] for name, entry in schema["resource_schemas"].items()}
        table |= {f"data.{name}": entry["block"] for name, entry in schema["data_source_schemas"].items()}
    return table
