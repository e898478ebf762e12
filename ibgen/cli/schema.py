"""`ibgen schema`: the JSON Schemas, for editors and for programs that read ibgen's output."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN


class Which(enum.StrEnum):
    """The schemas there are."""

    cluster = "cluster"
    manifest = "manifest"
    report = "report"


def schema(
    which: Annotated[Which, typer.Argument(metavar="[cluster|manifest|report]", help="Of what.")] = Which.cluster,
) -> int:
    """Print a JSON Schema: of the spec, the manifest or the report.

    `manifest` is the file in a built tree, `report` what `check --format json` prints.
    """
    if which is Which.cluster:
        from ibgen.spec import schema_text

        terminal.out(schema_text())
    else:
        from ibgen import assets

        terminal.out((assets.schemas() / f"{which.value}.schema.json").read_text(encoding="utf-8"))
    return CLEAN
