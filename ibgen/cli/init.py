"""`ibgen init`: a spec to begin with."""

from __future__ import annotations

import difflib
import itertools
import sys
import textwrap
from pathlib import Path
from typing import Annotated

import typer

from ibgen import assets
from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, Refused
from ibgen.cli.given import STDIN, next_step
from ibgen.cli.options import SPEC

_MODELINE = "# yaml-language-server: $schema="
_SCHEMA = "cluster.schema.json"
_FIRST = "lab"


def init(
    source: Annotated[str, typer.Option("--from", metavar="NAME", help="Which one to begin with.")] = _FIRST,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Where it is written; never over a file.")
    ] = SPEC,
    list_: Annotated[bool, typer.Option("--list", help="What there is to begin with.")] = False,
) -> int:
    """Write a spec to begin with, and its schema for your editor.

    The schema is written beside the spec, whose first line names it: editors then complete keys and mark typing errors.
    """
    known = _sources()
    if list_:
        space = max(map(len, known)) + 2
        # a line each where no person looks: `| grep` finds whole ones
        width = max(40, terminal.columns(sys.stdout)) if terminal.is_terminal(sys.stdout) else 10_000
        for name, path in known.items():
            terminal.out(
                textwrap.fill(_about(path), width, initial_indent=name.ljust(space), subsequent_indent=" " * space) + "\n"
            )
        return CLEAN
    if source not in known:
        near = difflib.get_close_matches(source, known, n=1, cutoff=0.4)
        raise Refused(f"there is nothing called `{source}` to begin with", _offer(near, known))
    text = _with_modeline(known[source].read_text(encoding="utf-8"))
    if output == STDIN:
        terminal.out(text)
        return CLEAN
    _write(output, text, _companions(known[source], text))
    next_step("ibgen", "check", output)
    return CLEAN


def _offer(near: list[str], known: dict[str, Path]) -> str:
    return f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known)}"


def _sources() -> dict[str, Path]:
    """Name -> file: what is made for beginners, then the examples. A companion has a dot in its name."""
    folders = (assets.templates() / "init", assets.examples())
    return {p.stem: p for folder in folders for p in sorted(folder.glob("*.yaml")) if "." not in p.stem}


def _about(path: Path) -> str:
    """The first sentence of the comment that is not for the editor, over as many lines as it takes."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = itertools.takewhile(lambda line: line.startswith("#"), lines)
    text = " ".join(line.lstrip("# ").rstrip() for line in comment if not line.startswith(_MODELINE))
    first, stop, _ = text.partition(". ")
    return first + stop.strip()


def _with_modeline(text: str) -> str:
    lines = text.splitlines(keepends=True)
    body = lines[1:] if lines and lines[0].startswith(_MODELINE) else lines
    return f"{_MODELINE}{_SCHEMA}\n" + "".join(body)


def _companions(source: Path, text: str) -> list[Path]:
    """The files beside the source that its text names: bindings, site, catalog rows."""
    return [p for p in sorted(source.parent.glob(f"{source.stem}.*")) if p != source and p.name in text]


def _write(output: Path, text: str, companions: list[Path]) -> None:
    folder = output.parent
    if output.is_dir():
        raise Refused(f"{output} is a folder", f"name the file: `-o {output / SPEC.name}`")
    if not folder.is_dir():
        raise Refused(f"there is no folder {folder}", f"make it first: `mkdir -p {folder}`")
    for path in (output, *(folder / c.name for c in companions)):
        if path.exists() or path.is_symlink():
            raise Refused(f"{path} is already there and is not overwritten", "name another file with `-o`")
    for companion in companions:
        _create(folder / companion.name, companion.read_text(encoding="utf-8"))
    _create(output, text)
    from ibgen.spec import schema_text

    schema = folder / _SCHEMA
    if not schema.exists():
        _create(schema, schema_text())
    elif schema.read_text(encoding="utf-8", errors="replace") != schema_text():
        terminal.say(f"{schema} is of another version of ibgen and was left alone: `ibgen schema > {schema}` renews it")


def _create(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:  # never over a file, not even one that appeared just now
        file.write(text)
    terminal.say(f"wrote {path}")
