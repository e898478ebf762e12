"""Running somebody else's program: with the environment it is given, within a time, with nothing it said lost."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finished:
    """`code` is the exit status, negative for a signal; a program that ran out of time was killed with all it had started."""

    code: int
    out: str
    err: str
    timed_out: bool = False

    @property
    def text(self) -> str:
        """Everything it said."""
        return self.out + self.err


def run(command: Sequence[str], folder: Path, env: Mapping[str, str], timeout_s: float) -> Finished:
    """Runs `command` in `folder` and waits for it, `timeout_s` seconds at most. Undecodable output is shown, not refused."""
    try:
        process = subprocess.Popen(
            list(command),
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",
            start_new_session=True,
        )
    except OSError as e:
        return Finished(127, "", f"{command[0]}: {e.strerror}\n")
    try:
        out, err = process.communicate(timeout=timeout_s)
        return Finished(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        _end(process)
        out, err = process.communicate()
        return Finished(process.returncode, out, err, timed_out=True)
    except BaseException:  # interrupted: leave nothing running
        _end(process)
        process.wait()
        raise


def _end(process: subprocess.Popen[str]) -> None:
    """Kills the program and what it started: it leads a session of its own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
