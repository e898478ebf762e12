"""Terraform values on the wire (msgpack) and what a provider fills in.

A type is cty's JSON form: `"string"`, `["list", "string"]`, `["object", {...}]`. A value is plain data, with `UNKNOWN`
where Terraform says "known after apply".
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import msgpack

Block = Mapping[str, Any]
Make = Callable[[Any, str], Any]
"""(type, path) -> the value of an unset computed attribute."""


class _Unknown:
    def __repr__(self) -> str:
        return "(known after apply)"


UNKNOWN = _Unknown()
"""A value known only after apply."""


def load(data: bytes | None) -> Any:
    """A value from msgpack; any extension type is an unknown (0 plain, 12 with refinements)."""
    if not data:
        return None
    return msgpack.unpackb(data, raw=False, strict_map_key=False, ext_hook=lambda _code, _data: UNKNOWN)


def dump(value: Any) -> bytes:
    """A value as msgpack."""
    packed: bytes = msgpack.packb(value, default=_extension, use_bin_type=True)
    return packed


def _extension(value: Any) -> msgpack.ExtType:
    if value is UNKNOWN:
        return msgpack.ExtType(0, b"\0")
    raise TypeError(type(value))


def fake(ctype: Any, seed: str) -> Any:
    """A known stand-in for a computed value, the same on every run."""
    simple = {"number": 0, "bool": False, "dynamic": None}
    if ctype == "string":
        return "offline-" + hashlib.sha256(seed.encode()).hexdigest()[:12]
    if isinstance(ctype, str):
        return simple[ctype]
    kind, of = ctype
    if kind in ("list", "set"):
        return [fake(of, seed + "[0]")]
    if kind == "map":
        return {}
    if kind == "object":
        return {n: fake(t, f"{seed}.{n}") for n, t in of.items()}
    if kind == "tuple":
        return [fake(t, f"{seed}[{i}]") for i, t in enumerate(of)]
    raise ValueError(ctype)


def attribute_type(attribute: Block) -> Any:
    """The type of an attribute, nested ones included."""
    if "type" in attribute:
        return attribute["type"]
    nested = attribute["nested_type"]
    of = ["object", {k: attribute_type(a) for k, a in nested["attributes"].items()}]
    return of if nested["nesting_mode"] == "single" else [nested["nesting_mode"], of]


def block_type(block: Block) -> Any:
    """The object type a block's values have."""
    types = {n: attribute_type(a) for n, a in block.get("attributes", {}).items()}
    for n, t in block.get("block_types", {}).items():
        inner, mode = block_type(t["block"]), t["nesting_mode"]
        types[n] = inner if mode in ("single", "group") else [mode, inner]
    return ["object", types]


def fill(block: Block, value: Any, make: Make, path: str) -> Any:
    """Copy of an object value with every null computed attribute made by `make`.

    `make` returns UNKNOWN when planning, a fake when reading. Write-only attributes become null.
    """
    if value is None or value is UNKNOWN:
        return value
    out = dict(value)
    for name, a in block.get("attributes", {}).items():
        here, v = f"{path}.{name}", out.get(name)
        if a.get("write_only"):
            out[name] = None
        elif v is None and a.get("computed"):
            out[name] = make(attribute_type(a), here)
        elif "nested_type" in a:
            out[name] = _each(a["nested_type"]["nesting_mode"], a["nested_type"], v, make, here)
        else:
            out[name] = v
    for name, t in block.get("block_types", {}).items():
        out[name] = _each(t["nesting_mode"], t["block"], out.get(name), make, f"{path}.{name}")
    return out


def _each(mode: str, block: Block, value: Any, make: Make, path: str) -> Any:
    if value is None or value is UNKNOWN:
        return value
    if mode in ("single", "group"):
        return fill(block, value, make, path)
    if mode == "map":
        return {k: fill(block, v, make, f"{path}[{k}]") for k, v in value.items()}
    return [fill(block, v, make, f"{path}[{i}]") for i, v in enumerate(value)]


def settle(value: Any, ctype: Any, seed: str) -> Any:
    """Replaces what is still unknown by fakes (apply)."""
    if value is UNKNOWN:
        return fake(ctype, seed)
    if value is None or not isinstance(ctype, list):
        return value
    kind, of = ctype
    if kind in ("list", "set"):
        return [settle(v, of, f"{seed}[{i}]") for i, v in enumerate(value)]
    if kind == "map":
        return {k: settle(v, of, f"{seed}[{k}]") for k, v in value.items()}
    if kind == "object":
        return {k: settle(value.get(k), t, f"{seed}.{k}") for k, t in of.items()}
    return value
