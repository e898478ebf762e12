"""What a build would do to a folder, and what speaks against it. Reads the folder, writes nothing.

Takes artifacts, the root and what the manifest shall say. Gives a `WritePlan`; `check` turns one into the findings of
`build --check`.
"""

from __future__ import annotations

import enum
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ibgen.diagnostics import Finding, Severity
from ibgen.write import findings as say
from ibgen.write.manifest import Entry, Manifest, ManifestInfo, describe, parse, to_bytes
from ibgen.write.paths import MANIFEST, STAGING, Artifact, by_path
from ibgen.write.tree import Seen, Signature, digest, look


class Kind(enum.StrEnum):
    """What happens to a file."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Change:
    """`edited`: the file is ibgen's and was changed by hand since, in a way that this change would lose."""

    path: str
    kind: Kind
    edited: bool = False


@dataclass(frozen=True, slots=True)
class WritePlan:
    """Changes by path, the manifest last. Where a finding is an error, the plan may not be applied.

    `content` has the bytes and mode of every file to write; `old` the sha256 of every file that is replaced or deleted; `seen`
    what each path looked like, to notice changes before `apply` acts on it.
    """

    root: Path
    changes: tuple[Change, ...] = ()
    findings: tuple[Finding, ...] = ()
    content: Mapping[str, tuple[bytes, int]] = field(default_factory=dict, repr=False)
    old: Mapping[str, str] = field(default_factory=dict, repr=False)
    new: Mapping[str, str] = field(default_factory=dict, repr=False)
    seen: Mapping[str, Signature | None] = field(default_factory=dict, repr=False)

    @property
    def stale(self) -> bool:
        """Whether applying would change anything."""
        return any(change.kind is not Kind.SAME for change in self.changes)

    @property
    def blocked(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)


def plan(artifacts: Iterable[Artifact], root: Path, info: ManifestInfo, *, force: bool = False) -> WritePlan:
    """Compares. `force` turns hand edits from errors into warnings; files of others stay errors.

    Raises ValueError where an artifact's path is not safe (`paths.by_path`). Everything on disk is a finding.
    """
    files = by_path(artifacts)
    try:
        found = _obstacle_to(root) or _read_manifest(root)
        if isinstance(found, Finding):
            return WritePlan(root, findings=(found,))
        return _Comparison(root, files, describe(info, files.values()), found, force).run()
    except OSError as error:
        return WritePlan(root, findings=(say.refused(root, error),))


def check(artifacts: Iterable[Artifact], root: Path, info: ManifestInfo) -> tuple[WritePlan, tuple[Finding, ...]]:
    """Whether the tree is what a build would write; writes nothing, not even the recovery of an interrupted build."""
    made = plan(artifacts, root, info)
    found = [f for f in made.findings if f.code is not say.MISSING]
    accused = {f.at for f in found}
    for change in made.changes:
        at = say.place(root, change.path)
        if change.kind is Kind.SAME or at in accused or (change.path == MANIFEST and found):
            continue
        if change.kind is Kind.DELETE:
            found.append(say.ORPHAN.finding(f"{change.path} no longer belongs to the tree", at, hint="run `ibgen build`"))
        else:
            words = "is missing" if change.kind is Kind.CREATE else "is not what the spec says now"
            found.append(say.STALE.finding(f"{change.path} {words}", at, hint="run `ibgen build` and commit the result"))
    return made, tuple(found)


@dataclass(frozen=True, slots=True)
class _Old:
    """The manifest of the tree as it stands: the files it lists, its own digest, what it looked like."""

    files: Mapping[str, Entry] = field(default_factory=dict)
    sha256: str | None = None
    signature: Signature | None = None


def _obstacle_to(root: Path) -> Finding | None:
    """Why `root` cannot be built into as a folder."""
    for above in (root, *root.parents):
        if os.path.lexists(above) and not above.is_dir():
            hint = "choose another output folder"
            return say.OBSTRUCTED.finding(f"{above} is not a folder", say.place(above), hint=hint)
    staging = root / STAGING
    if look(root, STAGING).kind not in ("absent", "folder"):
        hint = "move it away: ibgen lays new files there before it moves them"
        return say.OBSTRUCTED.finding(f"{staging} is not a folder", say.place(staging), hint=hint)
    if os.path.lexists(staging / "journal.json"):
        message = f"a build into {root} was interrupted, or is going on"
        at = say.place(root, MANIFEST)
        return say.UNFINISHED.finding(message, at, hint="run `ibgen build` to finish it", severity=Severity.ERROR)
    return None


def _read_manifest(root: Path) -> _Old | Finding:
    seen = look(root, MANIFEST)
    if seen.kind == "absent":
        return _Old()
    at = say.place(root, MANIFEST)
    if seen.kind == "link":
        return say.SYMLINK.finding(f"{MANIFEST} is a symbolic link", at, hint="move the link away")
    if seen.kind != "file":
        return say.OBSTRUCTED.finding(f"{MANIFEST} is not a file", at, hint="move it away")
    data = (root / MANIFEST).read_bytes()
    try:
        return _Old(parse(data).files, hashlib.sha256(data).hexdigest(), seen.signature)
    except ValueError as error:
        hint = "take it back from version control, either side of a merge, and build again"
        return say.BAD_MANIFEST.finding(f"{MANIFEST} cannot be read: {error}", at, hint=hint)


