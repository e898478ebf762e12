"""The generated TypeScript of a CDKTF provider package, read back as schema blocks.

Each resource of such a package is one class whose documented members keep everything the core of Terraform needs:

    // zones - computed: false, optional: true, required: false
    private _zones?: string[];
    public get zones() { return cdktf.Fn.tolist(this.getListAttribute('zones')); }

  * the comment gives the Terraform name and the required/optional/computed flags;
  * the getter gives the type (`Fn.tolist` marks a set);
  * `new XOutputReference` / `new XList(.., isSet)` / `new XMap` gives a nested object; `listMapper(fn, true)` marks it as
    a *block*, `false` as an *attribute* holding objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_FLAGS = re.compile(r"^  // (\w+) - computed: (true|false), optional: (true|false), required: (true|false)\s*$", re.M)
_CLASS = re.compile(r"^export class (\w+) extends (\S+) \{$", re.M)
_NEW = re.compile(r"= new (?:cdkt[fn]\.)?(\w+)\(this, \"\w+\"(?:, (true|false))?\)")
_NEW_KINDS = ("OutputReference", "List", "Map", "MapList")
# getter name -> cty type; the difference between set and list comes from Fn.tolist around it
_GETTERS: dict[str, Any] = {
    "getStringAttribute": "string",
    "getNumberAttribute": "number",
    "getBooleanAttribute": "bool",
    "getListAttribute": ["list", "string"],
    "getNumberListAttribute": ["list", "number"],
    "getStringMapAttribute": ["map", "string"],
    "getNumberMapAttribute": ["map", "number"],
    "getBooleanMapAttribute": ["map", "bool"],
    "getAnyMapAttribute": ["map", "dynamic"],
}
# declared input types of members whose getter says nothing
_DECLARED: tuple[tuple[str, Any], ...] = (
    (r"string\[\]\[\]", ["list", ["list", "string"]]),
    (r"\{ \[key: string\]: string\[\] \}", ["map", ["list", "string"]]),
    (r"\{ \[key: string\]: string \}\[\]", ["list", ["map", "string"]]),
    (r"\(?(?:boolean \| cdkt[fn]\.IResolvable|boolean).*\[\]", ["list", "bool"]),
)
# the element types of `new cdktf.StringMapList(...)` and the like
_PRIMITIVE = {"String": "string", "Number": "number", "Boolean": "bool", "Any": "dynamic"}

Flags = dict[str, bool]


class ExtractError(Exception):
    """The package does not look the way it is expected to."""


class Module:
    """One generated TypeScript file: its classes and their members."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.classes: dict[str, str] = {}
        self.bases: dict[str, str] = {}
        heads = list(_CLASS.finditer(text))
        ends = [h.start() for h in heads[1:]] + [len(text)]
        for h, end in zip(heads, ends, strict=True):
            self.classes[h.group(1)] = text[h.start() : end]
            self.bases[h.group(1)] = h.group(2)

    def main(self) -> str:
        """The class of the resource, data source or provider itself."""
        for name, base in self.bases.items():
            if base.endswith(("TerraformResource", "TerraformDataSource", "TerraformProvider")):
                return name
        raise ExtractError("no resource class")

    def type_name(self) -> str:
        """Terraform's name of the resource type."""
        m = re.search(r"static readonly tfResourceType = \"(\w+)\"", self.text)
        if not m:
            raise ExtractError("no tfResourceType")
        return m.group(1)

    def version(self) -> str:
        """The provider version the file was generated from."""
        m = re.search(r"providerVersion: '([^']+)'", self.text)
        return m.group(1) if m else "0.0.0"

    def members(self, cls: str) -> Iterator[tuple[str, Flags, str]]:
        """(name, flags, source text) for each documented member of a class."""
        body = self.classes[cls]
        marks = list(_FLAGS.finditer(body))
        ends = [m.start() for m in marks[1:]] + [len(body)]
        for m, end in zip(marks, ends, strict=True):
            stop = body.find("// SYNTHESIS", m.end(), end)
            flags = dict(zip(("computed", "optional", "required"), (g == "true" for g in m.groups()[1:]), strict=True))
            yield m.group(1), flags, body[m.end() : stop if stop != -1 else end]

    def nested(self, source: str) -> tuple[str, str, bool] | None:
        """(struct, kind, is_set) when the member holds nested objects.

        A struct may itself be called ...Map, so of the readings of the class name the one whose ...OutputReference class
        exists wins.
        """
        m = _NEW.search(source.split("public get", 1)[0])
        if not m:
            return None
        cls, is_set = m.group(1), m.group(2) == "true"
        readings = [(cls.removesuffix(k), k) for k in _NEW_KINDS if cls.endswith(k)]
        for struct, kind in readings:
            if struct + "OutputReference" in self.classes:
                return struct, kind, is_set
        return (*readings[-1], is_set)

    def is_block(self, struct: str) -> bool:
        """Whether `listMapper(structToTerraform, true)` is used for this struct."""
        fn = struct[0].lower() + struct[1:] + "ToTerraform"
        m = re.search(rf"listMapper\({re.escape(fn)}, (true|false)\)", self.text)
        return m is not None and m.group(1) == "true"

    def hcl_kind(self, struct: str) -> str | None:
        """`list`, `set`, `struct` or `map`, as the HCL synthesiser writes it."""
        fn = struct[0].lower() + struct[1:] + "ToHclTerraform"
        m = re.search(rf"{re.escape(fn)}[^\n]*\n\s*isBlock: (?:true|false),\n\s*type: \"(\w+)\"", self.text)
        return m.group(1) if m else None


