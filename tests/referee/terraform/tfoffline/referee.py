"""The whole examination of one folder of Terraform: format, init, validate, the key check, then plan, apply or test.

The folder itself is never written to: it is copied to a scratch folder, where an override file replaces any backend by
the local one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tfoffline import keys, schemas

Command = Literal["fmt", "validate", "plan", "apply", "test"]

UNFORMATTED = 3
UNKNOWN_KEY = 4
TIMEOUT_S = 120

_LEFT_BEHIND = {".terraform", ".terraform.lock.hcl", ".git", "terraform.tfstate", "terraform.tfstate.backup"}
_OVERRIDE = 'terraform {\n  backend "local" {}\n}\n'


@dataclass(frozen=True, slots=True)
class Outcome:
    """`status` is terraform's own exit status, 3 when a file is unformatted, 4 when a nested key is in no schema."""

    status: int
    output: str

    @property
    def plan(self) -> dict[str, Any]:
        """The plan of an examination that asked for JSON."""
        document: dict[str, Any] = json.loads(self.output)
        return document


def terraform_program() -> str:
    """The terraform to run: `TF_OFFLINE_TERRAFORM`, or the one on PATH."""
    return os.environ.get("TF_OFFLINE_TERRAFORM") or "terraform"


def available() -> bool:
    """Whether there is a terraform to run at all."""
    return shutil.which(terraform_program()) is not None


def copy(source: Path, target: Path) -> None:
    """The configuration without lock, state and provider folder, and with its backend replaced by the local one."""
    shutil.copytree(source, target, ignore=lambda _folder, names: _LEFT_BEHIND & set(names), dirs_exist_ok=True)
    (target / "zz_offline_override.tf").write_text(_OVERRIDE)


def selected(output: str) -> dict[str, str]:
    """Source -> version of the providers that terraform selected, from the output of `terraform version -json`."""
    document = json.loads(output)["provider_selections"]
    return {address.removeprefix(f"{schemas.REGISTRY}/"): version for address, version in document.items()}


def examine(
    folder: Path,
    command: Command,
    env: Mapping[str, str],
    *,
    providers: Sequence[schemas.Served] = (),
    state: Path | None = None,
    as_json: bool = False,
    fmt: bool = True,
    arguments: Sequence[str] = (),
) -> Outcome:
    """Runs everything up to and including `command` and stops at the first thing that is refused.

    `env` comes from `mirror`; `as_json` gives the plan as `terraform show -json` prints it.
    """
    with tempfile.TemporaryDirectory(prefix="tf-offline-") as scratch:
        work = Path(scratch) / "config"
        copy(folder, work)
        run = _Runner(work, env)
        if fmt and (shape := run("fmt", "-check", "-diff", "-recursive")).status:
            return Outcome(UNFORMATTED, shape.output + "not formatted (terraform fmt)\n")
        if command == "fmt":
            return Outcome(0, "")
        for step in (("init", "-input=false"), ("validate",)):
            if (result := run(*step)).status:
                return result
        if lost := _unknown_keys(run, work, providers or schemas.served()):
            return lost
        if command == "validate":
            return result
        return _last(run, command, state, as_json, arguments)


def _last(run: _Runner, command: Command, state: Path | None, as_json: bool, arguments: Sequence[str]) -> Outcome:
    if command == "test":
        return run("test", *arguments)
    common = ["-input=false", *([f"-state={state.resolve()}"] if state else []), *arguments]
    if command == "apply":
        return run("apply", "-auto-approve", *common)
    if not as_json:
        return run("plan", "-refresh=false", *common)
    if (planned := run("plan", "-refresh=false", "-out=offline.tfplan", *common)).status:
        return planned
    return run("show", "-json", "offline.tfplan", only_stdout=True)


def _unknown_keys(run: _Runner, work: Path, providers: Sequence[schemas.Served]) -> Outcome | None:
    chosen = selected(run("version", "-json", only_stdout=True).output)
    lost = list(keys.unknown_keys(work, schemas.blocks(chosen, providers)))
    if not lost:
        return None
    lines = "".join(f"  {file}: {path}\n" for file, path in lost)
    return Outcome(UNKNOWN_KEY, f"Error: unknown keys in nested objects (Terraform drops them in silence):\n{lines}")


@dataclass(frozen=True, slots=True)
class _Runner:
    work: Path
    env: Mapping[str, str]

    def __call__(self, *arguments: str, only_stdout: bool = False) -> Outcome:
        program = [terraform_program(), *arguments]
        done = subprocess.run(
            program, cwd=self.work, env=dict(self.env), capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        said = done.stdout if only_stdout and not done.returncode else done.stdout + done.stderr
        return Outcome(done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", said))
