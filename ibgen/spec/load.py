"""`Document` -> `ClusterSpec`: every unknown key, wrong type and bad value at once, each at its own place."""

from __future__ import annotations

import difflib
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ibgen.diagnostics import Finding, Path
from ibgen.source import Document

from .cluster import ClusterSpec
from .findings import BAD_VALUE, LANGUAGE_VERSION, MISSING_KEY, UNKNOWN_KEY, UNKNOWN_KIND, WRONG_TYPE
from .racks import said_twice
from .references import dangling
from .site import Site

Model = TypeVar("Model", bound=BaseModel)


def load(document: Document) -> tuple[ClusterSpec | None, tuple[Finding, ...]]:
    """The spec, or None and what is wrong with it. References (pool, fabric and host names) are resolved too."""
    if document.data is None:
        return None, ()
    version = document.data.get("ibgen", "1")
    if isinstance(version, str) and re.fullmatch(r"[0-9]{1,9}", version) and version != "1":
        # a newer language has other keys: judging them by this one's would be noise
        return None, (_newer(version),)
    spec, findings = _validate(ClusterSpec, document.data)
    if spec is None:
        return None, findings
    return spec, tuple(dangling(spec))


def load_site(document: Document) -> tuple[Site | None, tuple[Finding, ...]]:
    """The site file, or None and what is wrong with it; paths are those of the site file's own document."""
    if document.data is None:
        return None, ()
    site, findings = _validate(Site, document.data)
    return site, findings if site is None else tuple(said_twice(site))


def _newer(version: str) -> Finding:
    hint = "write `ibgen: 1`" if int(version) < 1 else "a newer ibgen is needed, or write `ibgen: 1`"
    return LANGUAGE_VERSION.finding(
        f"language version {version} is not known here", ("ibgen",), label="this ibgen reads 1", hint=hint
    )


def _validate(model: type[Model], data: Mapping[str, Any]) -> tuple[Model | None, tuple[Finding, ...]]:
    empty = tuple(_empty(data, ()))
    try:
        value = model.model_validate(data)
    except ValidationError as e:
        return None, (*empty, *_findings(model, data, e))
    return (None if empty else value), empty


def _empty(value: Any, at: Path) -> Iterator[Finding]:
    """Nulls, wherever they stand: a key with nothing behind it is a slip, even where the section is optional."""
    if value is None:
        name = _name(at)
        yield WRONG_TYPE.finding(
            f"{name} is empty", at, on="key", label="nothing stands here", hint=f"fill it in, or leave {name} out"
        )
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if inner is None or isinstance(inner, Mapping | list):
                yield from _empty(inner, (*at, key))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            if inner is None or isinstance(inner, Mapping | list):
                yield from _empty(inner, (*at, n))


def _name(at: Path) -> str:
    if not at:
        return "the spec"
    return f"item {at[-1] + 1}" if isinstance(at[-1], int) else f"`{at[-1]}`"


def _findings(model: type[BaseModel], data: Any, error: ValidationError) -> Iterator[Finding]:
    errors = _said_once(data, error.errors(include_url=False))
    # where `kind` itself is wrong, the keys beside it were judged by the wrong model
    wrong_kind = {e["loc"][:-1] for e in errors if e["type"] == "literal_error" and e["loc"][-1] in ("kind", "provider")}
    for e in errors:
        if e["type"] in ("missing", "extra_forbidden") and any(e["loc"][: len(at)] == at for at in wrong_kind):
            continue
        at, value = _place(data, e["loc"], e["type"])
        if e["type"] == "too_short" and isinstance(value, list) and len(value) >= e["ctx"]["min_length"]:
            continue  # long enough: its items are what is wrong, and they speak for themselves
        if value is None and e["type"] not in ("missing", "extra_forbidden"):
            continue  # said already: it is empty
        yield _finding(model, at, value, e)


