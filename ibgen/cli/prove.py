"""`ibgen prove`: the real programs judge a tree."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibgen.cli import terminal
from ibgen.cli.doctor import search_path
from ibgen.cli.exits import CLEAN, FINDINGS, USAGE, Refused
from ibgen.cli.given import next_step
from ibgen.cli.options import OUT, ProofFormat

if TYPE_CHECKING:
    from ibgen.prove import Verdict


def prove(
    tree: Annotated[Path, typer.Argument(metavar="TREE", help="A folder that `ibgen build` wrote.")] = OUT,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="PROGRAM", help="Ask only this one; may be repeated.")
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option("--require", metavar="PROGRAM", help="Exit 2 when it is skipped; `all` for every one; may be repeated."),
    ] = None,
    format: Annotated[ProofFormat, typer.Option("--format", help="How the verdicts are printed.")] = ProofFormat.text,
) -> int:
    """Let the real programs judge a built tree.

    OpenSM on a simulated fabric, slurmctld, terraform: whether they accept the files, and understand what the spec means.
    What is not installed is skipped and named.
    """
    _must_be_tree(tree)
    from ibgen import prove as proofs

    asked = _known(only or (), proofs.PROGRAMS) or tuple(proofs.PROGRAMS)
    wanted = set(_known([r for r in require or () if r != "all"], proofs.PROGRAMS))
    env = dict(os.environ) | {"PATH": search_path()}
    try:
        with terminal.Progress() as step:
            verdicts = {name: v for name in asked for v in proofs.run(tree, env, (name,), step)}
    except proofs.NotATree as error:
        raise Refused(str(error), "`ibgen build` writes a tree") from None
    _print(tuple(verdicts.values()), tree, format)
    if any(v.status == "failed" for v in verdicts.values()):
        return FINDINGS
    if "all" in (require or ()):
        wanted |= verdicts.keys()
    if missed := sorted(name for name in wanted if name not in verdicts or verdicts[name].status == "skipped"):
        terminal.say(f"required but not proved: {', '.join(missed)}")
        return USAGE
    if format is ProofFormat.text:
        next_step("less", tree / "README.md")
    return CLEAN


_ALSO = {"slurmctld": "slurm", "libnccl": "nccl"}
"""What a program is called where the proof has a shorter name."""


def _known(names: Sequence[str], programs: Collection[str]) -> tuple[str, ...]:
    """The names of proofs, each once."""
    found = dict.fromkeys(_ALSO.get(name, name) for name in names)
    for name in found:
        if name not in programs:
            raise Refused(f"there is no proof by `{name}`", f"the programs are {', '.join(programs)}")
    return tuple(found)


def _must_be_tree(tree: Path) -> None:
    from ibgen.write import MANIFEST, STAGING

    if not tree.is_dir():
        raise Refused(f"there is no folder {tree}", "`ibgen build` writes one")
    if (tree / STAGING / "journal.json").exists():
        raise Refused(f"a build into {tree} was interrupted", "run `ibgen build` again: it finishes it, or takes it back")
    if not (tree / MANIFEST).is_file():
        raise Refused(f"{tree} is not a tree that ibgen built: it has no {MANIFEST}", "`ibgen build -o FOLDER` writes one")


def _print(verdicts: Sequence[Verdict], tree: Path, format: ProofFormat) -> None:
    from ibgen.render import verdicts as render

    if format is ProofFormat.json:
        terminal.out(render.verdicts_json(verdicts))
    elif format is ProofFormat.github:
        terminal.out(render.verdicts_github(verdicts, str(tree)))
    else:
        terminal.out(render.verdicts_text(verdicts, color=terminal.color(sys.stdout)))
