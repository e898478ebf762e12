"""A built tree -> verdicts of the real programs. It needs only the tree: `expect.json` says what must be understood.

An absent program, a too old version or missing rights is `skipped` with its remedy, never a failure and never a pass.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ibgen.prove import nccl, opensm, slurm, terraform
from ibgen.prove.verdict import Check, Verdict, skipped

__all__ = ["PROGRAMS", "Check", "NotATree", "Verdict", "run", "skipped"]

Prover = Callable[[Path, Mapping[str, Any], Mapping[str, str], Callable[[str], None]], Verdict]

PROGRAMS: dict[str, Prover] = {"opensm": opensm.prove, "slurm": slurm.prove, "terraform": terraform.prove, "nccl": nccl.prove}
"""Program (and section of expect.json that it judges) -> prover."""


class NotATree(ValueError):
    """The folder was not built by ibgen, or not by this one; the message says what is missing."""


def run(
    tree: Path, env: Mapping[str, str], only: tuple[str, ...] = (), progress: Callable[[str], None] = lambda what: None
) -> tuple[Verdict, ...]:
    """A verdict of every program the tree has something for (of `only` those, where given). Raises NotATree."""
    expect = _expectation(tree)
    verdicts = []
    for name, prove in PROGRAMS.items():
        if name in expect and (not only or name in only):
            progress(name)
            verdicts.append(prove(tree.resolve(), expect, env, progress))  # programs run in folders of their own
    return tuple(verdicts)


def _expectation(tree: Path) -> Mapping[str, Any]:
    file = tree / "expect.json"
    try:
        expect = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotATree(f"{tree} holds no expect.json: it is no tree that `ibgen build` wrote") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as e:
        raise NotATree(f"{file} cannot be read: {e}") from None
    if not isinstance(expect, dict) or expect.get("schema") != 1:
        raise NotATree(f"{file} is not of the form this ibgen reads: build the tree again")
    return expect
