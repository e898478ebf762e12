"""The forms that programs read: JSON against its schema, SARIF's required fields, the runner's own unescaping."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgen import assets
from ibgen.diagnostics import Diagnostic, Report, Severity, Span, declare
from ibgen.render.github import report_github
from ibgen.render.json import report_json
from ibgen.render.sarif import report_sarif

CODE = declare("IBG201", "leaf-oversubscribed", Severity.ERROR, "Too much.\n\nWhy.\n\nBad:\n    a: 1\n\nGood:\n    a: 2\n")
OTHER = declare("IBG105", "other", Severity.WARNING, "Other.")
SCHEMA = json.loads((assets.schemas() / "report.schema.json").read_text())

ERROR = Diagnostic(
    CODE, Severity.ERROR, "5 leaves: 1.67:1, 100% of them", ("fabrics", 0, "topology"), Span("my specs/c.yaml", 2, 6, 2, 8),
    "here",
    ((Span("my specs/c.yaml", 1, 1, 1, 2), "there"),), "do\nthis", (("down", 40), ("rate", "16 Tb/s"), ("ratio", 1.5)),
)  # fmt: skip
HUSHED = replace(ERROR, reason="known, fixed in March")
WARNING = Diagnostic(OTHER, Severity.WARNING, "odd", None, Span("my specs/c.yaml", 0))
REPORT = Report((WARNING, ERROR), (HUSHED,), {"my specs/c.yaml": "a: 1\nx: 😀: b\n"})

spans = st.builds(Span, st.text(max_size=5), *[st.integers(-2, 9)] * 4)
texts = st.text(st.characters() | st.sampled_from("\n\r%:,\x1b\ud800"), max_size=20)
reports = st.lists(
    st.builds(
        Diagnostic, st.sampled_from([CODE, OTHER]), st.sampled_from(Severity), texts, st.none() | st.just(("a", 1)), spans,
        texts,
        st.lists(st.tuples(spans, texts), max_size=2).map(tuple), texts,
        st.lists(st.tuples(texts, texts | st.integers() | st.floats()), max_size=2).map(tuple),
    ),
    max_size=3,
).map(lambda found: Report(tuple(found), tuple(replace(d, reason="r") for d in found), {"": "x"}))  # fmt: skip


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_json_says_everything() -> None:
    document = json.loads(report_json(REPORT))
    jsonschema.validate(document, SCHEMA)
    assert document["summary"] == {"error": 1, "warning": 1, "note": 0, "suppressed": 1}
    d = document["diagnostics"][1]
    assert d["path"] == ["fabrics", 0, "topology"]
    assert d["span"] == {"file": "my specs/c.yaml", "line": 2, "column": 6, "end_line": 2, "end_column": 8}
    assert d["facts"] == {"down": 40, "rate": "16 Tb/s", "ratio": 1.5}
    assert document["suppressed"][0]["reason"] == "known, fixed in March"


def test_numpy_numbers_in_paths_and_facts_are_plain_in_json() -> None:
    d = replace(
        ERROR, path=("cables", np.int64(7)), facts=(("ports", np.int32(64)), ("rate", np.float64(1.5)), ("r", float("inf")))
    )
    got = json.loads(report_json(Report((d,))))["diagnostics"][0]
    assert (got["path"], got["facts"]) == (["cables", 7], {"ports": 64, "rate": 1.5, "r": "inf"})


def test_the_schema_refuses_what_it_does_not_know() -> None:
    document = json.loads(report_json(REPORT))
    document["diagnostics"][0]["surprise"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


@given(reports)
def test_any_report_is_valid_json_of_the_schema(report: Report) -> None:
    text = report_json(report)
    text.encode()
    jsonschema.validate(json.loads(text), SCHEMA)


def check_sarif(log: dict) -> dict:
    """What SARIF 2.1.0 requires of the objects used here (its sections 3.13, 3.14, 3.27 to 3.30, 3.35, 3.49)."""
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert rule["help"]["text"]
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert result["message"]["text"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert all(s["kind"] in ("inSource", "external") for s in result["suppressions"])
        for location in [*result["locations"], *result.get("relatedLocations", [])]:
            physical = location["physicalLocation"]
            assert re.fullmatch(r"[A-Za-z0-9%/._~:-]+", physical["artifactLocation"]["uri"])
            region = physical.get("region", {"startLine": 1})
            assert all(value >= 1 for value in region.values())
            start = (region["startLine"], region.get("startColumn", 1))
            assert (region.get("endLine", start[0]), region.get("endColumn", start[1])) >= start
    return run


def test_sarif_has_rules_regions_related_places_and_suppressions() -> None:
    run = check_sarif(json.loads(report_sarif(REPORT, "1.2.3")))
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["IBG105", "IBG201"]
    assert "helpUri" not in run["tool"]["driver"]["rules"][1]
    assert "```yaml\na: 1\n```" in run["tool"]["driver"]["rules"][1]["help"]["markdown"]
    odd, error, hushed = run["results"]
    assert "region" not in odd["locations"][0]["physicalLocation"]
    assert error["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "my%20specs/c.yaml"
    assert error["relatedLocations"][0]["message"]["text"] == "there"
    assert (error["suppressions"], hushed["suppressions"][0]["justification"]) == ([], "known, fixed in March")
    assert "do\nthis" in error["message"]["text"]


def test_sarif_columns_are_utf16_units() -> None:
    """Column 6 of `x: 😀: b` is its sixth character, and the emoji before it is two UTF-16 units."""
    run = check_sarif(json.loads(report_sarif(REPORT, "1.2.3")))
    assert run["columnKind"] == "utf16CodeUnits"
    assert run["results"][1]["locations"][0]["physicalLocation"]["region"] == {"startLine": 2, "startColumn": 7, "endColumn": 9}


@given(reports)
def test_any_report_is_sarif(report: Report) -> None:
    text = report_sarif(report, "1.2.3")
    text.encode()
    check_sarif(json.loads(text))


def runner_reads(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner reads it (actions/runner, src/Runner.Common/ActionCommand.cs)."""
    command, _, data = line.removeprefix("::").partition("::")
    name, _, properties = command.partition(" ")

    def plain(text: str, *escapes: tuple[str, str]) -> str:
        for char, escape in escapes:
            text = text.replace(escape, char)
        return text.replace("%25", "%")

    breaks = (("\r", "%0D"), ("\n", "%0A"))
    pairs = (p.split("=", 1) for p in properties.split(",") if p)
    return name, {k: plain(v, *breaks, (":", "%3A"), (",", "%2C")) for k, v in pairs}, plain(data, *breaks)


def test_github_annotations_point_at_the_line() -> None:
    odd, error = report_github(REPORT).splitlines()
    assert error.startswith(
        "::error file=my specs/c.yaml,line=2,col=6,endColumn=8,title=IBG201 leaf-oversubscribed::5 leaves: "
    )
    assert "100%25" in error
    assert runner_reads(odd)[:2] == ("warning", {"file": "my specs/c.yaml", "title": "IBG105 other"})
    assert runner_reads(error)[2].splitlines()[:2] == ["5 leaves: 1.67:1, 100% of them", "here"]


@given(reports)
def test_no_text_breaks_out_of_its_github_command(report: Report) -> None:
    lines = report_github(report).split("\n")[:-1]
    assert len(lines) == len(report.diagnostics)
    for line, d in zip(lines, report.diagnostics, strict=True):
        name, properties, data = runner_reads(line)
        assert name in ("error", "warning", "notice")
        assert set(properties) <= {"file", "line", "col", "endLine", "endColumn", "title"}
        assert properties["title"] == f"{d.code.id} {d.code.name}"
        assert data.endswith(f"more: ibgen explain {d.code.id}")
