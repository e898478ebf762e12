"""Find object keys that Terraform drops in silence.

A misspelt key inside a nested *attribute* (`gpu_cluster = { idd = ... }`) or an object-typed attribute is no error for
Terraform: the value is converted to the schema's object type and the extra key disappears (hashicorp/terraform#33570).
Providers on the plugin framework (nebius, crusoe, coreweave) are made of such attributes, so validate alone is a weak
referee there. This walks the literal objects of every resource and compares their keys with the schema; expressions that
are not literal objects are left alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import hcl2

Block = Mapping[str, Any]


def unknown_keys(folder: Path, blocks: Mapping[str, Block]) -> Iterator[tuple[Path, str]]:
    """(file, address.path) of each key no schema knows. `blocks`: resource type, or `data.` + type -> schema block."""
    for file in sorted([*folder.rglob("*.tf"), *folder.rglob("*.tf.json")]):
        if ".terraform" in file.parts:
            continue
        document = json.loads(file.read_text()) if file.suffix == ".json" else hcl2.loads(file.read_text())
        for address, block, body in _resources(document, blocks):
            for path in _in_block(body, block, address):
                yield file.relative_to(folder), path


def _resources(document: Mapping[str, Any], blocks: Mapping[str, Block]) -> Iterator[tuple[str, Block, dict[str, Any]]]:
    for kind, mark in (("resource", ""), ("data", "data.")):
        for entry in _listed(document.get(kind, [])):
            for quoted, named in entry.items():
                type_name = quoted.strip('"')
                block = blocks.get(mark + type_name)
                if block is None or not isinstance(named, dict):
                    continue
                for name, bodies in named.items():
                    for body in _listed(bodies):
                        if isinstance(body, dict):
                            yield f"{type_name}.{name.strip(chr(34))}", block, body


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _in_block(body: Mapping[str, Any], block: Block, path: str) -> Iterator[str]:
    attributes, nested = block.get("attributes", {}), block.get("block_types", {})
    for quoted, value in body.items():
        name = quoted.strip('"')
        if name in attributes:
            yield from _in_value(value, attributes[name], f"{path}.{name}")
        elif name in nested and isinstance(value, list):
            for inner in value:
                if isinstance(inner, dict):
                    yield from _in_block(inner, nested[name]["block"], f"{path}.{name}")
        elif name == "dynamic" and isinstance(value, list):
            yield from _in_dynamic(value, nested, path)


def _in_dynamic(value: list[Any], nested: Mapping[str, Any], path: str) -> Iterator[str]:
    for entry in value:
        for quoted, dynamic in entry.items():
            name = quoted.strip('"')
            if name in nested and isinstance(dynamic, dict):
                for content in dynamic.get("content", []):
                    yield from _in_block(content, nested[name]["block"], f"{path}.{name}")


def _in_value(value: Any, attribute: Mapping[str, Any], path: str) -> Iterator[str]:
    held = _objects(attribute)
    if held is None:
        return
    mode, attributes = held
    if mode == "single":
        items = [(path, value)]
    elif mode == "map":
        items = [(f"{path}[{k}]", v) for k, v in value.items()] if isinstance(value, dict) else []
    else:
        items = [(f"{path}[{i}]", v) for i, v in enumerate(value)] if isinstance(value, list) else []
    for here, item in items:
        if not isinstance(item, dict) or item.get("__is_block__"):
            continue
        for quoted, inner in item.items():
            name = quoted.strip('"')
            if name.startswith("__"):  # the parser's own notes
                continue
            if name in attributes:
                yield from _in_value(inner, attributes[name], f"{here}.{name}")
            else:
                yield f"{here}.{name}"


def _objects(attribute: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """(nesting mode, {key: attribute}) of an attribute that holds objects."""
    if "nested_type" in attribute:
        return attribute["nested_type"]["nesting_mode"], attribute["nested_type"]["attributes"]
    kind = attribute.get("type")
    mode = "single"
    while isinstance(kind, list) and kind[0] in ("list", "set", "map"):
        mode, kind = kind[0], kind[1]
    if isinstance(kind, list) and kind[0] == "object":
        return mode, {k: {"type": v} for k, v in kind[1].items()}
    return None
