"""A spec as YAML again: overlays merged, defaults filled in. Loading the text gives the same spec (a fixed point)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .cluster import ClusterSpec

_WORDS = r"[A-Za-z_/.][A-Za-z0-9_./@+-]*( [A-Za-z0-9_./@+-]+)*"
_NUMBERS = r"0x[0-9a-fA-F]+|0|-?[1-9][0-9]*(\.[0-9]+)?([eE][+-]?[0-9]+)?[A-Za-z]*|0\.[0-9]+"
_PLAIN = re.compile(f"{_WORDS}|{_NUMBERS}")
"""Text that needs no quotes: not empty, no YAML indicator, no leading zero."""


def to_yaml(spec: ClusterSpec) -> str:
    """The expanded spec in block style, keys in the order of the language."""
    return "\n".join(_mapping(spec.model_dump(mode="json", exclude_none=True), "")) + "\n"


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, v in value.items():
        name = _scalar(key)
        if isinstance(v, Mapping) and v:
            yield f"{indent}{name}:"
            yield from _mapping(v, indent + "  ")
        elif isinstance(v, list) and v:
            yield f"{indent}{name}:"
            yield from _sequence(v, indent + "  ")
        else:
            yield f"{indent}{name}: {_leaf(v)}"


def _sequence(value: list[Any], indent: str) -> Iterator[str]:
    for v in value:
        if isinstance(v, Mapping) and v:
            lines = _mapping(v, indent + "  ")
            yield f"{indent}- {next(lines)[len(indent) + 2 :]}"
            yield from lines
        elif isinstance(v, list) and v:
            yield f"{indent}-"
            yield from _sequence(v, indent + "  ")
        else:
            yield f"{indent}- {_leaf(v)}"


def _leaf(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list):
        return "[]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    return _scalar(value)


def _scalar(value: Any) -> str:
    text = str(value)
    if not isinstance(value, str) or (_PLAIN.fullmatch(text) and text.lower() not in ("null", "~")):
        return text
    return json.dumps(text, ensure_ascii=False)
