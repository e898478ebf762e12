"""The real terraform on every Terraform folder of a tree: fmt, init, validate, plan, and the plan against `expect.json`.

Takes the tree, `expect["terraform"]` and the user's environment; gives a `Verdict`. Each folder is copied first and planned
against an empty local state: neither the tree nor anybody's state is touched. An entry of `expect["terraform"]` is

    {"folder": "terraform/azure-burst",
     "resources": {"azurerm_subnet": 1, ...},                       exact counts of what a first plan creates
     "assert": [{"address": "TYPE.NAME", "values": {"instances": 4, "network_interface.0.name": "eth0"}}],
     "variables": {"ssh_public_key": "..."}}                        stand-ins for what the user has not given
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ibgen.prove.process import Finished, run
from ibgen.prove.verdict import Check, Verdict, judged, skipped

PROGRAM = "terraform"
OLDEST = (1, 6)  # `required_version` of the emitted files
TIMEOUTS_S = {"version": 30, "fmt": 60, "init": 300, "validate": 120, "plan": 300, "show": 60}

_INSTALL = "install terraform 1.6 or newer (developer.hashicorp.com/terraform/install)"
_MIRROR = "reach the provider registry, or name a mirror in TF_CLI_CONFIG_FILE that holds the provider"
_LOGIN = "log in to the cloud (for Azure: az login, and ARM_SUBSCRIPTION_ID), or prove against an offline provider mirror"
_OVERRIDE = 'terraform {\n  backend "local" {}\n}\n'
_LEFT_BEHIND = (".terraform", ".git", "terraform.tfstate", "terraform.tfstate.backup")
# The user's way of running terraform must not change what is judged.
_DROPPED = re.compile(r"TF_CLI_ARGS.*|TF_DATA_DIR|TF_WORKSPACE|TF_LOG.*|TF_REATTACH_PROVIDERS")
# hashicorp/terraform internal/getproviders/errors.go and Go's net package: nothing answered, so nothing was judged
_UNREACHABLE = re.compile(
    r"could not connect to|failed to request discovery|not found in any of the search locations|no such host|i/o timeout"
    r"|connection refused|network is unreachable|Client\.Timeout|TLS handshake|\b50[234] "
)
# how azurerm, aws, google and oci say that nobody is logged in
_NO_CREDENTIALS = re.compile(
    r"az login|building account|unable to build authorizer|subscription[ _]id.*(?:required|could not be determined)"
    r"|No valid credential sources|could not find default credentials|can not create client, bad configuration",
    re.I | re.S,
)

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Folder:
    name: str
    work: Path
    program: str
    env: Mapping[str, str]
    progress: Progress

    def terraform(self, verb: str, *arguments: str) -> Finished:
        self.progress(f"terraform {verb} in {self.name}")
        return run([self.program, verb, *arguments], self.work, self.env, TIMEOUTS_S[verb])

    def place(self, diagnostic: Mapping[str, Any]) -> tuple[str, int]:
        at = diagnostic.get("range") or {}
        return (f"{self.name}/{at['filename']}", int(at["start"]["line"])) if "filename" in at else (self.name, 0)


def prove(tree: Path, expect: Mapping[str, Any], env: Mapping[str, str], progress: Progress = lambda _: None) -> Verdict:
    """Judges every folder that `expect["terraform"]` names. `env` is the user's environment: PATH, TF_CLI_CONFIG_FILE, ..."""
    entries = expect.get("terraform", [])
    if not entries:
        return Verdict(PROGRAM, "", "passed", "the tree holds no Terraform", "")
    program = shutil.which(PROGRAM, path=env.get("PATH", ""))
    if program is None:
        return skipped(PROGRAM, "terraform is not on PATH", _INSTALL)
    clean = {k: v for k, v in env.items() if not _DROPPED.fullmatch(k)}
    clean |= {"TF_IN_AUTOMATION": "1", "TF_INPUT": "0", "CHECKPOINT_DISABLE": "1"}
    version = _version(program, tree, clean)
    if version is None:
        return skipped(PROGRAM, f"{program} does not say its version", _INSTALL)
    if tuple(int(n) for n in re.findall(r"\d+", version)[:2]) < OLDEST:
        return skipped(PROGRAM, f"terraform {version} is too old", _INSTALL)
    checks: list[Check] = []
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries]):
        if _well_formed(entry):
            checks += _folder(tree, entry, program, clean, progress)
        else:
            checks.append(Check("expectation", False, f"entry {number} of `terraform` is damaged: build again", "expect.json"))
    remedy = _LOGIN if any(c.skipped and c.name.startswith("plan") for c in checks) else _MIRROR
    return judged(PROGRAM, version, checks, remedy)


