"""Checks that live in the providers' Go code and so are in no schema.

A rules file is JSON: {resource type: [rule, ...]}, a rule being one of

    {"path": "strategy", "in": ["cluster", "partition", "spread"]}
    {"path": "network_interfaces[].interface_type", "in": [...]}
    {"path": "name", "match": "^[a-z]...$"}
    {"path": "vm_count", "min": 1, "max": 1500}
    {"conflicts": ["name", "name_prefix"]}
    {"one_of": ["a", "b"]}            exactly one must be set
    {"any_of": ["a", "b"]}            at least one must be set
    {"force_new": ["name", "os_disk[].storage_account_type"]}   a change replaces the resource (used when planning)

each with a `source` saying where the fact was read. Unknown and null values pass, as they do in the providers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tfoffline.values import UNKNOWN

Path = tuple[str | int, ...]
Rule = Mapping[str, Any]
Broken = tuple[str, str, Path]
"""Summary, detail, and the attribute path it is about."""

_COUNTED: tuple[tuple[str, Callable[[int], bool], str], ...] = (
    ("conflicts", lambda n: n > 1, "only one of {} may be set"),
    ("one_of", lambda n: n != 1, "exactly one of {} must be set"),
    ("any_of", lambda n: n < 1, "at least one of {} must be set"),
)


def check(rules: Sequence[Rule], value: Any) -> Iterator[Broken]:
    """(summary, detail, path) for each rule the value breaks."""
    for rule in rules:
        for path, v in _walk(value, rule["path"].split(".")) if "path" in rule else ():
            yield from _value(rule, path, v)
        for key, bad, words in _COUNTED:
            if key in rule and bad(sum(_is_set(value, name) for name in rule[key])):
                yield "Invalid combination of arguments", words.format(", ".join(rule[key])), ()


def replacing(rules: Sequence[Rule], prior: Any, proposed: Any) -> Iterator[Path]:
    """The paths whose change replaces the resource (ForceNew)."""
    for rule in rules:
        for name in rule.get("force_new", ()):
            before, after = dict(_walk(prior, name.split("."))), dict(_walk(proposed, name.split(".")))
            for path in sorted(before.keys() | after.keys(), key=str):
                if before.get(path) != after.get(path):
                    yield path


def _value(rule: Rule, path: Path, v: Any) -> Iterator[Broken]:
    name = rule["path"]
    if "in" in rule and v not in rule["in"]:
        yield "Invalid value", f"expected {name} to be one of {rule['in']}, got {v}", path
    if "match" in rule and isinstance(v, str) and not re.search(rule["match"], v):
        yield "Invalid value", f"{name} must match {rule['match']}, got {v!r}", path
    if isinstance(v, int | float) and not isinstance(v, bool):
        low, high = rule.get("min"), rule.get("max")
        if (low is not None and v < low) or (high is not None and v > high):
            yield "Invalid value", f"expected {name} in range {low}..{high}, got {v}", path


def _walk(value: Any, steps: Sequence[str], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if value is None or value is UNKNOWN:
        return
    if not steps:
        yield path, value
        return
    if not isinstance(value, dict):
        return
    name, rest = steps[0].removesuffix("[]"), steps[1:]
    child = value.get(name)
    if steps[0].endswith("[]") and isinstance(child, list):
        for i, c in enumerate(child):
            yield from _walk(c, rest, (*path, name, i))
    else:
        yield from _walk(child, rest, (*path, name))


def _is_set(value: Any, name: str) -> bool:
    for step in name.split("."):
        if value is UNKNOWN:
            return True
        if isinstance(value, list):
            value = value[0] if value else None
        value = value.get(step) if isinstance(value, dict) else None
    return value is not None and value != []
