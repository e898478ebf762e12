"""A private munged and slurmctld on loopback, in a folder of its own, and questions to it.

Takes a folder with slurm.conf lines, topology.conf and what they include; gives a `Controller` that answers `scontrol` and
`sbatch --test-only`. Ends only the two processes it started. Needs root: slurmctld switches to its SlurmUser.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from .process import Finished, run

MUNGE_TIMEOUT_S = 20.0
START_TIMEOUT_S = 240.0
"""65,536 nodes took 68 to 80 s (measured)."""
ASK_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0

# what an empty state folder, no mail, no PMIx and no name service make slurmctld say, whatever the topology
BENIGN = re.compile(
    r"MailProg|state file|state save|backup state|may be lost|_list_delete|No memory enforcing|cgroup|jwt|SlurmUser"
    r"|priority_last_decay|last_tres|assoc_mgr|federation|fed_mgr|NOTE: Trying backup|DNS SRV|No last decay|agent"
    r"|not responding|HashPlugin|last_config_lite|last_conf_lite|last config lite|http_parser|url_parser|slurmscriptd"
    r"|High latency|_shutdown_bu_thread|_slurm_rpc_ping|Prolog|pmix|MPI: Cannot create context",
    re.I,
)
TWO_ROOTS = "no switch can reach all nodes"
"""What slurmctld notes about a forest, which is what unconnected fabrics are."""


class MungeFailed(Exception):
    """munged did not come up: this machine cannot run the proof."""


class Refused(Exception):
    """slurmctld ended, or never answered; the text is what it said."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Paths of the programs, and the version of slurmctld (`22.05.8`)."""

    munged: str
    slurmctld: str
    scontrol: str
    sbatch: str
    version: str


@dataclass(frozen=True, slots=True)
class Controller:
    """A slurmctld that answers. `complaints` are its warnings and errors at start, without what is always there."""

    folder: Path
    programs: Programs
    env: Mapping[str, str]
    complaints: tuple[str, ...]

    def scontrol(self, *arguments: str) -> Finished:
        """`scontrol` with these arguments."""
        return run([self.programs.scontrol, *arguments], self.folder, self.env, ASK_TIMEOUT_S)

    def place(self, options: Sequence[str]) -> Finished:
        """Where a job with these sbatch options would run, `... on nodes X in partition Y` on standard error."""
        command = [self.programs.sbatch, "--test-only", *options, "--exclusive", "--wrap", "true"]
        return run(command, self.folder, self.env, ASK_TIMEOUT_S)


def find(env: Mapping[str, str]) -> Programs | list[str]:
    """The programs, or the names of those that are missing."""
    path = os.pathsep.join([env.get("PATH", ""), "/usr/sbin", "/sbin"])
    names = ("munged", "slurmctld", "scontrol", "sbatch")
    found = {name: shutil.which(name, path=path) for name in names}
    missing = [name for name, at in found.items() if at is None]
    if missing:
        return missing
    munged, slurmctld, scontrol, sbatch = (str(found[name]) for name in names)
    version = re.search(r"\d+\.\d+(\.\d+)?", run([slurmctld, "-V"], Path("/"), env, ASK_TIMEOUT_S).text)
    return Programs(munged, slurmctld, scontrol, sbatch, version[0] if version else "")


@contextmanager
def controller(folder: Path, lines: Sequence[str], programs: Programs, env: Mapping[str, str]) -> Iterator[Controller]:
    """Starts both, yields the controller once it answers, ends both. Raises `MungeFailed` or `Refused`."""
    munged = ctld = None
    try:
        munged, key = _munged(folder, programs, env)
        (folder / "state").mkdir()
        (folder / "slurm.conf").write_text("\n".join([*_private(folder, key), *lines, ""]), encoding="utf-8")
        own = {**env, "SLURM_CONF": str(folder / "slurm.conf")}
        with open(folder / "log", "wb") as log:
            command = [programs.slurmctld, "-D", "-c", "-f", str(folder / "slurm.conf")]
            ctld = _start(command, folder, own, log)
        said = _answering(ctld, folder, programs, own)
        yield Controller(folder, programs, own, tuple(_complaints(said)))
    finally:
        for process in (ctld, munged):
            _stop(process)


