"""Each verb on real specs: what it prints where, and its exit code."""

from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path

import jsonschema
import pytest

from ibgen import assets
from ibgen.cli import init, start
from ibgen.cli.app import VERBS

LAB = Path(__file__).with_name("lab.yaml")

BROKEN = """\
ibgen: 1
cluster: pod-a
pools:
  - {name: gpu, hosts: "dgx-[001-064]", platform: dgx-h100}
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, hosts: [dgx-001], routing: [ar_updn]}
    topology: {kind: fat-tree, unit: 40, leaf: {switch: qm9700, downlinks: 40}, spine: {switch: qm9700}}
    attach: [{pool: gpu, hcas: compute}]
    partitions: [{name: default, pkey: 0x7fff, members: [{pool: gpu, membership: full}]}]
requirements:
  oversubscription: {compute: 1.0}
"""


class Shell:
    """A folder with a good and a bad spec, and `ibgen` run in it: exit code, standard output, standard error."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *args: str) -> tuple[int, str, str]:
        code = start.main(args)
        got = self._capsys.readouterr()
        assert "Traceback" not in got.err
        assert "\x1b" not in got.out + got.err
        return code, got.out, got.err


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    shutil.copy(LAB, tmp_path / "cluster.yaml")
    (tmp_path / "broken.yaml").write_text(BROKEN)
    return Shell(tmp_path, capsys)


def test_check_without_arguments_reads_cluster_yaml(shell: Shell) -> None:
    code, _, err = shell("check")
    assert code == 0
    assert err.endswith("next: ibgen build cluster.yaml\n")


def test_check_points_at_the_line_with_live_numbers(shell: Shell) -> None:
    code, out, err = shell("check", "broken.yaml")
    assert code == 1
    assert "error[IBG201]: leaf-oversubscribed" in out
    assert "--> broken.yaml:8:" in out
    assert "--- asked for here" in out
    assert "next:" not in err
    assert "1 error" in err


@pytest.mark.parametrize(("threshold", "exit_code"), [("error", 0), ("warning", 1), ("note", 1)])
def test_fail_on_sets_the_threshold(threshold: str, exit_code: int, shell: Shell) -> None:
    """The lab has no error, and a warning that its GUIDs are made up."""
    assert shell("check", "--fail-on", threshold)[0] == exit_code


@pytest.mark.parametrize("spec", ["cluster.yaml", "broken.yaml"])
def test_check_json_is_only_json_and_of_the_schema(spec: str, shell: Shell) -> None:
    code, out, err = shell("check", spec, "--format", "json")
    document = json.loads(out)
    jsonschema.validate(document, json.loads((assets.schemas() / "report.schema.json").read_text()))
    assert (document["summary"]["error"] > 0) == (code == 1)
    assert err == ""


def test_check_sarif_and_github_name_the_same_codes(shell: Shell) -> None:
    _, out, _ = shell("check", "broken.yaml", "--format", "json")
    codes = sorted(d["code"] for d in json.loads(out)["diagnostics"])
    _, out, _ = shell("check", "broken.yaml", "--format", "sarif")
    assert sorted(r["ruleId"] for r in json.loads(out)["runs"][0]["results"]) == codes
    _, out, _ = shell("check", "broken.yaml", "--format", "github")
    assert sorted(line.split("title=")[1][:6] for line in out.splitlines()) == codes
    assert all(
        line.startswith(("::error file=broken.yaml,line=", "::warning file=broken.yaml,line=")) for line in out.splitlines()
    )


def test_a_spec_on_standard_input(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    code, out, _ = shell("check", "-")
    assert code == 1
    assert "--> <stdin>:8:" in out


def test_standard_input_that_is_no_text(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"ibgen: 1\xff")))
    code, out, err = shell("check", "-")
    assert (code, out) == (2, "")
    assert "not UTF-8 at byte 8" in err


def test_a_finding_in_an_overlay_names_the_overlay(shell: Shell) -> None:
    (shell.folder / "prod.yaml").write_text("nccl: {verson: '2.27'}\n")
    code, out, _ = shell("check", "cluster.yaml", "-f", "prod.yaml")
    assert code == 1
    assert "--> prod.yaml:1:8" in out
    (shell.folder / "prod.yaml").write_text("requirements: {pcie_match: 0.5}\n")
    assert shell("check", "cluster.yaml", "-f", "prod.yaml")[2].endswith("next: ibgen build cluster.yaml -f prod.yaml\n")


@pytest.mark.parametrize(
    "text", ["", "- a\n", "ibgen: 1\n  bad: indent\n", "\0", "ibgen: 2\n", "pools: {a: b}\n", "a: &x [*x]\n", "{" * 5000]
)
def test_a_hopeless_spec_is_exit_1_with_a_place(text: str, shell: Shell) -> None:
    (shell.folder / "hopeless.yaml").write_text(text)
    code, out, _ = shell("check", "hopeless.yaml")
    assert code == 1
    assert "--> hopeless.yaml" in out


def test_build_writes_then_finds_nothing_to_do(shell: Shell) -> None:
    code, out, err = shell("build")
    assert code == 0
    assert out.startswith("out/\n+ README.md")
    assert err.endswith("next: ibgen prove out\n")
    assert (shell.folder / "out/ibgen.manifest.json").is_file()
    code, out, _ = shell("build")
    assert code == 0
    assert {line[0] for line in out.splitlines()[1:]} == {"="}
    code, out, err = shell("build", "--check")
    assert (code, out) == (0, "")
    assert "out is what the spec says" in err


def test_build_check_of_a_stale_tree_lists_what_moved_and_writes_nothing(shell: Shell) -> None:
    shell("build")
    spec = shell.folder / "cluster.yaml"
    spec.write_text(spec.read_text().replace("node-[01-08]", "node-[01-07]"))
    before = {p: p.read_bytes() for p in (shell.folder / "out").rglob("*") if p.is_file()}
    code, out, err = shell("build", "--check")
    assert code == 1
    assert "~ slurm/topology.conf" in out
    assert "IBG903" in err
    assert err.endswith("next: ibgen build cluster.yaml -o out\n")
    assert before == {p: p.read_bytes() for p in (shell.folder / "out").rglob("*") if p.is_file()}


def test_build_over_a_hand_edit_writes_nothing_until_forced(shell: Shell) -> None:
    shell("build")
    edited = shell.folder / "out/slurm/nodes.conf"
    edited.write_text("NodeName=mine\n")
    code, out, err = shell("build")
    assert (code, out) == (1, "")
    assert "slurm/nodes.conf was edited by hand" in err
    assert "next:" not in err
    assert edited.read_text() == "NodeName=mine\n"
    code, out, _ = shell("build", "--force")
    assert code == 0
    assert "~ slurm/nodes.conf" in out
    assert "mine" not in edited.read_text()


def test_build_with_errors_makes_no_folder(shell: Shell) -> None:
    code, out, err = shell("build", "broken.yaml", "-o", "tree")
    assert (code, out) == (1, "")
    assert "nothing was written: the spec has errors" in err
    assert not (shell.folder / "tree").exists()


def test_build_requires_bindings_when_asked(shell: Shell) -> None:
    code, _, err = shell("build", "--require-bindings")
    assert code == 1
    assert "error[IBG322]" in err
    assert not (shell.folder / "out").exists()


def test_build_into_a_file_is_refused(shell: Shell) -> None:
    (shell.folder / "out").write_text("")
    code, out, err = shell("build")
    assert (code, out) == (1, "")
    assert "out is not a folder" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_build_where_the_system_refuses_exits_2(shell: Shell) -> None:
    (shell.folder / "locked").mkdir(mode=0o500)
    assert shell("build", "-o", "locked/out")[0] == 2


def test_plan_of_a_spec_with_errors_still_counts(shell: Shell) -> None:
    """An oversubscribed design is what one wants to see counted."""
    code, out, err = shell("plan", "broken.yaml")
    assert code == 1
    assert "1.67:1" in out
    assert "IBG201" in err


def test_plan_json_is_only_json(shell: Shell) -> None:
    code, out, err = shell("plan", "--format", "json")
    assert code == 0
    assert json.loads(out)["cluster"] == "lab"
    assert err == ""


def test_show_spec_loads_again_unchanged(shell: Shell) -> None:
    _, first, _ = shell("show", "spec")
    (shell.folder / "expanded.yaml").write_text(first)
    code, second, _ = shell("show", "spec", "expanded.yaml")
    assert code == 0
    assert second == first
    _, cables, _ = shell("show", "cables")
    assert shell("show", "cables", "expanded.yaml")[1] == cables


def test_show_says_what_stands_in_the_way(shell: Shell) -> None:
    (shell.folder / "hopeless.yaml").write_text("ibgen: 1\n")
    code, out, err = shell("show", "fabric", "hopeless.yaml")
    assert (code, out) == (1, "")
    assert "IBG031" in err


def test_show_cables_of_one_host_or_switch(shell: Shell) -> None:
    _, out, _ = shell("show", "cables", "--host", "node-0[1-2]", "--format", "csv")
    lines = out.splitlines()
    assert len(lines) == 1 + 4
    assert all("node-01/" in line or "node-02/" in line for line in lines[1:])
    _, out, _ = shell("show", "cables", "--switch", "spine-01", "--format", "json")
    assert all("spine-01:" in row["upper"] for row in json.loads(out)["cables"])


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [("--host", "node-09", "node-0"), ("--switch", "spin-01", "spine-01"), ("--host", "node-[", "--host")],
)
def test_show_cables_of_an_unknown_end_is_refused(option: str, value: str, said: str, shell: Shell) -> None:
    code, out, err = shell("show", "cables", option, value)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("word", ["IBG201", "ibg201", "201", "leaf-oversubscribed", "LEAF_OVERSUBSCRIBED", "[IBG201]"])
def test_explain_takes_id_number_or_name(word: str, shell: Shell) -> None:
    code, out, _ = shell("explain", word)
    assert code == 0
    assert out.startswith("IBG201 leaf-oversubscribed (error)\n")
    assert "\nBad:\n    " in out


def test_explain_offers_what_looks_like_it(shell: Shell) -> None:
    code, out, err = shell("explain", "leaf-oversubscribd")
    assert (code, out) == (2, "")
    assert "did you mean IBG201 (leaf-oversubscribed)" in err


def test_explain_lists_every_code(shell: Shell) -> None:
    _, out, _ = shell("explain", "--list")
    assert shell("explain")[1] == out
    for line in out.splitlines():
        code, page, _ = shell("explain", line.split()[0])
        assert code == 0
        assert page.startswith(" ".join(line.split()[:2]))


@pytest.mark.parametrize("name", sorted(init._sources()))
def test_what_init_writes_passes_check(name: str, shell: Shell) -> None:
    folder = shell.folder / "fresh"
    folder.mkdir()
    code, out, err = shell("init", "--from", name, "-o", "fresh/pod.yaml")
    assert (code, out) == (0, "")
    assert err.endswith("next: ibgen check fresh/pod.yaml\n")
    lines = (folder / "pod.yaml").read_text().splitlines()
    assert lines[0] == "# yaml-language-server: $schema=cluster.schema.json"
    assert not any(line.startswith("# yaml-language-server") for line in lines[1:])
    jsonschema.Draft202012Validator.check_schema(json.loads((folder / "cluster.schema.json").read_text()))
    assert shell("check", "fresh/pod.yaml")[0] == 0


def test_init_never_overwrites(shell: Shell) -> None:
    before = (shell.folder / "cluster.yaml").read_text()
    assert shell("init")[0] == 2
    assert (shell.folder / "cluster.yaml").read_text() == before
    (shell.folder / "cluster.schema.json").write_text("{}")
    code, _, err = shell("init", "-o", "other.yaml")
    assert code == 0
    assert "left alone" in err
    assert (shell.folder / "cluster.schema.json").read_text() == "{}"


def test_init_lists_what_there_is(shell: Shell) -> None:
    _, out, _ = shell("init", "--list")
    assert "superpod-h100" in out
    assert all(len(line.split()) > 3 for line in out.splitlines()), "each says what it is"
    code, text, _ = shell("init", "--from", "lab", "-o", "-")
    assert code == 0
    assert text.startswith("# yaml-language-server")


@pytest.mark.parametrize("which", ["cluster", "manifest", "report"])
def test_schema_prints_a_schema(which: str, shell: Shell) -> None:
    code, out, _ = shell("schema", which)
    assert code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(out))


def test_an_example_fits_the_printed_schema(shell: Shell) -> None:
    schema = json.loads(shell("schema")[1])
    from ruamel.yaml import YAML

    jsonschema.validate(YAML(typ="safe").load(LAB.read_text()), schema)


def test_doctor_names_what_is_absent_with_its_remedy(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(shell.folder))
    monkeypatch.setattr("ibgen.cli.doctor.SBIN", ())
    code, out, err = shell("doctor")
    assert code == 0
    assert "apt install opensm" in out
    library = next(line for line in out.splitlines() if line.startswith("libnccl"))
    assert f"{7 + ('absent' in library)} of 8 programs are absent" in err
    assert "reads NCCL's files" in library
    assert "numpy" in out


def test_doctor_calls_packages_what_they_call_themselves(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wheels of ibgen say `ruamel-yaml` in the order of the alphabet or of pyproject.toml: the listing is the same."""
    monkeypatch.setattr(
        "importlib.metadata.requires", lambda _: ["typer>=0.15", "ruamel-yaml>=0.18", "numpy", "x; extra == 'dev'"]
    )
    names = [line.split()[0] for line in shell("doctor")[1].splitlines()]
    assert names[:5] == ["ibgen", "python", "numpy", "ruamel.yaml", "typer"]


