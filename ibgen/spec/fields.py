"""How the spec reads a scalar, and what every field must say of itself.

All scalars arrive as the text the user wrote (`ibgen.source`); each type here turns that text into a value and refuses
what the field cannot mean. Strings that reach a config file are limited to characters no target format can be broken by.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainSerializer,
    Tag,
    WithJsonSchema,
)

from ibgen import hostlist, units

BlastRadius = Literal[
    "none", "reload", "sm-restart", "slurm-reconfigure", "slurm-restart", "host-env", "recable", "reprovision", "replace-host"
]
"""What a change of a field costs on the running cluster; `ibgen diff` and the generated docs print it."""


class Section(BaseModel):
    """A mapping in the spec: unknown keys are refused, values never change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def doc(description: str, example: Any, blast: BlastRadius, **limits: Any) -> Any:
    """What a field means, one example as it would be written, what a change costs, and pydantic's limits (`ge`, `le`, ..)."""
    return Field(description=description, examples=[example], json_schema_extra={"blastRadius": blast}, **limits)


def _readable(reader: Any) -> Any:
    """A reader of `ibgen.units` as a pydantic step: only text goes through it, a null or a mapping is left to pydantic."""

    def read(value: Any) -> Any:
        return reader(value) if isinstance(value, str) else value

    return BeforeValidator(read)


def _whole(text: str) -> int:
    number = units.count(text)
    if number != int(number):
        raise ValueError("expected a whole number")
    return int(number)


def _number(text: str) -> float:
    if not re.fullmatch(r"[+-]?[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?", text) or "__" in text or text.endswith("_"):
        raise ValueError("expected a number, such as 0.8 or 175e9")
    number = float(text)
    if not isfinite(number):
        raise ValueError("is larger than any number here can be")
    return number


def _boolean(text: str) -> bool:
    word = text.lower()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off"):
        return False
    raise ValueError("expected true or false")


def _written(pattern: str) -> PlainSerializer:
    """How `show spec` writes a value, so that loading it again gives the same."""
    return PlainSerializer(pattern.format, return_type=str, when_used="json-unless-none")


_NUMBER_OR_TEXT: dict[str, Any] = {"type": ["number", "string"]}

Count = Annotated[int, _readable(_whole), WithJsonSchema({"type": ["integer", "string"], "minimum": 0}), Field(ge=0)]
"""A whole number of things: `32`, `0x20`, `175e9`."""


def _shape(value: Any) -> str:
    return "<mapping>" if isinstance(value, dict | BaseModel) else "<scalar>"


SCALAR, MAPPING, BY_SHAPE = Tag("<scalar>"), Tag("<mapping>"), Discriminator(_shape)
"""A union told apart by shape, so that a mistake is judged as the form the user meant:
`Annotated[Annotated[A, SCALAR] | Annotated[B, MAPPING], BY_SHAPE]`."""


Number = Annotated[float, _readable(_number), WithJsonSchema(_NUMBER_OR_TEXT)]
"""A number: `0.8`, `175e9`."""

Switchable = Annotated[bool, _readable(_boolean)]
"""true, false (also yes, no, on, off)."""

Rate = Annotated[
    float, _readable(lambda text: float(units.rate_gbps(text))), WithJsonSchema(_NUMBER_OR_TEXT), _written("{:.12g}G")
]
"""A port's data rate in Gb/s: `400G`, `NDR`, `HDR100`."""


def _link_rate(gbps: float) -> float:
    units.opensm_rate(gbps)
    return gbps


LinkRate = Annotated[Rate, AfterValidator(_link_rate)]
"""A `Rate` that an InfiniBand link can have: a generation's lane rate over 1, 2, 4, 8 or 12 lanes."""

Size = Annotated[int, _readable(units.size_bytes), WithJsonSchema(_NUMBER_OR_TEXT)]
"""Bytes: `4 GiB`, `8MB`, `4096`."""

Duration = Annotated[float, _readable(lambda text: float(units.duration_s(text))), WithJsonSchema(_NUMBER_OR_TEXT)]
"""Seconds: `20 us`, `10s`, `4 min`."""

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


def _name(text: str) -> str:
    if not _NAME.fullmatch(text) or ".." in text:
        raise ValueError("a name is 1 to 63 letters, digits, `-`, `_` or `.`, starting and ending with a letter or digit")
    return text


_NAME_SCHEMA = WithJsonSchema({"type": "string", "pattern": f"^{_NAME.pattern}$"})
Name = Annotated[str, AfterValidator(_name), _NAME_SCHEMA]
"""The name of a pool, fabric, partition, ...: it becomes part of file names and of every target's syntax."""


