"""Carries a journal out, forward or back. Each step may have been done before: a killed build is continued with the same code.

Takes a root whose staging folder holds the files that the journal names. Raises OSError; the journal then still stands.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ibgen.write import journal as log
from ibgen.write.journal import Journal, Move
from ibgen.write.paths import STAGING, parents
from ibgen.write.tree import digest, look, remove, remove_empty, sync

Progress = Callable[[str], Any]


def forward(root: Path, journal: Journal, progress: Progress, aside: list[str] | None = None) -> None:
    """From the old tree, or any tree in between, to the new one.

    With `aside` (a recovery: time has passed since the files were compared) a file that was edited meanwhile is renamed, and
    its new path is added to the list; one that was to be deleted stays.
    """
    _no_links(root, journal)
    for move in journal.moves:
        if move.new is None:
            progress(f"delete {move.path}")
            _delete(root, move, aside)
    for folder in journal.pruned:
        progress(f"remove {folder}")
        remove_empty(root / folder)
    for folder in journal.made:
        progress(f"make {folder}")
        with contextlib.suppress(FileExistsError):
            os.mkdir(root / folder)
    *writes, manifest = [move for move in journal.moves if move.new is not None]
    for move in writes:
        progress(f"move {move.path}")
        _place(root, move, aside)
    _sync_folders(root, [move.path for move in journal.moves])
    progress(f"move {manifest.path}")
    _place(root, manifest, aside)
    sync(root)


def back(root: Path, journal: Journal) -> None:
    """From any tree in between to the old one. What somebody edited, or put in a file's place, meanwhile stays as it is."""
    _no_links(root, journal)
    for move in reversed(journal.moves):
        if move.new is not None:
            _take_back(root, move, move.new)
    for folder in reversed(journal.made):
        remove_empty(root / folder)
    for move in journal.moves:
        if move.new is None and look(root, move.path).kind == "absent":
            _restore(root, move)
    _sync_folders(root, [move.path for move in journal.moves])


def discard(root: Path) -> None:
    """Empties the staging folder, the journal first: without it the rest is only litter."""
    staging = root / STAGING
    remove(log.file(root))
    if (staging / "new").exists() or (staging / "old").exists():
        sync(staging)
    remove(staging / "journal.new")
    for name in ("new", "old"):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(staging / name)


def staged(root: Path, move: Move) -> Path:
    return root / STAGING / "new" / move.name


def _kept(root: Path, move: Move) -> Path:
    return root / STAGING / "old" / move.name


def _no_links(root: Path, journal: Journal) -> None:
    """Raises OSError where a symbolic link stands in a path: it may lead out of the tree."""
    for path in (*(move.path for move in journal.moves), *journal.made, *journal.pruned):
        seen = look(root, path)
        if seen.kind == "link":
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(root / seen.where))


def _delete(root: Path, move: Move, aside: list[str] | None) -> None:
    target = root / move.path
    if look(root, move.path).kind != "file":
        return  # deleted before
    if aside is not None and digest(target) != move.old:
        aside.append(move.path)
    else:
        remove(target)


def _place(root: Path, move: Move, aside: list[str] | None) -> None:
    source, target = staged(root, move), root / move.path
    if not os.path.lexists(source):
        return  # moved before
    seen = look(root, move.path)
    if seen.kind not in ("absent", "file"):
        raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    if seen.kind == "file" and aside is not None and digest(target) not in (move.old, move.new):
        copy = target.with_name(target.name + ".edited")
        while os.path.lexists(copy):
            copy = copy.with_name(copy.name + "~")
        os.rename(target, copy)
        aside.append(copy.relative_to(root).as_posix())
    os.rename(source, target)


def _take_back(root: Path, move: Move, new: str) -> None:
    target = root / move.path
    seen = look(root, move.path)
    now = digest(target) if seen.kind == "file" else None
    if move.old is None:
        if now == new and not os.path.lexists(staged(root, move)):
            remove(target)
    elif seen.kind == "absent" or now in (move.old, new):
        _restore(root, move)


def _restore(root: Path, move: Move) -> None:
    if not os.path.lexists(_kept(root, move)):
        return  # restored before
    target = root / move.path
    target.parent.mkdir(parents=True, exist_ok=True)
    os.rename(_kept(root, move), target)  # where both are one file still, this does nothing, and nothing is needed


def _sync_folders(root: Path, paths: list[str]) -> None:
    for folder in sorted({parent for path in paths for parent in parents(path)}):
        if look(root, folder).kind == "folder":
            sync(root / folder)
    sync(root)
