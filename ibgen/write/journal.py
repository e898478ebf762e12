"""The journal of a build: what will be moved where, written down before the first move.

Takes and gives `Journal`; `save` and `load` keep it in the staging folder. A journal may come from a cloned tree, so every
path in it is checked before it is acted on.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from ibgen.write.paths import MANIFEST, STAGING, check_path
from ibgen.write.tree import put, remove, sync

SCHEMA = 1
_NAME = re.compile(r"[0-9]{6}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Move:
    """One file. `name` is its file in `.ibgen/new` and, for what was there before, in `.ibgen/old`.

    `old` and `new` are sha256 digests; without `old` the file is created, without `new` it is deleted.
    """

    path: str
    name: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Journal:
    """`moves` in order, the manifest last; `made` are the folders to make, outermost first, `pruned` those to remove."""

    moves: tuple[Move, ...]
    made: tuple[str, ...]
    pruned: tuple[str, ...]
    direction: Literal["forward", "back"] = "forward"


def file(root: Path) -> Path:
    return root / STAGING / "journal.json"


def save(root: Path, journal: Journal) -> None:
    """Durable and in one step: a journal that is there is whole."""
    draft = root / STAGING / "journal.new"
    remove(draft)
    put(draft, json.dumps({"schema": SCHEMA, **asdict(journal)}, indent=1).encode() + b"\n", 0o644)
    sync(draft)
    os.rename(draft, file(root))
    sync(root / STAGING)
    sync(root)


def load(root: Path) -> Journal | None:
    """The journal of an interrupted build, if there is one. Raises ValueError where it is not one that ibgen wrote."""
    try:
        value = json.loads(file(root).read_bytes())
    except FileNotFoundError:
        return None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    try:
        if value["schema"] != SCHEMA or value["direction"] not in ("forward", "back"):
            raise ValueError("it was made by another version of ibgen")
        moves = tuple(_move(move) for move in value["moves"])
        if not moves or moves[-1].path != MANIFEST or moves[-1].new is None:
            raise ValueError("it does not end with the manifest")
        made, pruned = (tuple(_folder(path) for path in value[key]) for key in ("made", "pruned"))
        return Journal(moves, made, pruned, value["direction"])
    except (KeyError, TypeError, AttributeError):
        raise ValueError("it is damaged") from None


def _move(value: Any) -> Move:
    move = Move(**value)
    if move.path != MANIFEST:
        check_path(move.path)
    digests = [digest for digest in (move.old, move.new) if digest is not None]
    if not digests or not _NAME.fullmatch(move.name) or not all(_DIGEST.fullmatch(digest) for digest in digests):
        raise ValueError("it is damaged")
    return move


def _folder(path: str) -> str:
    check_path(path)
    return path
