"""`spec.md` from the models of the spec: every section, every field.

Takes `ibgen.spec`. Gives the page. A field's type is told by the alias it is written with (`Count`, `Rate`, ...), whose
docstring in `ibgen/spec/fields.py` says what it reads.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import types
import typing
from collections.abc import Iterator
from importlib import import_module
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import PlainSerializer
from pydantic.fields import FieldInfo

from ibgen import spec
from ibgen.spec import fields
from ibgen.spec.fields import BlastRadius, Section

OPENING = """# The spec

One YAML file, `cluster.yaml` by convention. Its sections are listed here with every field; the JSON Schema for editors and
other programs is [schemas/cluster.schema.json](../schemas/cluster.schema.json) (`ibgen schema`). `ibgen show spec` prints a
spec with all defaults written out; that text is itself a spec and means the same.

- Unknown keys, wrong types and values out of range are errors, all of them reported at once. A `null` is an error too.
- A plain scalar stays text until its field reads it: `pkey: 0x8001`, `parameters: 175e9`, `version: 24.11` need no quotes.
- YAML anchors, aliases and merge keys (`<<`) work within one file. Tags, several documents and duplicate keys are errors.
- Overlays: `ibgen build cluster.yaml -f prod.yaml`. Mappings merge key by key; lists whose items have a `name` merge by name;
  any other list is replaced; `key: null` removes the key. A finding names the file and line its value came from.

The column *a change costs* is the field's blast radius on a running cluster:

"""

COSTS = {
    "none": "nothing on the running cluster",
    "reload": "the subnet manager reads lists again (SIGHUP)",
    "sm-restart": "the subnet manager is restarted",
    "slurm-reconfigure": "`scontrol reconfigure`",
    "slurm-restart": "slurmctld is restarted",
    "host-env": "files or settings on the hosts; running jobs keep the old ones",
    "recable": "cables move or are added",
    "reprovision": "rented resources are made anew",
    "replace-host": "hosts are exchanged or booted from another image",
}

COMPANIONS = """## The bindings file

The file that `bindings` names: CSV with the columns `host,hca,port,node_guid,port_guid,system_image_guid`, in any order, the
last one optional. A switch is a row with its name in `host` and `hca` and `port` left empty. A GUID is `0x` and up to 16
hexadecimal digits, or the form of `/sys/class/infiniband`, `0002:c903:00a1:b2c3`. A fabric is bound when every switch and
every port that is not `planned` has its row; until then its files carry synthetic GUIDs and cannot be installed
([IBG322](rules/IBG322.md)).

```csv
host,hca,port,node_guid,port_guid
dgx-001,mlx5_0,1,0x946dae0300a1b2c0,0x946dae0300a1b2c1
leaf-u01-r0,,,0xfc6a1c0300d4e5f0,
```

Own catalog files, which `catalog` names, are described in [catalog.md](catalog.md).
"""

WORDS = {
    "Switchable": "true or false", "HostList": "host list", "FileName": "file name", "PartitionName": "partition name",
    "PKey": "P_Key", "Guid": "GUID", "ArmId": "Azure resource id", "Cidr": "IPv4 network", "Slug": "lower-case name",
    "VersionText": "version", "ParameterName": "NCCL parameter",
}  # fmt: skip
"""How an alias is called where its lower-cased name would not do."""


def spec_page() -> str:
    costs = "\n".join(f"| `{word}` | {COSTS[word]} |" for word in get_args(BlastRadius))
    parts = [OPENING + "| blast radius | what it means |\n|---|---|\n" + costs + "\n"]
    cluster, site = _sections(spec.ClusterSpec), _sections(spec.Site)
    titles = _titles(cluster | site)
    parts += [_section(model, titles) for model in cluster]
    parts += [_section(model, titles) for model in site]
    return "\n".join([*parts, COMPANIONS, *_scalars()]).rstrip() + "\n"


Place = tuple[str, str]
"""The path of a section, and the kind of the section above it that several models share a path with; mostly empty."""
Sections = dict[type[Section], list[Place]]
Titles = dict[type[Section], str]


def _sections(model: type[Section], path: str = "", kind: str = "") -> Sections:
    """Every model below one, with the places at which it stands, in reading order."""
    found: Sections = {model: [(path, kind)]}
    for name, hint in _hints(model).items():
        inside = list(_models(hint))
        for inner, step in inside:
            own = _kind(inner) if len(inside) > 1 else kind
            for deeper, places in _sections(inner, f"{path}.{name}{step}".lstrip("."), own).items():
                found.setdefault(deeper, []).extend(places)
    return found


def _hints(model: type[Section]) -> dict[str, Any]:
    hints = typing.get_type_hints(model, include_extras=True)
    return {name: hints[name] for name in model.model_fields}


def _models(hint: Any) -> Iterator[tuple[type[Section], str]]:
    """The models in a type, each with what is between the field and it: `[]` for lists, `.NAME` for mappings."""
    if isinstance(hint, type) and issubclass(hint, Section):
        yield hint, ""
    step = {tuple: "[]", dict: ".NAME"}.get(get_origin(hint) or hint, "")
    for inner in get_args(hint)[: 1 if get_origin(hint) is Annotated else None]:
        yield from ((model, step + more) for model, more in _models(inner))


def _titles(sections: Sections) -> Titles:
    """A section is called by its paths; where several models share one, also by the kind that tells them apart."""
    titles = {spec.ClusterSpec: "Top level", spec.Site: "The site file"}
    for model, places in sections.items():
        if model in titles:
            continue
        shared = any(path == places[0][0] for other, theirs in sections.items() if other is not model for path, _ in theirs)
        title = ", ".join(dict.fromkeys(f"`{path}`" for path, _ in places))
        titles[model] = f"{title} ({', '.join(dict.fromkeys(kind for _, kind in places))})" if shared else title
    return titles


def _kind(model: type[Section]) -> str:
    """The one word that a model's `kind` (or `provider`) may be; empty where it has none."""
    for name, field in model.model_fields.items():
        values = get_args(field.annotation)
        if name in ("kind", "provider") and get_origin(field.annotation) is Literal and len(values) == 1:
            return f"`{name}: {values[0]}`"
    return ""


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")


