"""Where an artifact may lie: relative POSIX paths that mean the same file everywhere and can leave no folder.

Takes artifacts and paths. Raises ValueError: an emitter that makes such a path has a fault, or a name from the spec slipped
past the checks at its border; either way nothing is written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Protocol

MANIFEST = "ibgen.manifest.json"
STAGING = ".ibgen"
_RESERVED = frozenset({".git", ".terraform", STAGING})  # Git's hooks run; Terraform's state is not ours; ours is
_STRANGE = re.compile(r'[\\:*?"<>|]')  # what a checkout on another system cannot hold
_NAME_BYTES = 255  # NAME_MAX of every Linux file system


class Artifact(Protocol):
    """One file of a tree: its path below the root, its bytes, and 0o644 or 0o755."""

    @property
    def path(self) -> str: ...

    @property
    def content(self) -> bytes: ...

    @property
    def mode(self) -> int: ...


def check_path(path: str) -> None:
    """Raises ValueError unless `path` is a safe place below a root."""
    if path.casefold() == MANIFEST:
        raise ValueError(f"{MANIFEST} is written by ibgen itself")
    for part in path.split("/"):
        if part in ("", ".", ".."):
            raise ValueError(f"{path!r} is no plain relative path")
        if _STRANGE.search(part) or any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in part):
            raise ValueError(f"{path!r} holds a character that a file name may not have")
        if part != part.strip() or part.endswith("."):
            raise ValueError(f"{path!r} has a part that begins or ends in white space, or ends in a dot")
        if len(part.encode()) > _NAME_BYTES:
            raise ValueError(f"{path!r} has a part of more than {_NAME_BYTES} bytes")
        if part.casefold() in _RESERVED:
            raise ValueError(f"{path!r} lies in a folder that is not for artifacts")


def by_path(artifacts: Iterable[Artifact]) -> dict[str, Artifact]:
    """The artifacts, sorted by path. Raises ValueError for unsafe paths and modes, and for paths that collide."""
    found: dict[str, Artifact] = {}
    spelled: dict[str, str] = {}
    for artifact in artifacts:
        path = artifact.path
        check_path(path)
        if artifact.mode not in (0o644, 0o755):
            raise ValueError(f"{path!r} has mode {artifact.mode:o}; 644 and 755 are the modes of an artifact")
        if path in found:
            raise ValueError(f"{path!r} is written twice")
        found[path] = artifact
    for path in found:
        for place in (path, *parents(path)):
            other = spelled.setdefault(_folded(place), place)
            if other != place:
                raise ValueError(f"{other!r} and {place!r} are one place where case does not count")
    for path in found:
        for parent in parents(path):
            if parent in found:
                raise ValueError(f"{parent!r} is a file and the folder of {path!r}")
    return dict(sorted(found.items()))


def parents(path: str) -> tuple[str, ...]:
    """The folders a path lies in below the root, the innermost first: `a/b/c` -> `a/b`, `a`."""
    parts = path.split("/")
    return tuple("/".join(parts[:n]) for n in range(len(parts) - 1, 0, -1))


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
