"""The few protobuf messages of Terraform plugin protocol 6, without protobuf.

Only what a schema-only provider needs. A message is written as (field number, value) pairs; ints and bools become varints,
str and bytes become length-delimited fields. Reading gives {field number: [values]}. Field numbers follow the published
protocol 6 (hashicorp/terraform `docs/plugin-protocol/tfplugin6.proto`; unchanged since 6.0 for the messages used here,
`write_only` came with 6.8).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Message = Mapping[int, Sequence[Any]]
Field = tuple[int, bytes | str | int | None]

_NESTING = {"single": 1, "list": 2, "set": 3, "map": 4, "group": 5}


def encode(*fields: Field) -> bytes:
    """Bytes of one message; None and zero scalars are left out, as proto3 does; empty text is written."""
    out = bytearray()
    for number, value in fields:
        if value is None or (isinstance(value, int) and not value):
            continue
        if isinstance(value, int):
            out += _varint(number << 3) + _varint(int(value))
            continue
        data = value.encode() if isinstance(value, str) else value
        out += _varint(number << 3 | 2) + _varint(len(data)) + data
    return bytes(out)


def decode(data: bytes) -> dict[int, list[Any]]:
    """{field number: [values]} of one message; ValueError for a wire type protocol 6 does not use."""
    out: dict[int, list[Any]] = {}
    i = 0
    while i < len(data):
        key, i = _read_varint(data, i)
        number, kind = key >> 3, key & 7
        value: int | bytes
        if kind == 0:
            value, i = _read_varint(data, i)
        elif kind == 2:
            size, i = _read_varint(data, i)
            value, i = data[i : i + size], i + size
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, i = data[i : i + size], i + size
        else:
            raise ValueError(f"wire type {kind}")
        out.setdefault(number, []).append(value)
    return out


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def _read_varint(data: bytes, i: int) -> tuple[int, int]:
    n = shift = 0
    while True:
        byte = data[i]
        i += 1
        n |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return n, i


def text(message: Message, number: int) -> str:
    """The last string of a field, "" when it is absent."""
    return message[number][-1].decode() if number in message else ""


def dynamic(message: Message, number: int) -> bytes | None:
    """The msgpack bytes of a DynamicValue field."""
    if number not in message:
        return None
    inner = decode(message[number][-1])
    return inner[1][-1] if 1 in inner else None


def provider_schema(document: Mapping[str, Any]) -> bytes:
    """GetProviderSchema's answer, from one provider of `terraform providers schema -json`."""

    def entries(number: int, table: Mapping[str, Any]) -> list[Field]:
        return [(number, encode((1, n), (2, _schema(s)))) for n, s in sorted(table.items())]

    return encode(
        (1, _schema(document["provider"])),
        *entries(2, document.get("resource_schemas", {})),
        *entries(3, document.get("data_source_schemas", {})),
        (6, encode((2, True))),  # get_provider_schema_optional: lets core ask each process only once
    )


def _schema(s: Mapping[str, Any]) -> bytes:
    return encode((1, s.get("version", 0)), (2, _block(s["block"])))


def _block(b: Mapping[str, Any]) -> bytes:
    attributes: list[Field] = [(2, _attribute(n, a)) for n, a in sorted(b.get("attributes", {}).items())]
    nested: list[Field] = [(3, _nested_block(n, t)) for n, t in sorted(b.get("block_types", {}).items())]
    return encode(*attributes, *nested, (6, b.get("deprecated", False)))


def _nested_block(name: str, t: Mapping[str, Any]) -> bytes:
    least, most = t.get("min_items", 0), t.get("max_items", 0)
    return encode((1, name), (2, _block(t["block"])), (3, _NESTING[t["nesting_mode"]]), (4, least), (5, most))


def _attribute(name: str, a: Mapping[str, Any]) -> bytes:
    return encode(
        (1, name),
        (2, json.dumps(a["type"]) if "type" in a else None),
        (3, a.get("description")),
        (4, a.get("required", False)),
        (5, a.get("optional", False)),
        (6, a.get("computed", False)),
        (7, a.get("sensitive", False)),
        (9, a.get("deprecated", False)),
        (10, _object(a["nested_type"]) if "nested_type" in a else None),
        (11, a.get("write_only", False)),
    )


def _object(o: Mapping[str, Any]) -> bytes:
    attributes: list[Field] = [(1, _attribute(n, a)) for n, a in sorted(o["attributes"].items())]
    return encode(*attributes, (3, _NESTING[o["nesting_mode"]]))


def attribute_path(path: Sequence[str | int]) -> bytes:
    """AttributePath: names as strings, list positions as ints."""
    steps: list[Field] = []
    for p in path:
        if isinstance(p, str):
            steps.append((1, encode((1, p))))
        else:  # element_key_int, written even when it is 0 (it is in a oneof)
            steps.append((1, _varint(3 << 3) + _varint(p)))
    return encode(*steps)


def diagnostic(summary: str, detail: str, path: Sequence[str | int] = ()) -> bytes:
    """An error, about one attribute where there is one to point at."""
    return encode((1, 1), (2, summary), (3, detail), (4, attribute_path(path) if path else None))