def _said_once(data: Any, errors: Sequence[Any]) -> list[Any]:
    """A plain union refuses a value once per member: those errors as one, or none where the items of a list are wrong."""
    places = [_place(data, e["loc"], e["type"])[0] for e in errors]
    refused: dict[Path, list[Any]] = {}
    for at, e in zip(places, errors, strict=True):
        if e["type"] == "literal_error" or e["type"] in _SHAPES:
            refused.setdefault(at, []).append(e)
    kept = [e for e in errors if e["type"] != "literal_error" and e["type"] not in _SHAPES]
    for at, several in refused.items():
        words = [e["ctx"]["expected"] for e in several if e["type"] == "literal_error"]
        if len(several) > 1 and any(p[: len(at)] == at and len(p) > len(at) for p in places):
            continue
        shapes = [_SHAPES[e["type"]] for e in several if e["type"] in _SHAPES]
        context = {"expected": ", ".join(words), "shapes": shapes} if words else {}
        kept.append({**several[0], "type": "literal_error", "ctx": context} if words else several[0])
    return kept


def _place(data: Any, loc: tuple[int | str, ...], kind: str) -> tuple[Path, Any]:
    """The spec path of an error: pydantic's location without the tags of unions, and the value that stands there."""
    path: list[int | str] = []
    current = data
    for n, step in enumerate(loc):
        last = n == len(loc) - 1
        if _has(current, step):
            path.append(step)
            current = current[step]
        elif last and kind in ("missing", "extra_forbidden"):
            path.append(step)
            current = None
        # anything else is the tag of a union member, or `[key]` for the key of a mapping
    return tuple(path), current


def _has(container: Any, step: int | str) -> bool:
    if isinstance(container, list):
        return isinstance(step, int) and step < len(container)
    return isinstance(container, Mapping) and step in container


def _finding(model: type[BaseModel], at: Path, value: Any, e: Any) -> Finding:
    kind, context = e["type"], e.get("ctx", {})
    name = _name(at)
    if kind == "extra_forbidden":
        hint = _near(str(at[-1]), sorted(_keys_at(model, e["loc"][:-1])), "key")
        return UNKNOWN_KEY.finding(f"unknown key {name}", at, on="key", label="not a key of this section", hint=hint)
    if kind == "missing":
        hint = _of_provider(at, e["input"]) or _example(model, e["loc"])
        return MISSING_KEY.finding(f"{name} is missing", at[:-1], on="key", label=f"needs {name}", hint=hint)
    if kind.startswith("union_tag"):
        words = [t for m in _walk(model, e["loc"]) if (t := _tag_of(m))]
        return _tag(at, value, context, words, _example(model, e["loc"]))
    if kind == "literal_error":
        return _word(at, name, value, context, _example(model, e["loc"]))
    if kind in _SHAPES:
        hint = _example(model, e["loc"])
        return WRONG_TYPE.finding(f"{name} is {_kind_of(value)}; {_SHAPES[kind]} belongs here", at, hint=hint)
    on_key = e["loc"][-1:] == ("[key]",)
    reason = _reason(kind, e, at[-1] if on_key else value)
    hint = _hint(e) or _example(model, e["loc"])
    return BAD_VALUE.finding(f"{name}: {reason}", at, on="key" if on_key else "value", hint=hint)


def _of_provider(at: Path, section: Any) -> str:
    """`control` of a fabric that has no subnet manager."""
    kind = section.get("kind") if isinstance(section, Mapping) and at[:1] == ("fabrics",) and at[-1] == "control" else None
    return f"a `kind: {kind}` fabric has no subnet manager: `control: {{kind: provider}}`" if kind in ("roce", "efa") else ""


def _word(at: Path, name: str, value: Any, context: Mapping[str, Any], example: str) -> Finding:
    words = [w.strip(" '") for w in str(context["expected"]).replace(" or ", ", ").split(",")]
    shapes = context.get("shapes", [])
    if isinstance(value, str):
        more = f"; or {shapes[0]}" if shapes else ""
        return UNKNOWN_KIND.finding(f"{name} cannot be {_quote(value)}", at, hint=_near(value, words, "word") + more)
    belongs = " or ".join([*(f"`{w}`" for w in words), *shapes])
    return WRONG_TYPE.finding(f"{name} is {_kind_of(value)}; {belongs} belongs here", at, hint=example)


_MAPPING, _LIST = "a mapping (`key: value`)", "a list (`- item`)"
_SHAPES = {
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dict_type": _MAPPING,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
}


