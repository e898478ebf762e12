"""What can be said about a folder that ibgen writes: drift, obstacles, interruptions.

These codes speak of a tree on disk, not of a spec, so their pages have no Bad/Good pair; `tests/write` raises each of them.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from ibgen.diagnostics import Finding, Severity, Span, declare

EDITED = declare(
    "IBG901",
    "edited-by-hand",
    Severity.ERROR,
    """A file that ibgen wrote was changed by hand.

    The manifest holds the digest of every file as it was written; this one has another content now. Writing the tree would
    lose the change, so nothing is written at all. Bring the change into the spec (or an overlay) and build again; when the
    file then has the same content, the finding is gone. `ibgen build --force` throws the edits away.
    """,
)

FOREIGN = declare(
    "IBG902",
    "file-not-owned",
    Severity.ERROR,
    """A file that ibgen did not write stands where an artifact belongs.

    The manifest does not list it, so it is somebody else's, and ibgen never overwrites such a file, not even with `--force`.
    Move it away, or build into another folder. If the manifest was lost, take it back from version control: files whose
    content is what ibgen would write are adopted without a word.
    """,
)

STALE = declare(
    "IBG903",
    "stale-tree",
    Severity.ERROR,
    """A file of the tree is not what the spec says now.

    `ibgen build --check` writes nothing and fails while a build would change something, so that a tree in version control
    cannot lag behind its spec. Run `ibgen build` and commit the result. Where only the manifest is named, the files are right
    but were made by another version of ibgen, of its catalog, or of the spec's text.
    """,
)

ORPHAN = declare(
    "IBG904",
    "orphaned-file",
    Severity.ERROR,
    """A file that ibgen once wrote no longer belongs to the tree.

    The spec produces it no more (a partition, a pool, a target went away), and a program that reads whole folders would still
    pick it up. `ibgen build` deletes it; `ibgen build --check` reports it.
    """,
)

MISSING = declare(
    "IBG905",
    "owned-file-missing",
    Severity.NOTE,
    """A file that ibgen wrote is gone and is written again.

    The manifest lists it, the disk does not have it. If it was deleted on purpose, take what produces it out of the spec.
    """,
)

SYMLINK = declare(
    "IBG906",
    "symbolic-link",
    Severity.ERROR,
    """A symbolic link stands in the way of an artifact.

    Below the folder that is built into, ibgen follows no symbolic link: it could lead out of the tree, and a rename would
    replace it. Move the link away, or build directly into the folder it leads to. The folder itself may be a link.
    """,
)

OBSTRUCTED = declare(
    "IBG907",
    "path-obstructed",
    Severity.ERROR,
    """A folder is needed where a file stands, or a file where a folder stands.

    What stands there is not (or not only) ibgen's, so it is left alone and nothing is written. Move it away, or choose another
    output folder.
    """,
)

UNWRITABLE = declare(
    "IBG908",
    "cannot-write",
    Severity.ERROR,
    """The system refused to read or write the output folder: no permission, no space, a read-only file system.

    New files are laid beside the old ones before anything is moved, so the tree is as it was before the build. The message
    carries the system's own words.
    """,
)

BUSY = declare(
    "IBG909",
    "build-in-progress",
    Severity.ERROR,
    """Another ibgen is writing into this folder right now.

    Two builds into one folder would mix two trees. Wait for the other one and run the command again. The lock belongs to the
    running process: it is gone as soon as that process is, however it ended.
    """,
)

UNFINISHED = declare(
    "IBG910",
    "interrupted-build",
    Severity.NOTE,
    """A build was interrupted while it wrote the tree.

    Its journal was found in `.ibgen/`. Every command finishes such a build first, or undoes it where it cannot be finished, so
    that the tree is wholly new or wholly old, and says so with this note. `ibgen build --check`, which writes nothing, reports
    it as an error instead: run `ibgen build`.
    """,
)

BAD_JOURNAL = declare(
    "IBG911",
    "journal-unreadable",
    Severity.ERROR,
    """The journal of an interrupted build cannot be read.

    `.ibgen/journal.json` is written in one step, so it was changed after ibgen wrote it, or by a newer version. It is not acted
    on. Take the tree back from version control, delete `.ibgen/` and build again.
    """,
)

BAD_MANIFEST = declare(
    "IBG912",
    "manifest-unreadable",
    Severity.ERROR,
    """`ibgen.manifest.json` cannot be read, so it is unknown which files are ibgen's.

    Usually a merge left conflict markers in it. Take either side's version from version control and build again: a build
    writes the manifest anew. A manifest of a newer ibgen needs that ibgen.
    """,
)

CHANGED = declare(
    "IBG913",
    "changed-meanwhile",
    Severity.ERROR,
    """The tree changed between the comparison and the writing.

    A file was edited, or another build finished, while this one was running. Nothing was written. Run the command again: it
    compares anew.
    """,
)

SAVED = declare(
    "IBG914",
    "edit-kept-aside",
    Severity.WARNING,
    """A file was edited after a build had been interrupted, and the edit was kept beside it.

    Finishing the interrupted build had to put the new file in its place. The edited one was renamed, not lost: compare the
    two, bring the change into the spec, and delete the copy.
    """,
)

_HINTS = {
    errno.ENOSPC: "free some space, or build into another folder",
    errno.EDQUOT: "the quota is used up; free some space, or build into another folder",
    errno.EFBIG: "the limit for file sizes is lower than a file of the tree (`ulimit -f`)",
    errno.EROFS: "the file system is mounted read-only; build into another folder",
    errno.EACCES: "build as the user who owns the folder, or into another one",
    errno.EPERM: "build as the user who owns the folder, or into another one",
    errno.EXDEV: "another file system is mounted inside the tree; build into a folder on one file system",
    errno.ENOLCK: "this file system has no file locks (flock); build on a local one and copy the tree",
    errno.ENOSYS: "this file system has no file locks (flock); build on a local one and copy the tree",
    errno.EOPNOTSUPP: "this file system has no file locks (flock); build on a local one and copy the tree",
    errno.ELOOP: "a symbolic link stands in the way: move it away",
    errno.ENAMETOOLONG: "build into a folder with a shorter path",
}


def place(root: Path, path: str = "") -> Span:
    """A file or folder as a whole."""
    return Span(str(root / path), 0)


def changed(root: Path, path: str) -> Finding:
    """The tree is not the one that was compared."""
    return CHANGED.finding(f"{path} changed while the tree was being compared", place(root, path), hint="run the command again")


def refused(root: Path, error: OSError) -> Finding:
    """What the system said, as a finding."""
    what = error.filename if isinstance(error.filename, str) else str(root)
    words = os.strerror(error.errno) if error.errno else str(error)
    hint = _HINTS.get(error.errno or 0, "make the folder writable, or build into another one")
    return UNWRITABLE.finding(f"cannot write {root}: {words}", Span(what, 0), hint=hint)
