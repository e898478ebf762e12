"""The log of a bug: what a maintainer needs, in a file of the temporary folder, so that the screen stays readable."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from importlib import metadata

from ibgen import __version__

_PACKAGES = ("typer", "numpy", "pydantic", "ruamel.yaml", "jinja2")


def write_log(error: BaseException, args: Sequence[str]) -> str | None:
    """Writes the log. Gives its path, or None where the temporary folder takes no files."""
    try:
        handle, path = tempfile.mkstemp(prefix="ibgen-bug-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(line + "\n" for line in _lines(error, args))
        return path
    except OSError:
        return None


def _lines(error: BaseException, args: Sequence[str]) -> Iterator[str]:
    yield f"ibgen {__version__}"
    yield f"python {platform.python_version()} on {platform.platform()}"
    yield "packages " + ", ".join(f"{name} {_version(name)}" for name in _PACKAGES)
    yield f"arguments {list(args)!r}"
    yield f"encoding {sys.getfilesystemencoding()}"
    yield ""
    yield "".join(traceback.format_exception(error)).rstrip()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"
