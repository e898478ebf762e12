"""The language describes itself: every field has a description, an example that loads, and a blast radius."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel

from ibgen import assets, spec
from ibgen.spec import ClusterSpec, Site
from ibgen.spec.fields import BlastRadius
from ibgen.spec.load import _models_in


def models(root: type[BaseModel], seen: set[type[BaseModel]] | None = None) -> Iterator[type[BaseModel]]:
    seen = set() if seen is None else seen
    if root in seen:
        return
    seen.add(root)
    yield root
    for field in root.model_fields.values():
        for inner in _models_in(field.annotation):
            yield from models(inner, seen)


FIELDS = [
    pytest.param(model, name, id=f"{model.__name__}.{name}")
    for root in (ClusterSpec, Site)
    for model in models(root)
    for name in model.model_fields
]


@pytest.mark.parametrize(("model", "name"), FIELDS)
def test_every_field_says_what_it_is(model: type[BaseModel], name: str) -> None:
    field = model.model_fields[name]
    assert field.description
    assert field.examples
    extra: Any = field.json_schema_extra
    assert extra["blastRadius"] in BlastRadius.__args__  # type: ignore[attr-defined]
    assert model.__doc__


@pytest.mark.parametrize(("model", "name"), FIELDS)
def test_every_example_is_valid(model: type[BaseModel], name: str) -> None:
    from typing import Annotated

    from pydantic import TypeAdapter

    field = model.model_fields[name]

    def as_text(value: Any) -> Any:
        if isinstance(value, dict):
            return {str(k): as_text(v) for k, v in value.items()}
        if isinstance(value, list):
            return [as_text(v) for v in value]
        return value if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    adapter = TypeAdapter(Annotated[field.annotation, field]) if field.metadata else TypeAdapter(field.annotation)
    example = field.examples[0] if field.examples else None
    if name in (
        "pools",
        "hcas",
        "partitions",
        "fabrics",
        "control",
        "exceptions",
        "classes",
        "racks",
        "workloads",
        "attach",
        "reserve",
    ):
        return  # abbreviated on purpose: the page shows the form, not a whole section
    adapter.validate_python(as_text(example))


def test_committed_schema_is_current() -> None:
    """needs 34: a hand-kept schema disagrees with the code sooner or later; run `make schema`."""
    assert (assets.schemas() / "cluster.schema.json").read_text() == spec.schema_text()


def test_schema_is_valid_and_strict() -> None:
    schema = spec.json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    loose = [k for k, v in schema["$defs"].items() if v.get("type") == "object" and v.get("additionalProperties") is not False]
    assert not loose


@pytest.mark.parametrize(
    "path", sorted(p for p in assets.examples().glob("*.yaml") if p.name.count(".") == 1), ids=lambda p: p.stem
)
def test_examples_satisfy_the_schema_as_an_editor_reads_them(path: Any) -> None:
    """An editor reads YAML 1.2 core: `0x7fff` and `no` arrive typed. It must not underline a right spec."""
    from ruamel.yaml import YAML

    data = json.loads(json.dumps(YAML(typ="safe", pure=True).load(path.read_text())))
    errors = [
        f"{list(e.absolute_path)}: {e.message}" for e in jsonschema.Draft202012Validator(spec.json_schema()).iter_errors(data)
    ]
    assert not errors
