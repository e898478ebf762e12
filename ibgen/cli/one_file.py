"""A file that a verb writes beside the tree: whole or not at all, and never over what it was made from."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from ibgen.cli.exits import Refused


def refuse_inputs(out: Path, read: Iterable[Path]) -> None:
    """Refuses an output that is a folder, has none to lie in, or is one of the files that are read."""
    if out.is_dir():
        raise Refused(f"{out} is a folder", f"name a file in it: `-o {out / 'FILE'}`")
    if not out.parent.is_dir():
        raise Refused(f"there is no folder {out.parent}", f"make it first: `mkdir -p {out.parent}`")
    for path in read:
        if out.exists() and path.exists() and out.samefile(path):
            raise Refused(f"{out} is what is read: it would be lost", "name another file")


def replace(out: Path, text: str) -> None:
    """The whole file or the old one, never half of it: written beside, then renamed. A link stays a link; what is no regular
    file (a terminal, a pipe) is written to as it is."""
    real = out.resolve()
    data = text.encode("utf-8", "backslashreplace")
    if real.exists() and not real.is_file():
        real.write_bytes(data)
        return
    aside = real.with_name(f".{real.name}.{os.getpid()}")
    try:
        with aside.open("xb") as stream:
            if real.exists():
                os.fchmod(stream.fileno(), stat.S_IMODE(real.stat().st_mode))
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(aside, real)
    finally:
        with contextlib.suppress(OSError):
            aside.unlink()
