"""Listings of a build and of proofs."""

from __future__ import annotations

import json

from ibgen.diagnostics import Severity, declare
from ibgen.prove.verdict import Check, judged, skipped
from ibgen.render.page import codes_text, page_text
from ibgen.render.tree import FileChange, size, tree_summary, tree_text
from ibgen.render.verdicts import verdicts_github, verdicts_json, verdicts_text

CHANGES = [
    FileChange("slurm/topology.conf", "update", 4096),
    FileChange("README.md", "create", 812),
    FileChange("opensm/old.conf", "delete"),
    FileChange("ansible/inventory.yml", "same", 99_960),
]


def test_the_tree_is_listed_by_path_with_marks_and_sizes() -> None:
    assert tree_text("out", CHANGES) == (
        "out/\n"
        "+ README.md               812 B\n"
        "= ansible/inventory.yml  100 kB\n"
        "- opensm/old.conf\n"
        "~ slurm/topology.conf    4.1 kB\n"
    )
    assert tree_summary(CHANGES) == "1 new, 1 changed, 1 deleted, 1 unchanged"


def test_many_unchanged_files_are_one_line() -> None:
    many = [FileChange(f"sim/{n:03}", "same", 1) for n in range(200)]
    assert tree_text("out/", [*many, CHANGES[0]]) == "out/\n~ slurm/topology.conf  4.1 kB\n= 200 files as they were\n"


def test_sizes_are_decimal() -> None:
    assert [size(n) for n in (0, 999, 1000, 99_949, 1_000_000, 2_500_000_000)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "99.9 kB",
        "1.0 MB",
        "2.5 GB",
    ]


VERDICTS = (
    judged("opensm", "3.3.23", [Check("subnet up", True, ""), Check("P_Keys", True, "300 of 1020")]),
    judged("slurmctld", "22.05.8", [
        Check("accepts the topology", False, "error: Invalid line\nline two", "slurm/topology.conf", 7),
        Check("block plugin", False, "needs slurmctld >= 23.11", skipped=True),
        Check("nodes", True, ""),
    ]),
    skipped("terraform", "terraform is not on PATH", "install it"),
)  # fmt: skip


def test_verdicts_name_what_failed_and_the_remedy_of_what_was_skipped() -> None:
    assert verdicts_text(VERDICTS) == (
        "opensm 3.3.23      passed   2 checks\n"
        "  ok      subnet up\n"
        "  ok      P_Keys: 300 of 1020\n"
        "slurmctld 22.05.8  failed   2 of 3 checks\n"
        "  failed  accepts the topology: slurm/topology.conf:7: error: Invalid line\n"
        "      line two\n"
        "  skipped block plugin: needs slurmctld >= 23.11\n"
        "  ok      nodes\n"
        "terraform          skipped  terraform is not on PATH\n"
        "  help: install it\n"
    )


def test_what_was_not_judged_is_a_note_and_never_ok() -> None:
    """`ok ... not judged: ar_updn as updn` read as if adaptive routing had been proved."""
    checks = [Check("projection", True, "not judged: ar_updn as updn", note=True), Check("subnet up", True, "")]
    verdict = judged("opensm", "3.3.23", checks)
    assert verdicts_text([verdict]) == (
        "opensm 3.3.23  passed   1 check, 1 note\n"
        "  note    projection: not judged: ar_updn as updn\n"
        "  ok      subnet up\n"
    )  # fmt: skip
    assert [c["status"] for c in json.loads(verdicts_json([verdict]))["programs"][0]["checks"]] == ["note", "passed"]


def test_verdicts_as_json_tell_skipped_from_passed() -> None:
    programs = json.loads(verdicts_json(VERDICTS))["programs"]
    assert [p["status"] for p in programs] == ["passed", "failed", "skipped"]
    assert [c["status"] for c in programs[1]["checks"]] == ["failed", "skipped", "passed"]
    assert programs[1]["checks"][0]["line"] == 7


def test_a_failed_proof_annotates_the_file_in_the_tree() -> None:
    first, second = verdicts_github(VERDICTS, "out/").splitlines()
    assert first == (
        "::error file=out/slurm/topology.conf,line=7,title=slurmctld%3A accepts the topology::error: Invalid line%0Aline two"
    )
    assert second.startswith("::notice title=terraform skipped::terraform is not on PATH%0Ahelp: install it")


def test_a_page_has_its_examples_indented() -> None:
    code = declare(
        "IBG201", "leaf-oversubscribed", Severity.ERROR, "One line.\n\nWhy.\n\nBad:\n    a: 1\n\n    b: 2\n\nGood:\n    a: 2\n"
    )
    text = page_text(code)
    assert text.startswith(
        "IBG201 leaf-oversubscribed (error)\n\nOne line.\n\nWhy.\n\nBad:\n    a: 1\n\n    b: 2\n\nGood:\n    a: 2\n\n"
    )
    assert codes_text([code]) == "IBG201  leaf-oversubscribed  error  One line.\n"
