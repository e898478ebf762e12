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
    plan = "plan"
    report = "report"
    simulation = "simulation"


def schema(
    which: Annotated[
        Which, typer.Argument(metavar="[cluster|manifest|plan|report|simulation]", help="Of what.")
    ] = Which.cluster,
) -> int:
    """Print a JSON Schema: of the spec, or of what ibgen writes.

    `manifest` is the file in a built tree; `plan`, `report` and `simulation` are what `plan`, `check` and `simulate` print
    with `--format json`.
    """
    if which is Which.cluster:
        from ibgen.spec import schema_text

        terminal.out(schema_text())
    else:
        from ibgen import assets

        terminal.out((assets.schemas() / f"{which.value}.schema.json").read_text(encoding="utf-8"))
    return CLEAN
