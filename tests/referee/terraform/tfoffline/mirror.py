"""A filesystem mirror whose provider executables are this package, and the environment that points terraform at it.

Takes the schema files; gives a mirror folder in the layout terraform expects of an unpacked filesystem mirror, and the
environment variables under which a plain `terraform init` installs from it and from nowhere else.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tfoffline import schemas

# What would lead terraform away from the mirror or into somebody's workspace.
_DROPPED = ("TF_CLI_", "TF_DATA_DIR", "TF_WORKSPACE", "TF_PLUGIN_CACHE", "TF_REATTACH_PROVIDERS", "TF_VAR_", "TF_LOG")


def target() -> str:
    """This machine in the words of the provider registry, e.g. `linux_amd64`."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{platform.system().lower()}_{machine}"


def build(folder: Path, providers: Sequence[schemas.Served], rules: Path, fixtures: Path | None) -> None:
    """Writes the mirror: one short shell script per provider version, which starts `tfoffline.provider`."""
    for p in providers:
        home = folder / schemas.REGISTRY / p.source / p.version / target()
        home.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "tfoffline.provider", str(p.path), p.source, "--rules", str(rules)]
        if fixtures:
            command += ["--fixtures", str(fixtures)]
        program = home / f"terraform-provider-{p.source.split('/')[1]}_v{p.version}"
        program.write_text(f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(schemas.ROOT))} exec {shlex.join(command)}\n")
        program.chmod(0o755)


def cached(providers: Sequence[schemas.Served], rules: Path, fixtures: Path | None) -> Path:
    """A mirror for these schemas, built once under `TF_OFFLINE_CACHE` (default: a cache in the user's home)."""
    key = hashlib.sha256(f"{sys.executable}|{schemas.ROOT}|{rules}|{fixtures}".encode())
    for p in providers:
        key.update(f"{p.path}|{p.source}|{p.version}|".encode())
    parent = Path(os.environ.get("TF_OFFLINE_CACHE") or Path.home() / ".cache" / "tf-offline")
    mirror = parent / key.hexdigest()[:16]
    if not mirror.exists():
        parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=parent))
        build(fresh, providers, rules, fixtures)
        try:
            fresh.rename(mirror)
        except OSError:  # another run was faster
            shutil.rmtree(fresh, ignore_errors=True)
    return mirror


def environment(folder: Path, mirror: Path) -> dict[str, str]:
    """The caller's environment, pointed at `mirror` by a CLI configuration file that is written into `folder`."""
    configuration = folder / "offline.tfrc"
    configuration.write_text(
        "disable_checkpoint = true\n"
        "provider_installation {\n  filesystem_mirror {\n"
        f'    path    = "{mirror}"\n    include = ["{schemas.REGISTRY}/*/*"]\n  }}\n}}\n'
    )
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_DROPPED)}
    return kept | {
        "TF_CLI_CONFIG_FILE": str(configuration),
        "TF_DISABLE_PLUGIN_TLS": "1",
        "TF_IN_AUTOMATION": "1",
        "TF_INPUT": "0",
        "CHECKPOINT_DISABLE": "1",
        "GRPC_VERBOSITY": "NONE",
    }


def offline_environment(folder: Path, *, fixtures: Path | None = None, rules: Path = schemas.RULES) -> dict[str, str]:
    """The environment under which plain terraform works offline; the mirror and its configuration are put into `folder`.

    `fixtures` names a JSON file {data source type: {attribute: value}}. Give one folder per test session: building the
    mirror costs a few milliseconds, and nothing in it changes.
    """
    mirror = folder / "mirror"
    build(mirror, schemas.served(), rules, fixtures)
    return environment(folder, mirror)