def _partition_name(text: str) -> str:
    if text[:1].isdigit():
        raise ValueError("OpenSM reads a partition name that starts with a digit as a P_Key: start it with a letter")
    return _name(text)


PartitionName = Annotated[str, AfterValidator(_partition_name), _NAME_SCHEMA]
"""A name that starts with a letter: OpenSM reads one that starts with a digit as a P_Key."""


def _device(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]{0,62}", text):
        raise ValueError("a device name is a letter followed by letters, digits, `_`, `.` or `-`")
    return text


Device = Annotated[str, AfterValidator(_device)]
"""An RDMA device as the host names it: `mlx5_0`."""


def _line(text: str) -> str:
    if any(ord(c) < 32 or ord(c) == 127 or c in "\u0085\u2028\u2029" for c in text):
        raise ValueError("control characters and line breaks are not allowed here")
    if any(c in "\"'`;$\\{}" for c in text):
        raise ValueError("quotes, `;`, `$`, `\\`, backticks and braces are not allowed: this text is copied into config files")
    return text


Text = Annotated[str, AfterValidator(_line), Field(max_length=200)]
"""One line of free text that may be copied into a config file as a comment or label."""

Scalar = Annotated[Text, WithJsonSchema({"type": ["string", "number", "boolean"], "maxLength": 200})]
"""One line of text that is copied as it is written; a number or `true` needs no quotes."""


def _file_name(text: str) -> str:
    _line(text)
    if text.startswith(("/", "~", "-")) or "\\" in text or ".." in text.split("/"):
        raise ValueError("name a file beside or below the spec: no leading `/`, no `..`")
    return text


FileName = Annotated[str, AfterValidator(_file_name)]
"""A file beside or below the spec, as a relative path."""


def _hostlist(text: str) -> str:
    hostlist.expand(text)
    return text


HostList = Annotated[str, AfterValidator(_hostlist), WithJsonSchema({"type": "string"})]
"""Slurm's hostlist grammar: `dgx-[001-127]`, `login-1,login-2`."""


def _model(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,79}", text):
        raise ValueError("a model is letters, digits, `.`, `_`, `-` and `/`")
    return text


Model = Annotated[str, AfterValidator(_model)]
"""The id of a catalog row: `qm9700`, `dgx-h100`, `azure/Standard_ND96isr_H100_v5`."""


def _hex(text: str) -> int:
    if not re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", text):
        raise ValueError("write it as 0x and up to 16 hexadecimal digits")
    return int(text, 16)


_HEX_SCHEMA = {"type": ["string", "integer"]}


def _pkey(text: str) -> int:
    if not re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}|[0-9]+", text):
        digits = text.lower().removeprefix("0x")
        written = f"0x{digits}" if re.fullmatch(r"[0-9a-f]{1,4}", digits) else "0x0101"
        raise units.UnitError(f"`{text}` is no P_Key", f"write hexadecimal digits behind 0x: `{written}`")
    value = _hex(text) if text.lower().startswith("0x") else _whole(text)
    if value & 0x7FFF == 0 or value > 0xFFFF:
        raise ValueError("a P_Key is 0x0001 to 0x7fff (0x8001 to 0xffff with the membership bit); 0x0000 is invalid")
    return value & 0x7FFF


PKey = Annotated[int, _readable(_pkey), WithJsonSchema(_HEX_SCHEMA), _written("0x{:04x}")]
"""A partition key; partitions are compared on the low 15 bits, so 0x8101 and 0x0101 are the same."""


def _prefix(text: str) -> int:
    value = _hex(text)
    if value >> 56 == 0xFF:
        raise ValueError("a prefix that begins with 0xff is one of multicast groups: 0xfec0... is free for your own")
    return value


Prefix = Annotated[int, _readable(_prefix), WithJsonSchema(_HEX_SCHEMA), _written("0x{:016x}"), Field(gt=0, lt=2**64)]
"""A subnet prefix: 64 bits, `0xfec0000000000001`."""


def _guid(text: str) -> int:
    value = _hex(text)
    if value == 0:
        raise ValueError("a GUID of zero means `not set`")
    if value >> 56 & 1:
        raise ValueError("the first octet is odd: that is the address of a group, never of a port (EUI-64)")
    return value


Guid = Annotated[int, _readable(_guid), WithJsonSchema(_HEX_SCHEMA), _written("0x{:016x}")]
"""A port's or node's GUID: `0x` and up to 16 hexadecimal digits, not zero."""

Membership = Literal["full", "limited", "both"]
