"""The facts that travel with ibgen: found by id without parsing YAML, parsed one row at a time.

A run asks for two or three rows out of hundreds, and parsing them all costs more than compiling a small cluster. So the files
keep one discipline, held by a test: each is a plain list whose rows start with `- id: NAME` (or `- {id: NAME`) at the left
edge, and a row's aliases stand in one bracketed list. The stem up to the first `-` is the kind: `platforms-azure.yaml`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from ibgen import assets

_ROW = re.compile(r"^(?=- \{?id: )", re.M)
_ID = re.compile(r"- \{?id: ([^,}\s]+)")
_ALIASES = re.compile(r"\baliases: \[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Shipped:
    """Texts of rows and the names they answer to, both by kind; `digest` is over all the files."""

    texts: Mapping[str, Mapping[str, str]]
    names: Mapping[str, Mapping[str, str]]
    digest: str


@cache
def shipped() -> Shipped:
    """Reads the files once. Raises ValueError where two rows of a kind share a name."""
    texts: dict[str, dict[str, str]] = {}
    names: dict[str, dict[str, str]] = {}
    sha = hashlib.sha256()
    for path in sorted(assets.catalog().glob("*.yaml"), key=lambda p: p.name):
        text = path.read_text(encoding="utf-8")
        sha.update(f"{path.name}\0{text}\0".encode())
        kind = path.stem.partition("-")[0]
        for row in _ROW.split(text):
            m = _ID.match(row)
            if m is None:
                continue
            texts.setdefault(kind, {})[m[1]] = row
            for name in (m[1], *_aliases(row)):
                if names.setdefault(kind, {}).setdefault(name, m[1]) != m[1]:
                    raise ValueError(f"{path.name}: {name} names both {names[kind][name]} and {m[1]}")
    return Shipped(texts, names, sha.hexdigest())


def parse(row: str) -> dict[str, Any]:
    """One row's text as plain data; every scalar stays text, as in a user's file."""
    from ibgen.source import parse as parse_source

    document, findings = parse_source(f"rows:\n{row}", "catalog")  # a fifth of what ruamel.yaml's own loader takes
    if document.data is None or findings:
        raise ValueError(f"a row of the catalog cannot be read: {row}")
    return cast("list[dict[str, Any]]", document.data["rows"])[0]


def _aliases(row: str) -> list[str]:
    m = _ALIASES.search(row)
    return [a.strip().strip("\"'") for a in m[1].split(",")] if m else []