def _private(folder: Path, munge_socket: Path) -> list[str]:
    """slurm.conf of a controller nobody else can see, which never waits for a slurmd."""
    return [
        "ClusterName=ibgen-prove",
        "SlurmctldHost=localhost",
        "SlurmUser=root",
        "AuthType=auth/munge",
        f"AuthInfo=socket={munge_socket}",
        "CredType=cred/munge",
        "CommunicationParameters=NoCtldInAddrAny",
        f"SlurmctldPort={_free_port()}",
        f"SlurmdPort={_free_port()}",
        f"StateSaveLocation={folder}/state",
        f"SlurmctldPidFile={folder}/slurmctld.pid",
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core",
        "AccountingStorageType=accounting_storage/none",
        "JobCompType=jobcomp/none",
        "MpiDefault=none",
        "MailProg=/bin/true",
        "SlurmctldDebug=info",  # debug prints a table of all pairs of switches
        "SlurmdTimeout=0",
        "ReturnToService=2",
        "ResumeProgram=/bin/true",
        "SuspendProgram=/bin/true",
        "SuspendTime=36000",
    ]


def _munged(folder: Path, programs: Programs, env: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], Path]:
    home = folder / "munge"
    home.mkdir(mode=0o711)
    (home / "key").write_bytes(os.urandom(128))
    (home / "key").chmod(0o400)
    files = [f"--{name}-file={home}/{name}" for name in ("key", "log", "pid", "seed")]
    process = _start(
        [programs.munged, "-F", "-f", *files, f"--socket={home}/socket", "--num-threads=1"], folder, env, subprocess.DEVNULL
    )
    end = time.monotonic() + MUNGE_TIMEOUT_S
    while time.monotonic() < end and process.poll() is None:
        if (home / "socket").exists():
            return process, home / "socket"
        time.sleep(0.02)
    _stop(process)
    log = (home / "log").read_text(errors="replace") if (home / "log").exists() else ""
    raise MungeFailed(f"munged did not start: {log.strip()[-300:] or 'no log'}")


def _start(command: list[str], folder: Path, env: Mapping[str, str], log: IO[bytes] | int) -> subprocess.Popen[bytes]:
    """In a session of its own, so that it can be ended with its children."""
    given = {"cwd": folder, "env": dict(env), "stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
    return subprocess.Popen(command, start_new_session=True, **given)  # type: ignore[call-overload, no-any-return]


def _answering(process: subprocess.Popen[bytes], folder: Path, programs: Programs, env: Mapping[str, str]) -> list[str]:
    """Waits until the controller answers; its log so far."""
    end = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end and process.poll() is None:
        if "Running as primary controller" in (folder / "log").read_text(errors="replace"):
            ping = run([programs.scontrol, "ping"], folder, env, ASK_TIMEOUT_S)
            if " is UP" in ping.out:
                return _lines(folder)
        time.sleep(0.05)
    said = _lines(folder)
    # a file that cannot be parsed ends in a fatal line that says nothing: the error before it does
    told = [line.replace(f"{folder}/", "") for line in _complaints(said)] or said[-3:]
    why = "refused" if process.poll() is not None else f"no answer within {START_TIMEOUT_S:.0f} s"
    raise Refused(f"{why}: {'; '.join(told)}")


def _lines(folder: Path) -> list[str]:
    text = (folder / "log").read_text(errors="replace")
    return [re.sub(r"^(slurmctld: |\[[0-9T:.-]+\] )+", "", line) for line in text.splitlines()]


def _complaints(lines: list[str]) -> list[str]:
    """Errors, warnings and topology notes, each once. Longer than 400 characters are cut: they list every node."""
    told = re.compile(r"(error|warning|fatal): |.*(TOPOLOGY: |invalid node specified|WARNING)", re.I)
    kept = (line[:400] for line in lines if told.match(line) and not BENIGN.search(line))
    return list(dict.fromkeys(kept))


def _stop(process: subprocess.Popen[bytes] | None) -> None:
    """Ends a process this module started, with its own children: it leads a session."""
    if process is None or process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])
