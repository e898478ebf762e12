"""From the arguments of a verb to what the compiler takes, and its findings back to the screen."""

from __future__ import annotations

import difflib
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ibgen.cli import terminal
from ibgen.cli.exits import Refused

if TYPE_CHECKING:
    from ibgen.compiler import Input
    from ibgen.diagnostics import Report

STDIN = Path("-")
_STDIN_SHOWN = Path("<stdin>")


def given(spec: Path, overlays: Sequence[Path] | None = None, require_bindings: bool = False) -> Input:
    """The compiler's input. Refuses files that are not there, before anything is read."""
    for path in overlays or ():
        _must_be_file(path, "overlay")
    if spec != STDIN:
        _must_be_file(spec, "spec")
    from ibgen.compiler import Input

    if spec == STDIN:
        return Input(_STDIN_SHOWN, tuple(overlays or ()), _standard_input(), require_bindings)
    return Input(spec, tuple(overlays or ()), None, require_bindings)


def _standard_input() -> str:
    from ibgen.source import MAX_BYTES

    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Refused(f"standard input is larger than {MAX_BYTES >> 20} MiB", "is this the spec? write hosts as ranges")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"standard input is not UTF-8 at byte {error.start}", "convert it, for example with iconv") from None


def _must_be_file(path: Path, what: str) -> None:
    if path.is_dir():
        found = sorted(p.name for p in path.glob("*.yaml"))
        hint = f"name the file, for example {shlex.quote(str(path / found[0]))}" if found else "name a YAML file"
        raise Refused(f"{path} is a folder, not a {what}", hint)
    if not os.path.lexists(path):
        raise Refused(f"there is no {what} {path}", _where_else(path))
    if not path.exists():
        raise Refused(f"{path} is a link that leads nowhere", "repair the link, or name the file itself")
    if not os.access(path, os.R_OK):
        raise Refused(f"{path} cannot be read: permission denied")


def _where_else(path: Path) -> str:
    """The files beside it that could be meant."""
    try:
        names = sorted(p.name for p in path.parent.iterdir() if p.suffix in (".yaml", ".yml"))
    except OSError:
        return f"there is no folder {path.parent}" if not path.parent.exists() else ""
    near = difflib.get_close_matches(path.name, names, n=1) or names[:1]
    if near:
        return f"did you mean {shlex.quote(str(path.parent / near[0]))}?"
    return "`ibgen init` writes one to begin with"


def show_report(report: Report, *, on_stderr: bool = False) -> None:
    """The findings as text, and their summary. As data they go to standard output, beside other data to standard error."""
    from ibgen.render.text import report_text, summary

    stream = sys.stderr if on_stderr else sys.stdout
    text = report_text(report, color=terminal.color(stream), columns=terminal.columns(stream))
    if text:
        (terminal.say if on_stderr else terminal.out)(text)
    if report.diagnostics or report.suppressed or not on_stderr:
        apart = text and (on_stderr or terminal.is_terminal(sys.stdout))
        terminal.say(("\n" if apart else "") + summary(report))


def next_step(*words: object) -> None:
    """What is usually done after this: a command to copy."""
    terminal.say("next: " + shlex.join(map(str, words)))


def arguments(spec: Path, overlays: Sequence[Path] | None) -> list[str]:
    """The spec and its overlays as they would be typed."""
    return [str(spec), *(word for path in overlays or () for word in ("-f", str(path)))]
