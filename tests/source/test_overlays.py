"""Overlays: what they change, and that every value still knows the file and line it came from."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.diagnostics import Finding, Severity
from ibgen.source import Document, parse

BASE = """\
cluster: pod-a
pools:
  - name: gpu
    hosts: dgx-[001-127]
    sriov: {vfs: 8}
  - name: ufm
    hosts: ufm-[01-02]
requirements:
  oversubscription: 1.0
  list: [a, b]
bindings: pod-a.csv
"""


def over(*texts: str, base: str = BASE) -> tuple[Document, list[Finding]]:
    document, findings = parse(base, "base.yaml", [(f"o{i}.yaml", t) for i, t in enumerate(texts, 1)])
    return document, list(findings)


def at(document: Document, *path: Any) -> str:
    span = document.span(path)
    return f"{span.file}:{span.line}:{span.column}"


def data(document: Document) -> dict[str, Any]:
    assert document.data is not None
    return document.data


def test_mappings_merge_and_every_value_keeps_its_file() -> None:
    document, findings = over("requirements:\n  oversubscription: 2.0\n  pcie_match: 0.8\n")
    assert findings == []
    assert data(document)["requirements"] == {"oversubscription": "2.0", "list": ["a", "b"], "pcie_match": "0.8"}
    assert at(document, "requirements", "oversubscription") == "o1.yaml:2:21"
    assert at(document, "requirements", "pcie_match") == "o1.yaml:3:15"
    assert at(document, "requirements", "list", 1) == "base.yaml:10:13"
    assert document.span(("requirements", "oversubscription"), "key").file == "o1.yaml"


def test_lists_of_named_mappings_merge_by_name_and_new_ones_follow() -> None:
    document, findings = over("pools:\n  - name: storage\n    hosts: s1\n  - name: gpu\n    sriov: {vfs: 16}\n")
    assert findings == []
    assert [p["name"] for p in data(document)["pools"]] == ["gpu", "ufm", "storage"]
    assert data(document)["pools"][0] == {"name": "gpu", "hosts": "dgx-[001-127]", "sriov": {"vfs": "16"}}
    assert at(document, "pools", 0, "hosts") == "base.yaml:4:12"
    assert at(document, "pools", 0, "sriov", "vfs") == "o1.yaml:5:18"
    assert at(document, "pools", 2, "hosts") == "o1.yaml:3:12"
    assert at(document, "pools", 2) == "o1.yaml:2:5"


def test_other_lists_are_replaced() -> None:
    document, findings = over("requirements: {list: [c]}\n")
    assert findings == []
    assert data(document)["requirements"]["list"] == ["c"]
    assert at(document, "requirements", "list", 0) == "o1.yaml:1:23"


def test_an_empty_list_empties() -> None:
    document, findings = over("pools: []\n")
    assert (findings, data(document)["pools"]) == ([], [])


def test_null_removes() -> None:
    document, findings = over("bindings: null\npools:\n  - name: gpu\n    sriov:\n")
    assert findings == []
    assert "bindings" not in data(document)
    assert data(document)["pools"][0] == {"name": "gpu", "hosts": "dgx-[001-127]"}


def test_removing_what_is_not_there_is_said_with_its_line() -> None:
    document, [finding] = over("cluster: pod-b\nbindins: null\n")
    assert (finding.code.id, finding.severity) == ("IBG016", Severity.WARNING)
    assert (finding.at.file, finding.at.line, finding.at.column) == ("o1.yaml", 2, 1)  # type: ignore[union-attr]
    assert data(document)["cluster"] == "pod-b"


def test_a_value_of_another_kind_is_a_finding_with_both_places_and_is_taken() -> None:
    document, [finding] = over("cluster: {name: b}\n")
    assert finding.code.id == "IBG015"
    assert (finding.at.file, finding.labels[0].at.file) == ("o1.yaml", "base.yaml")  # type: ignore[union-attr]
    assert data(document)["cluster"] == {"name": "b"}
    assert at(document, "cluster", "name") == "o1.yaml:1:17"


def test_overlays_are_laid_in_order() -> None:
    document, findings = over("cluster: b\n", "cluster: c\npools: [{name: ufm, hosts: x}]\n")
    assert findings == []
    assert data(document)["cluster"] == "c"
    assert at(document, "cluster") == "o2.yaml:1:10"
    assert at(document, "pools", 1, "hosts") == "o2.yaml:2:28"
    assert at(document, "pools", 0, "hosts") == "base.yaml:4:12"


def test_an_empty_overlay_is_a_warning_and_changes_nothing() -> None:
    document, [finding] = over("# nothing yet\n")
    assert (finding.code.id, finding.severity, finding.at.file) == ("IBG008", Severity.WARNING, "o1.yaml")  # type: ignore[union-attr]
    assert data(document)["cluster"] == "pod-a"


def test_a_broken_overlay_is_found_in_its_own_file_and_leaves_no_half_document() -> None:
    document, [finding] = over("cluster: 'b\n")
    assert (finding.code.id, finding.at.file, finding.at.line) == ("IBG005", "o1.yaml", 1)  # type: ignore[union-attr]
    assert document.data is None


def test_values_shared_by_an_alias_are_changed_in_one_place_only() -> None:
    base = "a: &x {k: 1, l: 2}\nb: *x\n"
    document, findings = over("b: {k: 3}\n", base=base)
    assert findings == []
    assert data(document) == {"a": {"k": "1", "l": "2"}, "b": {"k": "3", "l": "2"}}
    assert at(document, "a", "k") == "base.yaml:1:11"
    assert at(document, "b", "k") == "o1.yaml:1:8"


KEYS = st.sampled_from("abcd")
TREES = st.recursive(KEYS, lambda inner: st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)


def flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    return str(value)


def merged(base: Any, over: Any) -> Any:
    """RFC 7396 (JSON merge patch), whose rules these are where no null occurs."""
    if not isinstance(over, dict):
        return over
    out = dict(base) if isinstance(base, dict) else {}
    for key, value in over.items():
        out[key] = merged(out.get(key), value)
    return out


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(KEYS, TREES, min_size=1), st.dictionaries(KEYS, TREES, min_size=1))
def test_mappings_merge_as_rfc_7396_says(base: dict[str, Any], patch: dict[str, Any]) -> None:
    document, _ = over(flow(patch), base=flow(base))
    assert document.data == merged(base, patch)
    assert over(flow(base), base=flow(base))[0].data == base
