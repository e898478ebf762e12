"""The real libnccl.so.2 reads each nccl.conf of the tree, and its environment is compared with `expect["nccl"]`.

Takes the tree, what its files must mean (`ibgen.targets.nccl.expect`) and the user's environment; gives a `Verdict`. No GPU is
needed. Each file is read in a process of its own, for NCCL reads it once; what the machine's own /etc/nccl.conf adds is
taken off by a reading of an empty file.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .process import run
from .verdict import Check, Verdict, judged, skipped

PROGRAM = "libnccl"
LIBRARY = "libnccl.so.2"
OLDEST = (2, 23, 4)
"""First version that reads NCCL_CONF_FILE (measured); older ones read only fixed places of the machine."""
COMMENTS_SINCE = (2, 26, 2)
TIMEOUT_S = 120.0

REMEDY = "install NCCL 2.26.2 or newer where ibgen runs: pip install nvidia-nccl-cu12 (or name its folder in LD_LIBRARY_PATH)"
_SYSTEM = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")

# os.environ does not see what the library sets, so C's own `environ` is read. The call's result does not matter: with an
# interface in the file that this machine lacks it fails, after the file was read.
_READER = """
import ctypes, json, sys
libc, nccl = ctypes.CDLL(None), ctypes.CDLL(sys.argv[1])
number = ctypes.c_int()
nccl.ncclGetVersion(ctypes.byref(number))
nccl.ncclGetUniqueId(ctypes.create_string_buffer(128))
lines, env, i = [], ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ"), 0
while env[i] is not None:
    lines.append(env[i].decode("utf-8", "backslashreplace"))
    i += 1
print("\\n" + json.dumps([number.value, lines]))
"""


def prove(tree: Path, expect: Mapping[str, Any], env: Mapping[str, str], progress: Callable[[str], None]) -> Verdict:
    """What the library makes of every nccl.conf. `expect` is the whole of expect.json."""
    profiles = expect.get("nccl", [])
    if not profiles:
        return Verdict(PROGRAM, "", "passed", "the tree holds no nccl.conf", "")
    library = find(env)
    if library is None:
        return skipped(PROGRAM, f"{LIBRARY} is not here", REMEDY)
    with tempfile.TemporaryDirectory(prefix="ibgen-nccl-") as folder:
        empty = Path(folder) / "empty.conf"
        empty.touch()
        before = _read(library, empty, env)
        if isinstance(before, str):
            return skipped(PROGRAM, f"{library} cannot be loaded: {before}", REMEDY)
        version, already = before
        text = ".".join(map(str, version))
        if version < OLDEST:
            return skipped(PROGRAM, f"NCCL {text} cannot be told which file to read", REMEDY)
        checks: list[Check] = []
        for wanted in profiles:
            progress(f"reading {wanted['file']}")
            checks += _judge(tree, wanted, library, version, set(already), env)
        return judged(PROGRAM, text, checks, REMEDY)


def find(env: Mapping[str, str]) -> Path | None:
    """The library: of LD_LIBRARY_PATH, of this Python's nvidia-nccl wheel, of the system."""
    folders = [Path(p) for p in env.get("LD_LIBRARY_PATH", "").split(os.pathsep) if p]
    try:
        wheel = importlib.util.find_spec("nvidia.nccl")
    except ModuleNotFoundError:
        wheel = None
    folders += [Path(p) / "lib" for p in (wheel.submodule_search_locations or ())] if wheel else []
    return next((f / LIBRARY for f in [*folders, *map(Path, _SYSTEM)] if (f / LIBRARY).is_file()), None)


def version(library: Path, env: Mapping[str, str]) -> str:
    """What the library says of itself; nothing where it cannot be loaded."""
    with tempfile.TemporaryDirectory(prefix="ibgen-nccl-") as folder:
        empty = Path(folder) / "empty.conf"
        empty.touch()
        read = _read(library, empty, env)
    return "" if isinstance(read, str) else ".".join(map(str, read[0]))


def _judge(
    tree: Path,
    wanted: Mapping[str, Any],
    library: Path,
    version: tuple[int, ...],
    already: set[str],
    env: Mapping[str, str],
) -> Iterator[Check]:
    name = wanted["file"]
    if not (tree / name).is_file():
        yield Check("file", False, "is not there", name)
        return
    if wanted["comments"] and version < COMMENTS_SINCE:
        yield Check("environment", False, "a file with comments needs NCCL 2.26.2 or newer", name, skipped=True)
        return
    answer = _read(library, tree / name, env)
    if isinstance(answer, str):
        yield Check("environment", False, answer, name)
        return
    found = dict(line.split("=", 1) for line in answer[1] if line not in already and "=" in line)
    found.pop("NCCL_CONF_FILE", None)
    settings: dict[str, str] = wanted["settings"]
    wrong = [f"{k}={found[k]}" if k in found else f"{k} is not set" for k, v in settings.items() if found.get(k) != v]
    wrong += [f"{k!r} is set and not wanted" for k in found if k not in settings]
    yield Check("environment", not wrong, "; ".join(wrong) or f"{len(settings)} settings as meant", name)


def _read(library: Path, conf: Path, env: Mapping[str, str]) -> tuple[tuple[int, ...], list[str]] | str:
    """The library's version and its environment after reading a file; or what went wrong."""
    clean = {k: v for k, v in env.items() if not k.startswith("NCCL_")}
    finished = run(
        [sys.executable, "-I", "-c", _READER, str(library)], conf.parent, clean | {"NCCL_CONF_FILE": str(conf)}, TIMEOUT_S
    )
    try:
        number, lines = json.loads(finished.out.splitlines()[-1])
    except (IndexError, ValueError):
        return finished.text.strip()[-300:] or f"it ended with {finished.code}"
    return (number // 10000, number // 100 % 100, number % 100), lines  # NCCL_VERSION_CODE since 2.9 (nccl.h)