def _well_formed(entry: Any) -> bool:
    """Whether an expectation has the shape above, and a folder inside the tree."""
    try:
        folder = PurePosixPath(entry["folder"])
        asserted = [(a["address"].split(".")[1], a["values"].items()) for a in entry.get("assert", [])]
        counts = list(entry.get("resources", {}).values())
        variables = list(entry.get("variables", {}).values())
    except (TypeError, KeyError, AttributeError, IndexError):
        return False
    plain = all(isinstance(n, int) for n in counts) and all(isinstance(v, str) for v in variables)
    return plain and bool(asserted or counts) and not folder.is_absolute() and ".." not in folder.parts


def _version(program: str, tree: Path, env: Mapping[str, str]) -> str | None:
    try:
        answer = json.loads(run([program, "version", "-json"], tree, env, TIMEOUTS_S["version"]).out)
        return str(answer["terraform_version"])
    except (ValueError, KeyError, TypeError):
        return None


def _folder(tree: Path, entry: Mapping[str, Any], program: str, env: Mapping[str, str], progress: Progress) -> Iterator[Check]:
    name = str(entry["folder"])
    if not (tree / name).is_dir():
        yield Check(f"folder {name}", False, "the tree has no such folder", name)
        return
    stand_ins = {f"TF_VAR_{k}": str(v) for k, v in entry.get("variables", {}).items()}
    with tempfile.TemporaryDirectory(prefix="ibgen-prove-") as scratch:
        work = Path(scratch) / "config"
        shutil.copytree(tree / name, work, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_BEHIND))
        folder = _Folder(name, work, program, stand_ins | dict(env), progress)
        yield from _fmt(folder)
        (work / "zz_prove_override.tf").write_text(_OVERRIDE)
        steps: tuple[Callable[[_Folder], Iterator[Check]], ...] = (_init, _validate, lambda f: _plan(f, entry))
        for step in steps:
            found = list(step(folder))
            yield from found
            if not all(c.passed for c in found):
                return


def _fmt(folder: _Folder) -> Iterator[Check]:
    done = folder.terraform("fmt", "-check", "-diff", "-recursive", "-no-color")
    if done.code == 0:
        yield Check(f"fmt {folder.name}", True, "formatted")
        return
    file = re.search(r"^--- (?:old/)?(\S+)", done.out, re.M)
    line = re.search(r"^@@ -(\d+)", done.out, re.M)
    changed = re.search(r"^-(?!--)(.*)", done.out, re.M)
    detail = f"not as `terraform fmt` writes it: {changed.group(1).strip()}" if changed else _first_error(done)
    if not (file and line):  # a file it cannot read
        yield Check(f"fmt {folder.name}", False, detail, *_spot(folder, done), skipped=done.timed_out)
        return
    at = _hunk_line(done.out, int(line.group(1)))
    yield Check(f"fmt {folder.name}", False, detail, f"{folder.name}/{file.group(1)}", at)


def _hunk_line(diff: str, first: int) -> int:
    """The line of the first change: a hunk opens with the context above it."""
    body = diff[re.search(r"^@@.*\n", diff, re.M).end() :]  # type: ignore[union-attr]
    context = re.match(r"(?: .*\n)*", body)
    return first + (context.group().count("\n") if context else 0)


def _init(folder: _Folder) -> Iterator[Check]:
    done = folder.terraform("init", "-input=false", "-no-color")
    if done.code == 0:
        yield Check(f"init {folder.name}", True, "providers installed")
        return
    said = _first_error(done)
    nobody_answered = done.timed_out or _UNREACHABLE.search(said) is not None
    yield Check(f"init {folder.name}", False, said, *_spot(folder, done), skipped=nobody_answered)


def _spot(folder: _Folder, done: Finished) -> tuple[str, int]:
    """Where an error printed for people says it is."""
    at = re.search(r"\bon (\S+) line (\d+)", done.text)
    return (f"{folder.name}/{at.group(1)}", int(at.group(2))) if at else (folder.name, 0)


def _validate(folder: _Folder) -> Iterator[Check]:
    done = folder.terraform("validate", "-json", "-no-color")
    try:
        diagnostics = json.loads(done.out)["diagnostics"]
    except (ValueError, KeyError):
        yield Check(f"validate {folder.name}", False, _first_error(done), folder.name, skipped=done.timed_out)
        return
    errors = [d for d in diagnostics if d.get("severity") == "error"]
    for d in errors:
        yield Check(f"validate {folder.name}", False, _said(d), *folder.place(d))
    if not errors:
        warned = "; ".join(f"warning: {_said(d)}" for d in diagnostics)
        yield Check(f"validate {folder.name}", True, warned or "valid")