def _section(model: type[Section], titles: Titles) -> str:
    note = f" With {kind}." if (kind := _kind(model)) and kind not in titles[model] else ""
    rows = [_row(model, name, hint, titles) for name, hint in _hints(model).items()]
    head = ["| field | type | default | a change costs | meaning | example |", "|---|---|---|---|---|---|"]
    return "\n".join([f"## {titles[model]}\n", f"{inspect.cleandoc(model.__doc__ or '')}{note}\n", *head, *rows, ""])


def _row(model: type[Section], name: str, hint: Any, titles: Titles) -> str:
    field = model.model_fields[name]
    extra = field.json_schema_extra
    assert isinstance(extra, dict)
    example = flow((field.examples or [None])[0])
    cells = [
        f"`{name}`",
        _type(hint, titles),
        _default(field, hint),
        str(extra["blastRadius"]),
        field.description or "",
        f"`{example}`",
    ]
    return f"| {' | '.join(c.replace('|', chr(92) + '|') for c in cells)} |"


def _type(hint: Any, titles: Titles) -> str:
    """A type in words, with its limits."""
    if get_origin(hint) is Annotated:
        alias = _alias(hint)
        metadata = hint.__metadata__[len(_ALIASES[alias].__metadata__) if alias else 0 :]
        words = WORDS.get(alias, alias.lower()) if alias else _type(hint.__origin__, titles)
        limits = _limits(metadata)
        return f"{words}, {limits}" if limits else words
    if get_origin(hint) is Literal:
        values = [f"`{v}`" for v in get_args(hint)]
        return " or ".join(values) if len(values) < 4 else f"one of {', '.join(values)}"
    if get_origin(hint) is tuple:
        return f"list of {_type(get_args(hint)[0], titles)}"
    if get_origin(hint) is dict:
        key, value = get_args(hint)
        return f"mapping of {_type(key, titles)} to {_type(value, titles)}"
    if get_origin(hint) in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_type(a, titles) for a in get_args(hint) if a is not type(None)))
    if isinstance(hint, type) and issubclass(hint, Section):
        return f"[{_kind(hint) or 'section'}](#{_anchor(titles[hint])})"
    return {str: "text", int: "whole number", bool: "true or false"}.get(hint, str(hint))


def _limits(metadata: tuple[Any, ...]) -> str:
    found: dict[str, Any] = {}
    for item in metadata:
        for limit in item.metadata if isinstance(item, FieldInfo) else (item,):
            found |= {k: v for k in ("ge", "gt", "le", "lt") if (v := getattr(limit, k, None)) is not None}
    if "ge" in found and found["ge"] == found.get("le"):
        return f"{found['ge']:g}"
    if "ge" in found and "le" in found:
        return f"{found['ge']:g} to {found['le']:g}"
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    # the edge of 64 bits is what the type itself says
    return ", ".join(f"{words[k]} {v:g}" for k, v in sorted(found.items()) if v != 2**64)


def _default(field: FieldInfo, hint: Any) -> str:
    if field.is_required():
        return "**required**"
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None or value == () or value == {}:
        return "–"
    if isinstance(value, Section):
        return "its own defaults"
    serializer = next((m for m in getattr(hint, "__metadata__", ()) if isinstance(m, PlainSerializer)), None)
    return f"`{flow(serializer.func(value) if serializer else value)}`"  # type: ignore[call-arg]


def flow(value: Any) -> str:
    """A value as YAML on one line, as a person would write it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f'"{text}"' if isinstance(value, str) and any(c in text for c in "[]{},: #") else text


def _alias(hint: Any) -> str:
    """The alias an annotation is written with: the longest whose metadata it begins with."""
    fits = [
        name
        for name, alias in _ALIASES.items()
        if alias.__origin__ == hint.__origin__ and hint.__metadata__[: len(alias.__metadata__)] == alias.__metadata__
    ]
    return max(fits, key=lambda name: len(_ALIASES[name].__metadata__), default="")


def _named(module: Any) -> dict[str, Any]:
    return {k: v for k, v in vars(module).items() if k[0].isupper() and get_origin(v) is Annotated and not k.isupper()}


def _scalars() -> Iterator[str]:
    yield "## Scalars\n"
    body = ast.parse(inspect.getsource(fields)).body
    for this, following in itertools.pairwise(body):
        said = following.value if isinstance(following, ast.Expr) else None
        target = this.targets[0] if isinstance(this, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id in _ALIASES and isinstance(said, ast.Constant):
            yield f"- *{WORDS.get(target.id, target.id.lower())}*: {' '.join(str(said.value).split())}"


_ALIASES = _named(fields)
for _room, _names in (("cloud", ("ArmId", "Cidr", "Slug")), ("slurm", ("VersionText",)), ("nccl", ("ParameterName",))):
    _ALIASES |= {name: getattr(import_module(f"ibgen.spec.{_room}"), name) for name in _names}
