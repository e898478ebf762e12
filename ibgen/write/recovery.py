"""After a kill: what the journal says is finished, or undone where it cannot be finished.

Takes a root. Gives findings. Every command that looks at a tree calls `recover` first.
"""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

from ibgen.diagnostics import Finding
from ibgen.write import findings as say
from ibgen.write import journal as log
from ibgen.write import moving
from ibgen.write.lock import locked
from ibgen.write.paths import MANIFEST, STAGING


def recover(root: Path) -> tuple[Finding, ...]:
    """Makes a tree wholly old or wholly new; without an interrupted build it does nothing and gives nothing.

    Gives a note for what was done, a warning for each edit kept aside, an error where a build is going on (BUSY), where the
    journal cannot be read, or where the system refuses. A verb that only reads the tree may go on after BUSY.
    """
    try:
        if not stat.S_ISDIR(os.lstat(root / STAGING).st_mode):
            return ()  # not ours; a build into this folder says so
        with locked(root) as held:
            if not held:
                hint = "wait until it is done, then run the command again"
                return (say.BUSY.finding(f"another ibgen is writing into {root}", say.place(root), hint=hint),)
            return finish(root)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        return (say.refused(root, error),)


def finish(root: Path) -> tuple[Finding, ...]:
    """`recover` for a caller that holds the lock. Raises OSError."""
    at = say.place(root, MANIFEST)
    try:
        journal = log.load(root)
    except ValueError as error:
        message = f"the journal of an interrupted build cannot be read: {error}"
        hint = f"take the tree back from version control and delete {root / STAGING}"
        return (say.BAD_JOURNAL.finding(message, say.place(log.file(root)), hint=hint),)
    if journal is None:
        moving.discard(root)  # it died before it moved anything
        return ()
    aside: list[str] = []
    try:
        done = "finished"
        if journal.direction == "forward":
            moving.forward(root, journal, lambda step: None, aside)
        else:
            done = "undone"
            moving.back(root, journal)
    except OSError:
        if journal.direction == "back":
            raise
        done = "undone"
        undo(root, journal)
    moving.discard(root)
    found = [say.UNFINISHED.finding(f"a build into {root} had been interrupted and was {done}", at)]
    for path in aside:
        message = f"a file was edited after the interruption; the edit is kept in {path}"
        hint = "bring the change into the spec and delete that file"
        found.append(say.SAVED.finding(message, say.place(root, path), hint=hint))
    return tuple(found)


def undo(root: Path, journal: log.Journal) -> None:
    """Turns a build round and takes it back. Raises OSError; whoever comes next goes on in the same direction."""
    back = replace(journal, direction="back")
    log.save(root, back)
    moving.back(root, back)