def test_doctor_reads_a_program_s_version(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    program = shell.folder / "opensm"
    program.write_text("#!/bin/sh\necho OpenSM 3.3.23\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shell.folder}:/bin:/usr/bin")
    assert any(line.split()[:2] == ["opensm", "3.3.23"] for line in shell("doctor")[1].splitlines())


def test_prove_refuses_a_tree_with_a_pending_journal(shell: Shell) -> None:
    shell("build")
    (shell.folder / "out/.ibgen").mkdir()
    (shell.folder / "out/.ibgen/journal.json").write_text("{}")
    code, out, err = shell("prove")
    assert (code, out) == (2, "")
    assert "a build into out was interrupted" in err


def test_prove_names_what_it_skips_and_fails_only_where_required(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("build")
    monkeypatch.setenv("PATH", str(shell.folder))
    monkeypatch.setattr("ibgen.cli.doctor.SBIN", ())
    code, out, err = shell("prove", "--only", "opensm")
    assert code == 0
    assert out.startswith("opensm  skipped  missing: ")
    assert "help: apt-get install " in out
    assert err == "next: less out/README.md\n"
    for required in ("opensm", "all", "terraform"):  # the lab has no cloud: required, but there is nothing to prove
        code, _, err = shell("prove", "--only", "opensm", "--require", required)
        assert code == 2
        assert "required but not proved: " in err
    code, out, _ = shell("prove", "--only", "opensm", "--format", "json")
    assert json.loads(out)["programs"][0]["status"] == "skipped"


def test_prove_of_an_unknown_program_or_a_damaged_tree(shell: Shell) -> None:
    shell("build")
    assert "the programs are opensm, slurm" in shell("prove", "--only", "slrm")[2]
    (shell.folder / "out/expect.json").write_text("{")
    code, out, err = shell("prove")
    assert (code, out) == (2, "")
    assert "expect.json" in err


def test_every_verb_has_its_own_module() -> None:
    folder = Path(start.__file__).parent
    assert all((folder / f"{verb}.py").is_file() for verb in VERBS)
