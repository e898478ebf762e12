"""Remedies that lead on: each names what would mend this very mistake, and one mistake is not told three times."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ibgen import assets
from ibgen.cli import start

LAB = (assets.examples() / "lab.yaml").read_text(encoding="utf-8")
Check = Callable[..., list[tuple[str, str, str]]]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """`ibgen check ...` in a folder with `spec.yaml`: (code, message, hint) of every finding."""
    monkeypatch.chdir(tmp_path)

    def run(text: str, *args: str) -> list[tuple[str, str, str]]:
        (tmp_path / "spec.yaml").write_text(text)
        start.main(["check", *(args or ("spec.yaml",)), "--format", "json"])
        found = json.loads(capsys.readouterr().out)["diagnostics"]
        return [(d["code"], d["message"], d.get("hint") or "") for d in found]

    return run


def edited(old: str, new: str) -> str:
    assert old in LAB
    return LAB.replace(old, new, 1)


@pytest.mark.parametrize(
    ("key", "hint"),
    [("bindings: nofile.csv", "ibgen bind"), ("site: racks.txt", "beside"), ("catalog: [rows.txt]", "beside")],
)
def test_a_missing_companion_is_not_to_be_begun_with_init(key: str, hint: str, check: Check) -> None:
    ((_, _, said),) = [f for f in check(f"{LAB}{key}\n") if f[0] == "IBG038"]
    assert hint in said
    assert "init" not in said


@pytest.mark.parametrize(("written", "meant"), [("7fff", "0x7fff"), ("0x7ffg", "0x0101"), ("default", "0x0101")])
def test_a_pkey_is_shown_how_a_pkey_is_written(written: str, meant: str, check: Check) -> None:
    ((_, message, hint),) = check(edited("pkey: 0x7fff", f"pkey: {written}"))
    assert "no P_Key" in message
    assert f"`{meant}`" in hint
    assert "175e9" not in hint


def test_digits_too_few_are_one_finding_with_the_pools_own_spelling(check: Check) -> None:
    """`dgx-[1-64]` for `dgx-[01-64]`: unknown, `not schedulable` and `in no partition`, three findings of one slip."""
    text = (
        'ibgen: 1\ncluster: c\npools:\n  - {name: gpu, hosts: "dgx-[01-64]", platform: dgx-h100}\n'
        "fabrics: [{name: ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: gpu}]}]\n"
        'slurm: {version: "24.11", partitions: [{name: train, hosts: "dgx-[1-64]", default: true}]}\n'
    )
    found = check(text)
    assert [code for code, _, _ in found if code in ("IBG035", "IBG647", "IBG626")] == ["IBG035"], found
    assert "`dgx-[01-09]`" in next(hint for code, _, hint in found if code == "IBG035")
    assert not [f for f in check(text.replace("dgx-[1-64]", "dgx-[01-64]")) if f[0] in ("IBG035", "IBG647", "IBG626")]


def test_what_the_other_opensm_has_is_said_with_the_option_that_judges_it(check: Check, tmp_path: Path) -> None:
    folder = tmp_path / "opensm"
    folder.mkdir()
    (folder / "opensm.conf").write_text("routing_engine ar_updn\nar_mode 1\n")
    hints = [hint for _, message, hint in check("", "--opensm", "opensm") if "ar_" in message]
    assert len(hints) == 2
    assert all("`--flavour nvidia`" in hint for hint in hints)
    assert not [m for _, m, _ in check("", "--opensm", "opensm", "--flavour", "nvidia") if "ar_" in m]


def test_the_list_of_init_holds_whole_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.main(["init", "--list"]) == 0
    entries = capsys.readouterr().out.splitlines()
    assert len(entries) > 10
    assert [e for e in entries if not e.endswith(".")] == []
    assert next(e for e in entries if e.startswith("multi-plane")).endswith("joins.")
