"""The proof of a tree's Terraform: passes on what we emit, points at the line of what was damaged, skips what it cannot ask."""

from __future__ import annotations

import dataclasses
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tfoffline import mirror

from ibgen.emit.azure import render
from ibgen.prove.process import run
from ibgen.prove.terraform import prove
from ibgen.prove.verdict import Check, Verdict, judged
from ibgen.targets.azure import AzurePool, MarketplaceImage, expectation

POOL = AzurePool(
    cluster="pod-a",
    name="burst",
    region="southcentralus",
    sku="Standard_ND96isr_H100_v5",
    instances=16,
    resource_group="pod-a-burst",
    image=MarketplaceImage("microsoft-dsvm", "ubuntu-hpc", "2204", "22.04.2024102301"),
)
FOLDER = "terraform/azure-burst"

needs_terraform = pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return mirror.offline_environment(tmp_path_factory.mktemp("mirror"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree" / FOLDER
    folder.mkdir(parents=True)
    for name, content in render(POOL, b"#cloud-config\n"):
        (folder / name).write_bytes(content)
    return tmp_path / "tree"


def expect() -> dict[str, Any]:
    return {"terraform": [expectation(POOL)]}


def edit(tree: Path, file: str, old: str, new: str) -> int:
    """Replaces `old` once and gives the line it stood on."""
    path = tree / FOLDER / file
    text = path.read_text()
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1


def failures(verdict: Verdict) -> list[Check]:
    return [c for c in verdict.checks if not c.passed]


def snapshot(tree: Path) -> dict[str, bytes]:
    return {str(p.relative_to(tree)): p.read_bytes() for p in sorted(tree.rglob("*")) if p.is_file()}


@needs_terraform
@pytest.mark.terraform
@pytest.mark.parametrize("major", [4, 5])
def test_what_is_emitted_is_proved_and_left_as_it_was(major: int, tree: Path, env: dict[str, str]) -> None:
    pool = dataclasses.replace(POOL, provider_major=major)  # type: ignore[arg-type]
    for name, content in render(pool, b"#cloud-config\n"):
        (tree / FOLDER / name).write_bytes(content)
    before = snapshot(tree)
    said: list[str] = []
    verdict = prove(tree, {"terraform": [expectation(pool)]}, env, said.append)
    assert verdict.status == "passed", failures(verdict)
    assert verdict.version[:2] == "1."
    assert [line.split()[1] for line in said] == ["fmt", "init", "validate", "plan", "show"]
    assert snapshot(tree) == before


@needs_terraform
@pytest.mark.terraform
def test_a_remote_backend_and_a_workspace_of_the_user_are_not_touched(tree: Path, env: dict[str, str]) -> None:
    (tree / FOLDER / "backend.tf").write_text('terraform {\n  backend "s3" {}\n}\n')
    verdict = prove(tree, expect(), env | {"TF_WORKSPACE": "prod", "TF_CLI_ARGS_plan": "-destroy"})
    assert verdict.status == "passed", failures(verdict)


DAMAGES: dict[str, tuple[str, str, str, str, str]] = {
    "unformatted": ("network.tf", 'name                = "burst"', 'name = "burst"', "fmt", "not as `terraform fmt`"),
    "broken syntax": ("main.tf", 'name     = "pod-a-burst"', 'name     = "pod-a-burst', "fmt", ""),
    "misspelt argument": (
        "compute.tf",
        "single_placement_group =",
        "single_placement_grp =",
        "validate",
        "Unsupported argument",
    ),
    "other major": (
        "compute.tf",
        "accelerated_networking_enabled =",
        "enable_accelerated_networking =",
        "validate",
        "Unsupported",
    ),
    "undeclared": (
        "main.tf",
        "tags     = local.tags",
        "tags     = local.tag",
        "validate",
        "Reference to undeclared local value",
    ),
    "provider rule": ("compute.tf", 'upgrade_mode = "Manual"', 'upgrade_mode = "manual"', "validate", "Invalid value"),
    "floating image": ("variables.tf", '"22.04.2024102301"', '"latest"', "plan", "Name an exact image version"),
    "count": ("compute.tf", "instances           = 16", "instances           = 15", "azurerm_", "15 planned, 16 expected"),
    "overprovision": (
        "compute.tf",
        "overprovision = false",
        "overprovision = true",
        "azurerm_",
        "true planned, false expected",
    ),
}


@needs_terraform
@pytest.mark.terraform
@pytest.mark.slow
@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_damaged_tree_fails_with_file_and_line(damage: str, tree: Path, env: dict[str, str]) -> None:
    file, old, new, step, said = DAMAGES[damage]
    line = edit(tree, file, old, new)
    verdict = prove(tree, expect(), env)
    assert verdict.status == "failed"
    first = failures(verdict)[0]
    assert first.name.startswith(step)
    assert said in first.detail
    assert first.file == f"{FOLDER}/{file}"
    if damage != "floating image":  # terraform points at the variable, not at its default
        assert first.line == line


@needs_terraform
@pytest.mark.terraform
def test_a_resource_too_many_and_one_too_few_are_named(tree: Path, env: dict[str, str]) -> None:
    (tree / FOLDER / "extra.tf").write_text(
        'resource "azurerm_public_ip" "door" {\n  name                = "door"\n  location            = "westus"\n'
        '  resource_group_name = "g"\n  allocation_method   = "Static"\n}\n'
    )
    edit(
        tree,
        "network.tf",
        'resource "azurerm_network_security_rule" "deny_internet"',
        'resource "azurerm_network_security_rule" "deny"',
    )
    verdict = prove(tree, expect(), env)
    assert verdict.status == "failed"
    details = {c.name: c.detail for c in failures(verdict)}
    assert details[f"resources {FOLDER}"] == "azurerm_public_ip: 2 planned, 1 expected"
    assert details[f"azurerm_network_security_rule.deny_internet {FOLDER}"] == "no such resource in the plan"


def test_a_missing_folder_is_a_failure_not_a_pass(tmp_path: Path, fake: Callable[..., dict[str, str]]) -> None:
    verdict = prove(tmp_path, {"terraform": [{"folder": "terraform/gone", "resources": {"a_b": 1}}]}, fake())
    assert verdict.status == "failed"
    assert failures(verdict) == [Check("folder terraform/gone", False, "the tree has no such folder", "terraform/gone")]


@pytest.mark.parametrize(
    "entry",
    [
        None,
        {},
        "terraform/azure-burst",
        {"folder": FOLDER},
        {"folder": "../outside", "resources": {"a_b": 1}},
        {"folder": "/etc", "resources": {"a_b": 1}},
        {"folder": FOLDER, "resources": {"a_b": "one"}},
        {"folder": FOLDER, "assert": [{"address": "nothing", "values": {}}]},
        {"folder": FOLDER, "assert": {"address": 1}},
    ],
)
def test_a_damaged_expectation_is_a_failure_not_a_traceback(
    entry: object, tree: Path, fake: Callable[..., dict[str, str]]
) -> None:
    verdict = prove(tree, {"terraform": [entry]}, fake())
    assert verdict.status == "failed"
    assert [c.file for c in failures(verdict)] == ["expect.json"]


def test_terraform_not_installed_is_skipped_with_a_remedy(tree: Path, tmp_path: Path) -> None:
    verdict = prove(tree, expect(), {"PATH": str(tmp_path)})
    assert (verdict.status, verdict.reason) == ("skipped", "terraform is not on PATH")
    assert "install terraform 1.6" in verdict.remedy


def test_a_tree_without_terraform_asks_nobody(tmp_path: Path) -> None:
    assert prove(tmp_path, {}, {"PATH": ""}).status == "passed"


@pytest.fixture
def fake(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """An environment whose terraform answers `version` and then says what the test wants for one verb.

    It stands for a machine this test cannot be run on: an old terraform, no network, no login.
    """

    def make(version: str = "1.11.4", verb: str = "", says: str = "", code: int = 1) -> dict[str, str]:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "says").write_text(says)
        program = folder / "terraform"
        program.write_text(
            "#!/bin/sh\n"
            f'case "$1" in\n  version) echo \'{{"terraform_version": "{version}"}}\' ;;\n'
            f"  {verb or 'nothing'}) cat '{folder}/says'; exit {code} ;;\n"
            "  validate) echo '{\"diagnostics\": []}' ;;\nesac\n"
        )
        program.chmod(0o755)
        return {"PATH": f"{folder}:{os.environ['PATH']}"}

    return make


@pytest.mark.parametrize("version", ["1.5.7", "0.15.0"])
def test_an_old_terraform_is_skipped_with_a_remedy(version: str, tree: Path, fake: Callable[..., dict[str, str]]) -> None:
    verdict = prove(tree, expect(), fake(version=version))
    assert (verdict.status, verdict.reason) == ("skipped", f"terraform {version} is too old")
    assert verdict.remedy


UNREACHABLE = """
Error: Failed to query available provider packages

Could not retrieve the list of available versions for provider
hashicorp/azurerm: could not connect to registry.example: failed to
request discovery document: dial tcp: lookup registry.example: no such host
"""
NOBODY_LOGGED_IN = (
    '{"@level":"info","type":"version","terraform":"1.11.4"}\n'
    '{"@level":"error","type":"diagnostic","diagnostic":{"severity":"error","summary":"unable to build authorizer for Resource '
    'Manager API: could not configure AzureCli Authorizer: please run az login","detail":""}}\n'
)


def test_no_network_is_skipped_with_a_remedy(tree: Path, fake: Callable[..., dict[str, str]]) -> None:
    verdict = prove(tree, expect(), fake(verb="init", says=UNREACHABLE))
    assert verdict.status == "skipped"
    assert "could not connect to registry.example" in verdict.reason
    assert "TF_CLI_CONFIG_FILE" in verdict.remedy
    assert [c.name.split()[0] for c in verdict.checks] == ["fmt", "init"]


def test_nobody_logged_in_is_skipped_with_a_remedy(tree: Path, fake: Callable[..., dict[str, str]]) -> None:
    verdict = prove(tree, expect(), fake(verb="plan", says=NOBODY_LOGGED_IN))
    assert verdict.status == "skipped"
    assert "az login" in verdict.remedy
    assert [(c.name.split()[0], c.passed, c.skipped) for c in verdict.checks][-1] == ("plan", False, True)


@needs_terraform
@pytest.mark.terraform
def test_an_empty_mirror_is_skipped_and_a_pin_that_nothing_meets_fails(tree: Path, env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    verdict = prove(tree, expect(), mirror.environment(tmp_path, tmp_path / "empty"))
    assert verdict.status == "skipped"
    edit(tree, "versions.tf", '"~> 5.0"', '"~> 6.0"')
    verdict = prove(tree, expect(), env)
    assert verdict.status == "failed"
    assert "no available releases match the given constraints ~> 6.0" in verdict.reason


def test_a_program_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    finished = run(["sh", "-c", "echo started; sleep 60 & echo $! > child; wait"], tmp_path, dict(os.environ), 0.5)
    assert finished.timed_out
    assert finished.out == "started\n"
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 10
    while _alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _alive(child)


def _alive(process: int) -> bool:
    """Whether it runs: a killed process that nobody has collected yet (state Z) does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_program_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    finished = run([str(tmp_path / "nothing")], tmp_path, {}, 5)
    assert finished.code == 127
    assert "No such file" in finished.text


def test_one_failure_outweighs_what_was_skipped() -> None:
    passed, left, failed = Check("a", True, ""), Check("b", False, "no", skipped=True), Check("c", False, "wrong")
    assert judged("p", "1", [passed]).status == "passed"
    assert judged("p", "1", [passed, left], "log in").remedy == "log in"
    assert judged("p", "1", [passed, left, failed]).status == "failed"
    assert judged("p", "1", [passed, left, failed]).reason == "c: wrong"
