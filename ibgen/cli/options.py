"""The arguments that several verbs share, each spelled and explained once."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer


class Format(enum.StrEnum):
    """What `check` prints."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"


class Plain(enum.StrEnum):
    """Text for people, JSON for programs."""

    text = "text"
    json = "json"


class ProofFormat(enum.StrEnum):
    """What `prove` prints: programs have verdicts, no lines of a spec that SARIF could name."""

    text = "text"
    json = "json"
    github = "github"


class FailOn(enum.StrEnum):
    """The least severity that makes `check` exit with 1."""

    error = "error"
    warning = "warning"
    note = "note"


Spec = Annotated[Path, typer.Argument(metavar="SPEC", help="The cluster's spec; `-` reads it from standard input.")]
SPEC = Path("cluster.yaml")
"""What a verb reads when no spec is named."""

Overlays = Annotated[
    list[Path] | None, typer.Option("-f", "--file", metavar="OVERLAY", help="Laid over the spec; may be repeated.")
]
PlainFormat = Annotated[Plain, typer.Option("--format", help="Text for people, JSON for programs.")]


def folder(text: str | Path) -> Path:
    """A folder's name. An empty one is a variable that was not set (`-o "$OUT"`), not the folder one stands in."""
    if not str(text):
        raise typer.BadParameter("the folder has no name; write `.` for the one you are in")
    return Path(text)


OUT = Path("out")
"""Where a tree is written and proved when no folder is named."""