class _Comparison:
    """Fills a plan path by path."""

    def __init__(self, root: Path, files: Mapping[str, Artifact], manifest: Manifest, old: _Old, force: bool) -> None:
        self.root = root
        self.files = files
        self.manifest = manifest
        self.owned = old.files
        self.force = force
        self.changes: list[Change] = []
        self.findings: list[Finding] = []
        self.old = {MANIFEST: old.sha256} if old.sha256 else {}
        self.seen = {MANIFEST: old.signature}

    def run(self) -> WritePlan:
        for path in sorted(self.files.keys() | self.owned.keys()):
            try:
                self._judge(path)
            except OSError as error:
                self.findings.append(say.refused(self.root, error))
        if os.path.lexists(self.root / STAGING / "journal.json") or self.seen[MANIFEST] != look(self.root, MANIFEST).signature:
            return WritePlan(self.root, findings=(say.changed(self.root, MANIFEST),))  # another build moved what was compared
        content = {path: (artifact.content, artifact.mode) for path, artifact in self.files.items()}
        new = {path: entry.sha256 for path, entry in self.manifest.files.items()}
        content[MANIFEST] = (to_bytes(self.manifest), 0o644)
        new[MANIFEST] = hashlib.sha256(content[MANIFEST][0]).hexdigest()
        same = self.old.get(MANIFEST) == new[MANIFEST]
        kind = Kind.SAME if same else Kind.UPDATE if MANIFEST in self.old else Kind.CREATE
        self.changes.append(Change(MANIFEST, kind))
        return WritePlan(self.root, tuple(self.changes), tuple(dict.fromkeys(self.findings)), content, self.old, new, self.seen)

    def _judge(self, path: str) -> None:
        seen = look(self.root, path)
        if seen.kind == "file":
            self.seen[path] = seen.signature
            self._judge_file(path, seen)
        elif seen.kind == "link":
            message = f"{seen.where} is a symbolic link"
            hint = "move the link away, or build directly into the folder it leads to"
            self.findings.append(say.SYMLINK.finding(message, say.place(self.root, seen.where), hint=hint))
        elif path in self.files:
            self.seen[path] = None
            if obstacle := self._obstacle(path, seen):
                self.findings.append(obstacle)
            elif path in self.owned:
                self.findings.append(say.MISSING.finding(f"{path} was gone", say.place(self.root, path)))
            self.changes.append(Change(path, Kind.CREATE))

    def _judge_file(self, path: str, seen: Seen) -> None:
        artifact, entry = self.files.get(path), self.owned.get(path)
        self.old[path] = digest(self.root / path)
        if artifact is not None and self.old[path] == self.manifest.files[path].sha256:
            same = seen.executable == bool(artifact.mode & stat.S_IXUSR)
            self.changes.append(Change(path, Kind.SAME if same else Kind.UPDATE))
            return
        edited = entry is not None and self.old[path] != entry.sha256
        if entry is None:
            hint = "move it away, or build into another folder"
            message = f"{path} exists and was not written by ibgen"
            self.findings.append(say.FOREIGN.finding(message, say.place(self.root, path), hint=hint))
        elif edited:
            self.findings.append(self._edited(path, deleted=artifact is None))
        self.changes.append(Change(path, Kind.DELETE if artifact is None else Kind.UPDATE, edited))

    def _edited(self, path: str, deleted: bool) -> Finding:
        at = say.place(self.root, path)
        if self.force:
            words = "deleted" if deleted else "overwritten"
            return say.EDITED.finding(f"{path} was edited by hand and is {words}", at, severity=Severity.WARNING)
        hint = "bring the change into the spec, or throw it away with `ibgen build --force`"
        return say.EDITED.finding(f"{path} was edited by hand", at, hint=hint)

    def _obstacle(self, path: str, seen: Seen) -> Finding | None:
        """What is in the way of a new file, unless it is ibgen's own and goes away in this build."""
        going = self.owned.keys() - self.files.keys()
        if seen.kind == "blocked" and seen.where not in going:
            message = f"{seen.where} is a file, and {path} needs a folder there"
            return say.OBSTRUCTED.finding(message, say.place(self.root, seen.where), hint="move the file away")
        if seen.kind == "folder" and (stay := next((x for x in _below(self.root, path) if x not in going), None)):
            message = f"{path} is a folder that holds {stay}, and a file belongs there"
            return say.OBSTRUCTED.finding(message, say.place(self.root, path), hint="move the folder away")
        if seen.kind == "other":
            message = f"{path} is neither a file nor a folder"
            return say.OBSTRUCTED.finding(message, say.place(self.root, path), hint="move it away")
        return None


def _below(root: Path, path: str) -> Iterator[str]:
    """Every file below a folder, and every folder that is empty or a link, as paths from the root."""
    for place, folders, files in os.walk(root / path):
        inside = Path(place).relative_to(root).as_posix()
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        yield from (f"{inside}/{name}" for name in (*files, *links))
        if not folders and not files:
            yield inside