def _plan(folder: _Folder, entry: Mapping[str, Any]) -> Iterator[Check]:
    done = folder.terraform("plan", "-json", "-input=false", "-refresh=false", "-lock=false", "-out=prove.tfplan")
    name = f"plan {folder.name}"
    if done.code:
        errors = [d for d in _stream(done.out) if d.get("severity") == "error"]
        nobody = done.timed_out or any(_NO_CREDENTIALS.search(_said(d)) for d in errors)
        for d in errors:
            yield Check(name, False, _said(d), *folder.place(d), skipped=nobody)
        if not errors:
            yield Check(name, False, _first_error(done), folder.name, skipped=nobody)
        return
    shown = folder.terraform("show", "-json", "prove.tfplan")
    try:
        changes = json.loads(shown.out)["resource_changes"]
    except (ValueError, KeyError):
        yield Check(name, False, _first_error(shown), folder.name)
        return
    created = {c["address"]: c for c in changes if c["change"]["actions"] == ["create"]}
    yield Check(name, True, f"{len(created)} to add")
    yield _counted(folder, entry.get("resources", {}), created)
    for assertion in entry.get("assert", []):
        yield from _asserted(folder, assertion["address"], assertion["values"], created)


def _counted(folder: _Folder, expected: Mapping[str, int], created: Mapping[str, Any]) -> Check:
    planned: dict[str, int] = {}
    for change in created.values():
        planned[change["type"]] = planned.get(change["type"], 0) + 1
    wrong = [
        f"{t}: {planned.get(t, 0)} planned, {expected.get(t, 0)} expected"
        for t in sorted(expected.keys() | planned.keys())
        if planned.get(t, 0) != expected.get(t, 0)
    ]
    return Check(f"resources {folder.name}", not wrong, "; ".join(wrong) or "as the spec means", folder.name if wrong else "")


def _asserted(folder: _Folder, address: str, values: Mapping[str, Any], created: Mapping[str, Any]) -> Iterator[Check]:
    if address not in created:
        yield Check(f"{address} {folder.name}", False, "no such resource in the plan", folder.name)
        return
    for path, wanted in sorted(values.items()):
        got = _at(created[address]["change"]["after"], path)
        if got == wanted and type(got) is type(wanted):
            yield Check(f"{address}.{path}", True, f"{json.dumps(wanted)}")
        else:
            file, line = _source_line(folder, address, path)
            yield Check(f"{address}.{path}", False, f"{json.dumps(got)} planned, {json.dumps(wanted)} expected", file, line)


def _at(value: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _source_line(folder: _Folder, address: str, path: str) -> tuple[str, int]:
    """Where the argument, or else its resource, is written; plans do not say."""
    type_name, label = address.split(".")[:2]
    argument = re.compile(rf"\s*{re.escape(path.split('.')[-1])}\s*=")
    for file in sorted(folder.work.glob("*.tf")):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        for start, text in enumerate(lines):
            if text.startswith(f'resource "{type_name}" "{label}"'):
                end = next((i for i in range(start, len(lines)) if lines[i].startswith("}")), len(lines))
                hit = next((i for i in range(start, end) if argument.match(lines[i])), start)
                return f"{folder.name}/{file.name}", hit + 1
    return folder.name, 0


def _stream(out: str) -> Iterator[Mapping[str, Any]]:
    """The diagnostics among the JSON lines that `plan -json` prints."""
    for line in out.splitlines():
        try:
            event = json.loads(line)
        except ValueError:  # not one of its events
            continue
        if isinstance(event, dict) and event.get("type") == "diagnostic":
            yield event["diagnostic"]


def _said(diagnostic: Mapping[str, Any]) -> str:
    detail = " ".join(str(diagnostic.get("detail", "")).split())
    return f"{diagnostic.get('summary', '')}: {detail}" if detail else str(diagnostic.get("summary", ""))


def _first_error(done: Finished) -> str:
    """The error terraform printed for people, without its frame; else the last thing it said."""
    if done.timed_out:
        return "terraform did not finish in time"
    lines = [re.sub(r"^[╷│╵\s]+", "", line) for line in done.text.splitlines()]
    start = next((i for i, line in enumerate(lines) if line.startswith("Error: ")), None)
    if start is None:
        return next((line for line in reversed(lines) if line), f"exit status {done.code}")
    stop = next((i for i in range(start + 1, len(lines)) if lines[i].startswith("Error: ")), len(lines))
    summary, detail = lines[start].removeprefix("Error: "), " ".join(line for line in lines[start + 1 : stop] if line)
    detail = detail.partition(" To see which modules are currently depending on")[0]
    return f"{summary}: {detail}" if detail else summary
