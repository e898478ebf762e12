"""A file's bytes as text.

Takes a path. Gives the text (UTF-8, a byte order mark left out), or None and the finding that says why not.
"""

from __future__ import annotations

import difflib
import pathlib

from ibgen.diagnostics import Finding, Span
from ibgen.source.findings import NOT_TEXT, UNREADABLE

MAX_BYTES = 64 << 20
"""An explicit spec of 8,192 hosts (57,000 lines) has 2 MB: 32 times the largest that is known, still read in a minute."""

_WIDE = {
    b"\xff\xfe\0\0": "UTF-32, little endian",
    b"\0\0\xfe\xff": "UTF-32, big endian",
    b"\xff\xfe": "UTF-16, little endian",
    b"\xfe\xff": "UTF-16, big endian",
}
"""Byte order marks (Unicode Standard, section 23.8), the longer first: a UTF-32 one begins with that of UTF-16."""


INIT = "check the path, or start one with `ibgen init`"


def read(path: pathlib.Path, name: str | None = None, missing: str = INIT) -> tuple[str | None, tuple[Finding, ...]]:
    """The text of a file, and what is wrong with it. `name` is what findings call the file; without it, the path.

    `missing`: the hint where the file is not there and nothing beside it is called alike."""
    shown = name or str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        return None, (_unreadable(path, shown, error, missing),)
    if len(data) > MAX_BYTES:
        message = f"{shown} is larger than {MAX_BYTES >> 20} MiB"
        hint = "is this the spec? 57,000 lines are 2 MB; write hosts as ranges, `dgx-[001-127]`, not one by one"
        return None, (UNREADABLE.finding(message, Span(shown, 0), hint=hint),)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, (_not_utf8(data, shown, error),)
    if "\0" in text:
        return None, (_nul(data, shown),)
    return text, ()


def _unreadable(path: pathlib.Path, shown: str, error: OSError | ValueError, missing: str) -> Finding:
    at = Span(shown, 0)
    if isinstance(error, FileNotFoundError):
        return UNREADABLE.finding(f"there is no file {shown}", at, hint=_near(path, missing))
    if isinstance(error, IsADirectoryError):
        return UNREADABLE.finding(f"{shown} is a directory, not a file", at, hint="name the YAML file inside it")
    if isinstance(error, PermissionError):
        return UNREADABLE.finding(f"{shown} may not be read", at, hint="give yourself the right to read it: `chmod u+r`")
    if isinstance(error, NotADirectoryError):
        return UNREADABLE.finding(f"a part of the path {shown} is a file, not a directory", at, hint="check the path")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return UNREADABLE.finding(f"{shown} cannot be read: {reason}", at, hint="check the path")


def _near(path: pathlib.Path, missing: str) -> str:
    """A file beside the missing one with a similar name, or what else to look at."""
    try:
        siblings = sorted(p.name for p in path.parent.iterdir() if p.is_file())
    except OSError:
        return f"there is no directory {path.parent} either: check the path"
    near = difflib.get_close_matches(path.name, siblings, n=1) or [s for s in siblings if pathlib.Path(s).stem == path.stem][:1]
    return f"did you mean `{path.with_name(near[0])}`?" if near else missing


def _point(data: bytes, offset: int, shown: str) -> Span:
    """The place of a byte; a column counts characters."""
    start = data.rfind(b"\n", 0, offset) + 1
    line = data.count(b"\n", 0, offset) + 1
    column = len(data[start:offset].decode("utf-8", "replace").removeprefix("\ufeff")) + 1
    return Span(shown, line, column, line, column + 1)


def _not_utf8(data: bytes, shown: str, error: UnicodeDecodeError) -> Finding:
    if wide := next((words for mark, words in _WIDE.items() if data.startswith(mark)), None):
        return NOT_TEXT.finding(f"{shown} is {wide}, not UTF-8", Span(shown, 1), hint="save it as UTF-8 in your editor")
    offset = error.start
    at = _point(data, offset, shown)
    message = f"byte 0x{data[offset]:02x} at offset {offset} (line {at.line}) is not UTF-8"
    hint = f"save the file as UTF-8; if it was Latin-1: `iconv -f latin1 -t utf-8 {shown}`"
    return NOT_TEXT.finding(message, at, hint=hint, facts={"offset": offset})


def _nul(data: bytes, shown: str) -> Finding:
    offset = data.index(0)
    message = f"a NUL byte at offset {offset}: {shown} is not a text file"
    hint = "NUL bytes come from UTF-16 or from a file cut off by a full disk: save it again as UTF-8"
    return NOT_TEXT.finding(
        message, _point(data, offset, shown), hint=hint, facts={"offset": offset, "NUL bytes": data.count(0)}
    )
