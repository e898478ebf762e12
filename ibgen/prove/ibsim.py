"""A private ibsim: a simulated subnet that the real OpenSM and infiniband-diags run on, with nothing shared and no root.

Takes a net file and the user's environment. Gives a `Simulator` in which programs run as if on one node of the subnet. Its
control socket is an abstract one under a name of its own, so several can run at once; what was started here is ended here.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ibgen.prove.process import Finished, run

PACKAGE = "ibsim-utils"
CLIENTS = 10
"""Clients that ibsim serves at once (its IBSIM_MAX_CLIENTS)."""

SERVED = 1
"""The port of an adapter that programs see: whatever ports a node has, umad2sim shows one and calls it 1 (measured)."""

PKEYS = 64
"""Entries of a simulated P_Key table: the 65th is refused with ERR 0512 (measured). A real adapter holds 128."""

_LIBRARY = "umad2sim/libumad2sim.so"
_LIBRARY_FOLDERS = ("/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib*")
_NODE = re.compile(r'(Switch|Ca)\t(\d+) "([^"]+)"\t# "([^"]*)"')
_HARMLESS = re.compile("cannot parse remote lid")  # said once a line that is not of ibnetdiscover (measured)
_LAST_LID = 49152  # unicast LIDs end at 0xBFFF (InfiniBand Architecture Specification, volume 1, 4.1.3)
_START_S = 60


class NotStarted(Exception):
    """ibsim ended or did not come up; the text says what it said."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a net file. Port p of an adapter has GUID `guid` + p."""

    kind: str
    ports: int
    id: str
    description: str
    guid: int


@dataclass(frozen=True, slots=True)
class Simulator:
    """A running ibsim."""

    folder: Path
    env: Mapping[str, str]

    def run(self, command: Sequence[str], at: str, timeout_s: float, extra: Mapping[str, str] | None = None) -> Finished:
        """Runs a program on the node with id `at`. Always within a time: a client waits for ever when its server is gone."""
        return run(command, self.folder, {**self.env, **(extra or {}), "SIM_HOST": at}, timeout_s)


def preload(env: Mapping[str, str]) -> Path | None:
    """The library that puts the simulator in the place of the kernel; ibsim-run names it, else the usual folders hold it."""
    script = shutil.which("ibsim-run", path=env.get("PATH", os.defpath))
    named = re.search(r"^sim_so=(\S+)", Path(script).read_text(errors="replace"), re.M) if script else None
    candidates = [Path(named[1])] if named else []
    for folder in _LIBRARY_FOLDERS:
        candidates += sorted(Path("/").glob(f"{folder[1:]}/{_LIBRARY}"))
    return next((c for c in candidates if c.is_file()), None)


def nodes(text: str) -> list[Node]:
    """The nodes of a net file that ibgen wrote."""
    found, guid = [], 0
    for line in text.splitlines():
        if line.startswith(("switchguid=", "caguid=")):
            guid = int(line.partition("=")[2], 16)
        elif match := _NODE.match(line):
            found.append(Node(match[1], int(match[2]), match[3], match[4], guid))
    return found


@contextmanager
def simulator(net: Path, folder: Path, env: Mapping[str, str]) -> Iterator[Simulator]:
    """Starts ibsim on a net file, sized to it, and ends it. Raises `NotStarted`."""
    name = f"ibgen-{secrets.token_hex(8)}"
    library = preload(env)
    if library is None:
        raise NotStarted(f"{_LIBRARY} is missing")
    own = {**env, "IBSIM_SOCKNAME": name}
    read, write = os.pipe()  # its console: at end of input ibsim spins, so the write end stays open
    try:
        with (folder / "ibsim.out").open("w") as out, (folder / "ibsim.err").open("w") as err:
            process = subprocess.Popen(
                ["ibsim", "-s", *_sizes(net), str(net)], cwd=folder, env=own, stdin=read, stdout=out, stderr=err
            )
        try:
            _wait(process, name, folder)
            yield Simulator(folder, {**own, "LD_PRELOAD": str(library)})
        finally:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        os.close(read)
        os.close(write)


def _sizes(net: Path) -> list[str]:
    """ibsim's tables hold 2,048 nodes and 256 switches unless told otherwise, and it panics beyond."""
    every = nodes(net.read_text(encoding="utf-8"))
    switches = sum(n.kind == "Switch" for n in every)
    ports = sum(n.ports + 1 for n in every)
    return ["-N", str(len(every) + 16), "-S", str(switches + 4), "-P", str(ports + 64), "-L", str(_LAST_LID), "-M", "1024"]


def _wait(process: subprocess.Popen[bytes], name: str, folder: Path) -> None:
    """Until the control socket is bound."""
    wanted = f"@{name}:ctl"
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if wanted in Path("/proc/net/unix").read_text():  # padded with zeros, so no exact match
            return
        if process.poll() is not None:
            break
        time.sleep(0.02)
    said = [line for line in (folder / "ibsim.err").read_text(errors="replace").splitlines() if not _HARMLESS.search(line)]
    raise NotStarted("; ".join(said[-2:]) if said else "it said nothing")
