"""Writes a planned tree, all or nothing.

Takes a `WritePlan`. Gives findings: none means that the tree is the new one. `write` is the whole of recovery, comparison and
writing, which is what a build does.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from ibgen.diagnostics import Finding, Severity
from ibgen.write import findings as say
from ibgen.write import journal as log
from ibgen.write import moving
from ibgen.write.journal import Journal, Move
from ibgen.write.lock import locked
from ibgen.write.manifest import ManifestInfo
from ibgen.write.moving import Progress
from ibgen.write.paths import MANIFEST, STAGING, Artifact, parents
from ibgen.write.planning import Kind, WritePlan, plan
from ibgen.write.recovery import finish, recover, undo
from ibgen.write.tree import look, put, remove_empty, sync, sync_all


def write(
    artifacts: Iterable[Artifact],
    root: Path,
    info: ManifestInfo,
    *,
    force: bool = False,
    progress: Progress = lambda step: None,
) -> tuple[WritePlan, tuple[Finding, ...]]:
    """Recovers, compares, writes. Where any finding is an error, nothing was written."""
    recovered = recover(root)
    if any(finding.severity is Severity.ERROR for finding in recovered):
        return WritePlan(root, findings=recovered), recovered
    planned = plan(artifacts, root, info, force=force)
    done = () if planned.blocked else apply(planned, progress)
    return planned, (*recovered, *planned.findings, *done)


def apply(plan: WritePlan, progress: Progress = lambda step: None) -> tuple[Finding, ...]:
    """Writes what the plan says, or nothing. `progress` is told each step before it is taken.

    Raises ValueError for a plan with errors. What the system refuses, another build, and a tree that changed since the
    comparison are findings; the tree is then the old one. An exception from `progress` once files are being moved leaves
    the journal for the next `recover`.
    """
    if plan.blocked:
        raise ValueError("a plan with errors cannot be applied")
    if not plan.stale:
        return ()
    missing = [folder for folder in (plan.root, *plan.root.parents) if not os.path.lexists(folder)]
    try:
        plan.root.mkdir(parents=True, exist_ok=True)
        return _locked(plan, progress)
    except OSError as error:
        return (say.refused(plan.root, error),)
    finally:
        with contextlib.suppress(OSError):
            for folder in missing:  # empty again where nothing was written
                remove_empty(folder)


def _locked(plan: WritePlan, progress: Progress) -> tuple[Finding, ...]:
    root = plan.root
    with locked(root) as held:
        if not held:
            hint = "wait until it is done, then run the command again"
            return (say.BUSY.finding(f"another ibgen is writing into {root}", say.place(root), hint=hint),)
        found = finish(root)
        changed = [path for path, signature in plan.seen.items() if look(root, path).signature != signature]
        if changed or found:
            return (*found, say.changed(root, changed[0] if changed else MANIFEST))
        journal = _stage(plan, progress)
        try:
            moving.forward(root, journal, progress)
        except OSError:
            undo(root, journal)
            moving.discard(root)
            raise
        progress("clean up")
        with contextlib.suppress(OSError):  # the tree is the new one; the next command removes what is left
            moving.discard(root)
    return ()


def _stage(plan: WritePlan, progress: Progress) -> Journal:
    """Everything that can fail for want of space or permission, before anything is moved. Ends with a durable journal."""
    root = plan.root
    staging = root / STAGING
    committed = False
    try:
        os.mkdir(staging / "new")
        os.mkdir(staging / "old")
        moves = _moves(plan)
        _admit(root, moves)
        for move in moves:
            progress(f"stage {move.path}")
            if move.new is not None:
                put(moving.staged(root, move), *plan.content[move.path])
            if move.old is not None:
                _keep(root / move.path, staging / "old" / move.name)
        progress("sync")
        sync_all([moving.staged(root, move) for move in moves if move.new is not None])
        sync(staging / "new")
        sync(staging / "old")
        journal = Journal(moves, *_folders(plan))
        progress("journal")
        log.save(root, journal)
        committed = True
        return journal
    finally:
        if not committed:
            moving.discard(root)


def _moves(plan: WritePlan) -> tuple[Move, ...]:
    moves: list[Move] = []
    for change in plan.changes:
        if change.kind is not Kind.SAME:
            new = None if change.kind is Kind.DELETE else plan.new[change.path]
            moves.append(Move(change.path, f"{len(moves):06d}", plan.old.get(change.path), new))
    if moves[-1].path != MANIFEST:  # a mode changed and nothing else: the manifest still goes last
        moves.append(Move(MANIFEST, f"{len(moves):06d}", plan.old[MANIFEST], plan.new[MANIFEST]))
    return tuple(moves)


def _folders(plan: WritePlan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders to make, outermost first, and those that lose a file, innermost first (removed if they are empty)."""
    needed = {folder for c in plan.changes if c.kind is not Kind.DELETE for folder in parents(c.path)}
    losing = {folder for c in plan.changes if c.kind is Kind.DELETE for folder in parents(c.path)}
    made = sorted(folder for folder in needed if look(plan.root, folder).kind != "folder")
    return tuple(made), tuple(sorted(losing - needed, reverse=True))


def _admit(root: Path, moves: Iterable[Move]) -> None:
    """Raises OSError where a folder that loses or gains a name is on another file system or may not be written."""
    device = os.lstat(root / STAGING).st_dev
    for folder in sorted({folder for move in moves for folder in parents(move.path)}):
        if look(root, folder).kind != "folder":
            continue
        place = root / folder
        if os.lstat(place).st_dev != device:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(place))
        if not os.access(place, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(place))


def _keep(file: Path, copy: Path) -> None:
    """The old file under a second name, so that a build can be taken back; a copy where there are no hard links."""
    try:
        os.link(file, copy, follow_symlinks=False)
    except OSError:
        shutil.copy2(file, copy, follow_symlinks=False)
        sync(copy)