def block(module: Module, cls: str) -> dict[str, Any]:
    """The schema block of a class: `attributes` and `block_types`."""
    attributes: dict[str, Any] = {}
    blocks: dict[str, Any] = {}
    for name, flags, source in module.members(cls):
        nested = _nested_block(module, flags, source)
        if nested is None:
            attributes[name] = attribute(name, flags, _value_type(module, name, source))
        else:
            blocks[name] = nested | ({"min_items": 1} if flags["required"] else {})
    return parts(attributes, blocks)


def parts(attributes: dict[str, Any], blocks: dict[str, Any]) -> dict[str, Any]:
    """A block without the parts that are empty."""
    return {k: v for k, v in (("attributes", attributes), ("block_types", blocks)) if v}


def attribute(name: str, flags: Flags, ctype: Any) -> dict[str, Any]:
    """One attribute; `write_only` is taken from the `_wo` name ending."""
    a: dict[str, Any] = {"type": ctype} | {k: True for k in ("required", "optional", "computed") if flags[k]}
    if name.endswith("_wo") and not flags["computed"]:
        a["write_only"] = True
    return a


def _nested_block(module: Module, flags: Flags, source: str) -> dict[str, Any] | None:
    found = module.nested(source)
    if not found or not (flags["optional"] or flags["required"]):
        return None
    struct, kind, is_set = found
    reference = struct + "OutputReference"
    if reference not in module.classes:
        return None
    if kind == "List" and module.is_block(struct):
        return {"nesting_mode": "set" if is_set else "list", "block": block(module, reference)}
    if kind != "OutputReference":
        return None
    hcl = module.hcl_kind(struct)
    if hcl == "struct":
        return {"nesting_mode": "single", "block": block(module, reference)}
    return {"nesting_mode": "set" if hcl == "set" else "list", "block": block(module, reference), "max_items": 1}


def _value_type(module: Module, name: str, source: str) -> Any:
    found = module.nested(source)
    if not found:
        return _simple_type(source, name)
    struct, kind, is_set = found
    if struct in _PRIMITIVE:
        of = ["map", _PRIMITIVE[struct]]
        return of if kind == "Map" else ["list", of]
    members = module.members(struct + "OutputReference")
    t = ["object", {n: _value_type(module, n, s) for n, _flags, s in members}]
    if kind == "OutputReference":
        hcl = module.hcl_kind(struct)
        return t if hcl in (None, "struct") else [hcl, t]
    if kind == "List":
        return ["set" if is_set else "list", t]
    return ["map", t] if kind == "Map" else ["list", ["map", t]]


def _simple_type(source: str, name: str) -> Any:
    getter = re.search(r"public get \w+\(\) \{\n\s*return (.*?);\n", source, re.S)
    if not getter:
        raise ExtractError(f"{name}: no getter")
    expression = getter.group(1)
    m = re.search(r"this\.(get\w+Attribute)\('(\w+)'\)", expression)
    if m:
        t = _GETTERS.get(m.group(1))
        if t is None:
            raise ExtractError(f"{name}: unknown getter {m.group(1)}")
        return ["set", t[1]] if t[0] == "list" and "tolist(" in expression else t
    if "interpolationForAttribute" not in expression:
        raise ExtractError(f"{name}: cannot read type from {expression!r}")
    declared = re.search(r"private _\w+\?: ([^;]+?);", source)
    for pattern, t in _DECLARED:
        if declared and re.match(pattern, declared.group(1)):
            return t
    return "dynamic"