def _tag(at: Path, value: Any, context: Mapping[str, Any], words: list[str], example: str) -> Finding:
    key = str(context.get("discriminator", "'kind'")).strip("'")
    if not isinstance(value, Mapping):
        message = f"`{at[-1] if at else 'spec'}` is {_kind_of(value)}; a mapping with `{key}` belongs here"
        return WRONG_TYPE.finding(message, at, hint=example)
    if key not in value:
        hint = f"`{key}` is {_one_of(words)}" if words else ""
        return MISSING_KEY.finding(f"`{key}` is missing", at, on="key", label=f"needs `{key}`", hint=hint)
    return UNKNOWN_KIND.finding(f"unknown {key} {_quote(str(value[key]))}", (*at, key), hint=_near(str(value[key]), words, key))


def _reason(kind: str, e: Mapping[str, Any], value: Any) -> str:
    context = e.get("ctx", {})
    said = _quote(str(value)) if isinstance(value, str) else _kind_of(value)
    limits = {
        "greater_than_equal": ("ge", "at least"), "less_than_equal": ("le", "at most"),
        "greater_than": ("gt", "more than"), "less_than": ("lt", "less than"),
    }  # fmt: skip
    if kind in limits:
        key, words = limits[kind]
        return f"{said} is out of range: {words} {context[key]:g}"
    if kind == "too_short":
        return f"needs at least {context['min_length']} item(s)"
    if kind in ("too_long", "string_too_long"):
        return f"longer than {context['max_length']}"
    if kind == "string_pattern_mismatch":
        return f"{said} does not match {context['pattern']}"
    if kind == "value_error":
        reason = str(context["error"])
        return reason if reason.startswith(said) or not isinstance(value, str) else f"{said}: {reason}"
    return f"{said}: {e['msg'].lower()}"


def _hint(e: Mapping[str, Any]) -> str:
    return str(getattr(e.get("ctx", {}).get("error"), "hint", "") or "")


def _quote(text: str) -> str:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return "`" + shown.encode("unicode_escape").decode("ascii") + "`" if not shown.isprintable() else f"`{shown}`"


def _kind_of(value: Any) -> str:
    if value is None:
        return "empty"
    return "a mapping" if isinstance(value, Mapping) else "a list" if isinstance(value, list) else "text"


def _one_of(words: list[str]) -> str:
    return " or ".join(f"`{w}`" for w in words)


def _near(word: str, known: list[str], what: str) -> str:
    close = difflib.get_close_matches(word.lower(), [k.lower() for k in known], n=1, cutoff=0.6)
    if close:
        return f"did you mean `{next(k for k in known if k.lower() == close[0])}`?"
    return f"known here: {', '.join(known)}" if known else f"there is no such {what}"


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models an annotation may hold: through Annotated, unions, tuples and mappings."""
    origin = typing.get_origin(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif origin is dict:
        yield from _models_in(typing.get_args(annotation)[1])
    elif origin is not None or isinstance(annotation, types.UnionType):
        for a in typing.get_args(annotation):
            yield from _models_in(a)


def _walk(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[type[BaseModel]]:
    """The models that may stand at a location; a union's tag narrows it to the member of that tag."""
    models = [model]
    for step in loc:
        if isinstance(step, int):
            continue
        tagged = [m for m in models if _tag_of(m) == step]
        held = [f.annotation for m in models if (f := m.model_fields.get(step)) is not None]
        metadata = [x for a in held for x in _models_in(a)]
        models = metadata or tagged or models
    return models


def _tag_of(model: type[BaseModel]) -> str | None:
    for key in ("kind", "provider"):
        field = model.model_fields.get(key)
        if field is not None and typing.get_origin(field.annotation) is typing.Literal:
            return str(typing.get_args(field.annotation)[0])
    return None


def _keys_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> set[str]:
    return {key for m in _walk(model, loc) for key in m.model_fields}


def _example(model: type[BaseModel], loc: tuple[int | str, ...]) -> str:
    """The example of the innermost field a location passes as a hint: the tag of a union and the key of a mapping have none."""
    for end in range(len(loc) - 1, -1, -1):
        name = str(loc[end])
        for m in _walk(model, loc[:end]):
            field = m.model_fields.get(name)
            if field is not None and field.examples:
                return f"for example `{name}: {flow(field.examples[0])}`"
    return ""


def flow(value: Any) -> str:
    """A plain value as one line of YAML in flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    quoted = isinstance(value, str) and (text == "" or any(c in text for c in "[]{},:#&*!|>'\"%@`"))
    return f'"{text}"' if quoted else text
