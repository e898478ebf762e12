"""`ibgen doctor`: what is installed here, and how to get what is not."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, USAGE

SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Where daemons lie; a user's PATH often leaves these out."""

_PATIENCE_S = 10.0

_READS = "reads NCCL's files"


@dataclass(frozen=True, slots=True)
class _Program:
    """A program that `prove` asks: how it tells its version, what it is for, how to get it."""

    name: str
    ask: tuple[str, ...]
    purpose: str
    remedy: str


_PROGRAMS = (
    _Program("opensm", ("--version",), "proves OpenSM's files", "apt install opensm"),
    _Program("ibsim", (), "simulates the fabric for OpenSM", "apt install ibsim-utils"),
    _Program("smpquery", ("--version",), "reads the P_Key tables back", "apt install infiniband-diags"),
    _Program("ibdmchk", (), "walks the forwarding tables", "apt install ibutils"),
    _Program("slurmctld", ("-V",), "proves Slurm's files", "apt install slurmctld slurm-client"),
    _Program("munged", ("--version",), "lets Slurm's programs talk", "apt install munge"),
    _Program("terraform", ("version",), "proves the cloud's files", "developer.hashicorp.com/terraform/install"),
)


def doctor() -> int:
    """Show what is installed here, and how to get what is not.

    Exit 2 only where ibgen itself cannot work; a program that `prove` would ask may be absent.
    """
    from ibgen.render.cells import table
    from ibgen.render.style import paint

    draw = paint(terminal.color(sys.stdout))
    own = list(_own())
    programs = [*(_look(p) for p in _PROGRAMS), _library()]
    rows = [[name, version, note] for name, version, _, note in (*own, *programs)]
    for line, (_, _, good, _) in zip(table(rows), (*own, *programs), strict=True):
        terminal.out((line if good else draw("warning", line)) + "\n")
    broken = [name for name, _, good, _ in own if not good]
    absent = sum(not good for _, _, good, _ in programs)
    if absent:
        terminal.say(f"\n{absent} of {len(programs)} programs are absent: `ibgen prove` skips what needs them, all else works")
    if broken:
        terminal.say(f"ibgen cannot work here: {', '.join(broken)}")
        return USAGE
    return CLEAN


_Row = tuple[str, str, bool, str]
"""Name, version, whether it is good enough, what it is for or how to get it."""


def _own() -> Iterator[_Row]:
    import platform
    from importlib import metadata

    from ibgen import __version__, assets

    folders = (assets.templates(), assets.schemas(), assets.catalog())
    missing = [f.name for f in folders if not f.is_dir()]
    yield "ibgen", __version__, not missing, f"its data is missing: {', '.join(missing)}; install it again" if missing else ""
    yield "python", platform.python_version(), sys.version_info >= (3, 11), ""
    for name, least in sorted(_needs()):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, "absent", False, f"pip install '{name}>={least}'"
            continue
        good = _numbers(version) >= _numbers(least)
        yield name, version, good, "" if good else f"too old: pip install '{name}>={least}'"


def _needs() -> Iterator[tuple[str, str]]:
    """What the installed package says it needs; a bare checkout says nothing, so there the names alone are asked for."""
    from importlib import metadata

    try:
        lines = metadata.requires("ibgen") or []
    except metadata.PackageNotFoundError:
        lines = ["jinja2", "numpy", "pydantic", "ruamel.yaml", "ruamel.yaml.clib", "typer"]
    for line in lines:
        if "extra ==" not in line and (m := re.match(r"([A-Za-z0-9._-]+)[^>]*(?:>=\s*([0-9.]+))?", line)):
            yield _named(m[1]), m[2] or "0"


def _named(requirement: str) -> str:
    """A package as it calls itself: what built ibgen may have written `ruamel-yaml` for `ruamel.yaml`."""
    from importlib import metadata

    try:
        return (metadata.metadata(requirement)["Name"] or requirement).lower()
    except metadata.PackageNotFoundError:
        return requirement.lower()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version)[:3])


def search_path() -> str:
    """PATH, with the folders of daemons at its end."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *SBIN])


def _look(program: _Program) -> _Row:
    found = shutil.which(program.name, path=search_path())
    if found is None:
        return program.name, "absent", False, f"{program.purpose}: {program.remedy}"
    return program.name, _version(found, program.ask), True, program.purpose


def _library() -> _Row:
    """NCCL, which `prove` loads and does not start."""
    from ibgen.prove import nccl

    found = nccl.find(os.environ)
    if found is None:
        return nccl.PROGRAM, "absent", False, f"{_READS}: {nccl.REMEDY}"
    return nccl.PROGRAM, nccl.version(found, os.environ) or "present", True, _READS


def _version(path: str, ask: tuple[str, ...]) -> str:
    """The first number with a dot that the program says of itself."""
    if not ask:
        return "present"
    import subprocess

    try:
        done = subprocess.run([path, *ask], capture_output=True, text=True, errors="replace", timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "present"
    m = re.search(r"\d+\.\d+[\w.+-]*", done.stdout + done.stderr)
    return m[0] if m else "present"
