"""One build at a time: a lock in the staging folder that dies with its process.

Takes a root. Makes `.ibgen/` where it is not there yet, and removes it afterwards if nothing is left in it.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from ibgen.write.paths import STAGING
from ibgen.write.tree import remove, remove_empty

_ATTEMPTS = 100  # each repeats only because another process has just let go and tidied up


@contextlib.contextmanager
def locked(root: Path) -> Iterator[bool]:
    """Holds the lock of `root`; gives False, without waiting, where another process has it. Raises OSError."""
    handle = _acquire(root)
    if handle is None:
        yield False
        return
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):
            remove(root / STAGING / "lock")  # before letting go, so that whoever waits for this file starts anew
            remove_empty(root / STAGING)
        os.close(handle)


def _acquire(root: Path) -> int | None:
    file = root / STAGING / "lock"
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(FileExistsError):
            os.mkdir(root / STAGING, 0o755)
        try:
            handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except FileNotFoundError:  # the folder was removed by its last user
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), os.lstat(file)):
                return handle
        except FileNotFoundError:
            pass
        except OSError as error:
            os.close(handle)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return None
            raise
        os.close(handle)
    return None
