"""What the real programs said of a tree.

Takes verdicts (by their shape: this room does not know who proves). Gives text, JSON or workflow commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from .cells import BREAK, pad, printable, width
from .github import command
from .json import dumps
from .style import Paint, paint

VERSION = 1


class Judged(Protocol):
    """One thing that was judged: `file` below the tree, `line` from 1, 0 where none is meant."""

    @property
    def name(self) -> str: ...
    @property
    def passed(self) -> bool: ...
    @property
    def detail(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def skipped(self) -> bool: ...
    @property
    def note(self) -> bool: ...


class Proof(Protocol):
    """What one program thinks of the tree."""

    @property
    def program(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def remedy(self) -> str: ...
    @property
    def checks(self) -> Sequence[Judged]: ...


_STYLES = {"passed": "help", "failed": "error", "skipped": "warning"}


def verdicts_text(verdicts: Sequence[Proof], *, color: bool = False) -> str:
    """A line per program and its checks below it: what passed says how much of it was judged."""
    draw = paint(color)
    names = [printable(f"{v.program} {v.version}".strip()) for v in verdicts]
    space = max(map(width, names), default=0)
    lines: list[str] = []
    for v, name in zip(verdicts, names, strict=True):
        lines.append(f"{pad(name, space)}  {draw(_STYLES[v.status], f'{v.status:<7}')}  {_said(v)}".rstrip())
        lines += [line for c in v.checks for line in _check(c, draw)]
        if v.status == "skipped" and v.remedy:
            lines.append(f"  {draw('help', 'help:')} {printable(v.remedy)}")
    return "".join(line + "\n" for line in lines)


def _said(v: Proof) -> str:
    if v.status == "passed":
        notes = sum(c.note for c in v.checks)
        judged = len(v.checks) - notes
        return f"{judged} check{'' if judged == 1 else 's'}" + (f", {notes} note{'' if notes == 1 else 's'}" if notes else "")
    # a reason made of the checks is printed with them, below
    bad = sum(not c.passed for c in v.checks)
    return f"{bad} of {sum(not c.note for c in v.checks)} checks" if bad else printable(v.reason)


def _check(c: Judged, draw: Paint) -> list[str]:
    status = _status(c)
    word, style = {"passed": ("ok", "dim"), "note": ("note", "warning")}.get(status, (status, _STYLES.get(status, "")))
    first, *rest = BREAK.split(c.detail.strip())
    where = f"{c.file}:{c.line}: " if c.file and c.line else f"{c.file}: " if c.file else ""
    head = f"  {draw(style, f'{word:<7}')} {printable(c.name)}: {printable(where + first)}".rstrip(": ")
    return [head, *(f"      {printable(line)}".rstrip() for line in rest)]


def _status(c: Judged) -> str:
    """A note was not judged: it must never read as passed."""
    if c.note:
        return "note"
    return "passed" if c.passed else "skipped" if c.skipped else "failed"


def verdicts_json(verdicts: Sequence[Proof]) -> str:
    """Every program, every check."""
    return dumps({"format": "ibgen-proof", "version": VERSION, "programs": [_program(v) for v in verdicts]})


def _program(v: Proof) -> dict[str, Any]:
    checks = [
        {"name": c.name, "status": _status(c), "detail": c.detail, "file": c.file or None, "line": c.line or None}
        for c in v.checks
    ]
    said = {"program": v.program, "version": v.version or None, "status": v.status, "reason": v.reason, "remedy": v.remedy}
    return said | {"checks": checks}


def verdicts_github(verdicts: Sequence[Proof], root: str) -> str:
    """An error per failed check, on the file of the tree it speaks of; a notice per program that was skipped."""
    lines = []
    for v in verdicts:
        for c in v.checks:
            if not c.passed and not c.skipped:
                place = {"file": f"{root.rstrip('/')}/{c.file}"} if c.file else {}
                place |= {"line": str(c.line)} if c.file and c.line else {}
                lines.append(command("error", place | {"title": f"{v.program}: {c.name}"}, c.detail))
        if v.status == "skipped":
            lines.append(command("notice", {"title": f"{v.program} skipped"}, f"{v.reason}\nhelp: {v.remedy}"))
    return "".join(line + "\n" for line in lines)
