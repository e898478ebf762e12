"""What a build does to a folder, file by file.

Takes one `FileChange` per file. Gives a listing: `+` new, `~` changed, `-` deleted, `=` as it was, with sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .cells import pad, printable, width
from .style import paint

_MARKS = {"create": ("+", "added"), "update": ("~", "changed"), "delete": ("-", "removed"), "same": ("=", "dim")}
_SAME_SHOWN = 40
"""Up to so many files that stay as they are are listed; more are one line."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of the tree: its path below the root, `create` / `update` / `delete` / `same`, its new size."""

    path: str
    kind: str
    size_bytes: int | None = None


def tree_text(root: str, changes: Iterable[FileChange], *, color: bool = False) -> str:
    """The folder's name, then its files by path."""
    draw = paint(color)
    rows = sorted(changes, key=lambda c: c.path)
    same = sum(c.kind == "same" for c in rows)
    hidden = same if same > _SAME_SHOWN else 0
    if hidden:
        rows = [c for c in rows if c.kind != "same"]
    names = [printable(c.path) for c in rows]
    space = max(map(width, names), default=0)
    sizes = [size(c.size_bytes) if c.size_bytes is not None and c.kind != "delete" else "" for c in rows]
    wide = max(map(len, sizes), default=0)
    lines = [draw("strong", printable(root).rstrip("/") + "/")]
    for change, name, bytes_ in zip(rows, names, sizes, strict=True):
        mark, style = _MARKS[change.kind]
        lines.append(draw(style, f"{mark} {pad(name, space)}  {bytes_:>{wide}}".rstrip()))
    if hidden:
        lines.append(draw("dim", f"= {hidden:,} files as they were"))
    return "\n".join(lines) + "\n"


def tree_summary(changes: Sequence[FileChange]) -> str:
    """`3 new, 1 changed, 36 unchanged`."""
    words = {"create": "new", "update": "changed", "delete": "deleted", "same": "unchanged"}
    counts = [(sum(c.kind == kind for c in changes), word) for kind, word in words.items()]
    return ", ".join(f"{n:,} {word}" for n, word in counts if n) or "no files"


def size(count: int) -> str:
    """A size in decimal units, as `ls --si` counts: `812 B`, `4.1 kB`."""
    if count < 1000:
        return f"{count} B"
    value = float(count)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 999.5 or unit == "GB":
            break
    return f"{value:.1f} {unit}" if value < 99.95 else f"{value:.0f} {unit}"
