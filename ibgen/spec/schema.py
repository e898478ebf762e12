"""The JSON Schema of the language, from the models: for editors, and for whoever checks specs without ibgen."""

from __future__ import annotations

import json
from typing import Any

from .cluster import ClusterSpec


def json_schema() -> dict[str, Any]:
    """The schema, JSON Schema 2020-12. Every field carries description, examples and `blastRadius`."""
    schema = ClusterSpec.model_json_schema(mode="validation", by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ibgen cluster spec, language version 1",
    } | schema


def schema_text() -> str:
    """The schema as the file `schemas/cluster.schema.json` holds it."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
