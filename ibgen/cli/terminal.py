"""The two streams: data on standard output, everything said about it on standard error.

Takes text. Gives nothing back. A reader that goes away early (`| head`) is no error: what is left is dropped, and the verb
still ends with the exit code of what it found.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from types import TracebackType
from typing import TextIO

_PATIENCE_S = 1.0
"""How long a command is silent before it says what it is doing."""
_WIDE = 120
"""Columns where the width is nobody's business: a pipe, a file, a CI log."""
_lost: list[str] = []
"""Why standard output could not be written: a full disk, for example."""


def prepare() -> None:
    """UTF-8 whatever the locale says; what has no encoding (a lone surrogate) is shown escaped. Streams that the caller
    closed (`>&-`) lead nowhere."""
    _lost.clear()
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def out(text: str) -> None:
    """Data."""
    _write(sys.stdout, text)


def say(text: str) -> None:
    """A line for the person in front of the screen."""
    _write(sys.stderr, text if text.endswith("\n") else text + "\n")


def color(stream: TextIO) -> bool:
    """Whether to paint: `NO_COLOR` and `FORCE_COLOR` decide, else whether the stream is a terminal that can."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO) -> bool:
    return not stream.closed and stream.isatty()


def columns(stream: TextIO) -> int:
    """Width to lay text out for."""
    return shutil.get_terminal_size((_WIDE, 24)).columns if is_terminal(stream) else _WIDE


def finish() -> bool:
    """Flushes both streams; to be called last. Whether all that was written to standard output arrived."""
    for stream in (sys.stdout, sys.stderr):
        _write(stream, "")
    return not _lost


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # the interpreter flushes once more at exit: from here on the stream leads nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            _lost.append(str(error))
            say(f"error: standard output cannot be written: {error.strerror}")


class Progress:
    """Says on standard error what is going on, once it has taken a second. `with Progress() as step: work(step)`.

    On a terminal one line that is wiped at the end. Elsewhere a line per phase that starts after the first second: what follows
    a colon is a part of its phase, and a phase that comes again for another subnet is not said again.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._live = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._lock = threading.Lock()
        self._step = ""
        self._said: set[str] = set()
        self._drawn = self._over = False
        self._timer = threading.Timer(_PATIENCE_S, self._draw)
        self._timer.daemon = True

    def __enter__(self) -> Progress:
        if self._live:
            self._timer.start()
        return self

    def __call__(self, step: str) -> None:
        self._step = step
        if time.monotonic() - self._began < _PATIENCE_S:
            return
        if self._live:
            self._draw()
            return
        phase = step.partition(":")[0]
        if (kind := phase.partition(" ")[0]) not in self._said:
            self._said.add(kind)
            say(f"... {phase}")

    def _draw(self) -> None:
        with self._lock:
            if self._step and not self._over:
                self._drawn = True
                _write(sys.stderr, f"\r\x1b[2K{self._step} ...")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._drawn:
                _write(sys.stderr, "\r\x1b[2K")
