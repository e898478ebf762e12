"""Loading a spec: every mistake at once, each at its own place, with a hint; a good spec is a fixed point of `show spec`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgen import assets, source, spec
from ibgen.diagnostics import Finding
from ibgen.spec import ClusterSpec

HEAD = 'ibgen: 1\ncluster: lab\npools: [{name: gpu, hosts: "n[1-4]", platform: dgx-h100}]\n'


def load(text: str) -> tuple[ClusterSpec | None, tuple[Finding, ...], source.Document]:
    document, found = source.parse(text, "cluster.yaml")
    assert not found, found
    cluster, findings = spec.load(document)
    return cluster, findings, document


def lines(text: str) -> list[tuple[str, int, str]]:
    """(code, line, marked text) of every finding."""
    _, findings, document = load(text)
    result = []
    for f in findings:
        assert isinstance(f.at, tuple)
        span = document.span(f.at, f.on)
        marked = text.splitlines()[span.line - 1][span.column - 1 :]
        result.append((f.code.name, span.line, marked))
    return result


@pytest.mark.parametrize(
    ("tail", "code", "marked", "hint"),
    [
        ("slurms: {version: '24.11'}", "unknown-key", "slurms", "did you mean `slurm`?"),
        ("slurm: {version: '24.11', topologie: tree}", "unknown-key", "topologie", "did you mean `topology`?"),
        ("slurm: {topology: tree}", "missing-key", "slurm", "for example `version"),
        ("slurm: {version: '24.11', topology: trees}", "unknown-kind", "trees", "did you mean `tree`?"),
        ("slurm: [tree]", "wrong-type", "[tree]", "for example"),
        ("slurm:", "wrong-type", "slurm", "leave `slurm` out"),
        ("requirements: {pcie_match: eighty}", "bad-value", "eighty", "for example `pcie_match: 0.8`"),
        ("requirements: {exposed_communication: 1.5}", "bad-value", "1.5", "for example"),
        ("bindings: ../../etc/passwd", "bad-value", "../../etc/passwd", "for example"),
        ("bindings: /etc/passwd", "bad-value", "/etc/passwd", "for example"),
        ("fabrics: [{name: f, control: {kind: opensm}, topology: {kind: fat-treee}}]", "unknown-kind", "fat-treee", "fat-tree"),
        ("fabrics: [{name: f, control: {kind: opensm}, topology: {leaf: x}}]", "missing-key", "topology", "`opaque`"),
        ("fabrics: [{name: f, control: {kind: opensm}, topology: fat-tree}]", "wrong-type", "fat-tree", ""),
    ],
)
def test_one_mistake_is_one_finding_on_its_own_text(tail: str, code: str, marked: str, hint: str) -> None:
    """needs 33, 36, 37, 43: no wall of errors from unions, a null is a located error, a hint says what to write."""
    _, findings, _ = load(HEAD + tail + "\n")
    found = lines(HEAD + tail + "\n")
    assert [(c, n) for c, n, _ in found] == [(code, 4)]
    assert found[0][2].startswith(marked)
    assert hint in findings[0].hint


def test_all_mistakes_of_a_spec_come_at_once() -> None:
    text = HEAD + "slurm: {version: x, topology: y, fabrik: z}\nnccl: {version: q}\ncolour: red\n"
    assert [line for _, line, _ in sorted(lines(text), key=lambda x: x[1])] == [4, 4, 4, 5, 6]


@pytest.mark.parametrize(
    "hostile",
    [
        "a\nb",
        "a;b",
        'a"b',
        "a'b",
        "../x",
        "a/b",
        "$(id)",
        "`id`",
        "${x}",
        "%{if}",
        "a b",
        "-rf",
        ".",
        "a..b",
        "",
        "é",
        "x" * 64,
    ],
)
def test_names_can_break_no_target_format(hostile: str) -> None:
    for place in ("cluster: {}", "pools: [{{name: {}, hosts: n1, platform: dgx-h100}}]"):
        text = "ibgen: 1\n" + place.format(json.dumps(hostile)) + "\n"
        text += "cluster: lab\n" if place.startswith("pools") else "pools: [{name: gpu, hosts: n1, platform: dgx-h100}]\n"
        cluster, findings, _ = load(text)
        assert cluster is None
        assert findings


@pytest.mark.parametrize("hostile", ["x\ny", "a'b", 'a"b', "a;b", "$x", "a\\b", "a`b", "{x}", "a\u2028b", "\x7f"])
def test_free_text_can_break_no_target_format(hostile: str) -> None:
    text = HEAD + 'slurm: {version: "24.11", features: [' + json.dumps(hostile) + "]}\n"
    document, parsed = source.parse(text, "x")
    assert parsed or spec.load(document)[1]


def test_scalars_mean_what_they_look_like() -> None:
    """`0x8001`, `175e9`, `no` and `24.11` are right unquoted; a P_Key is compared on its low 15 bits."""
    cluster, findings, _ = load(
        "ibgen: 1\ncluster: lab\npools: [{name: gpu, hosts: n1, platform: dgx-h100, schedulable: no}]\n"
        "fabrics: [{name: f, control: {kind: opensm}, topology: {kind: opaque},"
        " partitions: [{name: a, pkey: 0x8001, members: [{pool: gpu, membership: full}]}]}]\n"
        "workloads: [{name: w, parameters: 175e9}]\nslurm: {version: 24.11}\n"
    )
    assert not findings
    assert cluster is not None
    assert cluster.pools[0].schedulable is False
    assert cluster.fabrics[0].partitions[0].pkey == 1
    assert cluster.workloads[0].parameters == 175e9
    assert cluster.slurm is not None
    assert cluster.slurm.version == "24.11"


@pytest.mark.parametrize(
    ("tail", "names"),
    [
        ("nccl: {version: '2.27', pools: {gpus: {}}}", ["gpus"]),
        ("slurm: {version: '24.11', fabric: compute}", ["compute"]),
        ("slurm: {version: '24.11', partitions: [{name: a, hosts: 'n[3-6]'}]}", ["n5", "n6"]),
        ("fabrics: [{name: f, control: {kind: opensm, hosts: [sm-1]}, topology: {kind: opaque}}]", ["sm-1"]),
        ("requirements: {oversubscription: {storage: 2}}", ["storage"]),
        ("workloads: [{name: w, parameters: 1e9, pool: cpu}]", ["cpu"]),
    ],
)
def test_a_name_that_nothing_bears_is_located(tail: str, names: list[str]) -> None:
    _, findings, _ = load(HEAD + tail + "\n")
    assert [f.code.name for f in findings] == ["unknown-reference"]
    assert all(f"`{n}`" in findings[0].message for n in names)


def test_a_host_in_two_pools_names_both_places() -> None:
    """needs 20, 44: the first definition must not win silently."""
    pools = '  - {name: a, hosts: "n[1-4]", platform: x}\n  - {name: b, hosts: "n[4-5]", platform: x}\n'
    text = f"ibgen: 1\ncluster: lab\npools:\n{pools}"
    _, findings, document = load(text)
    assert [f.code.name for f in findings] == ["duplicate-host"]
    assert document.span(findings[0].at).line == 5
    assert document.span(findings[0].labels[0].at).line == 4


@pytest.mark.parametrize("path", sorted(assets.examples().glob("*.yaml")), ids=lambda p: p.stem)
def test_show_spec_is_a_fixed_point(path: Path) -> None:
    """needs 42: expanding twice changes nothing."""
    if path.name.count(".") > 1:
        pytest.skip("a companion, not a spec")
    cluster, _, _ = load(path.read_text())
    assert cluster is not None
    text = spec.to_yaml(cluster)
    again, findings, _ = load(text)
    assert not findings
    assert again == cluster
    assert spec.to_yaml(again) == text


KEYS = ["name", "kind", "hosts", "pools", "fabrics", "topology", "leaf", "cloud", "provider", "slurm", "ibgen", "x"]
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(data=st.dictionaries(st.sampled_from([*ClusterSpec.model_fields, "x"]), anything, max_size=6))
def test_no_data_makes_loading_raise(data: dict[str, Any]) -> None:
    """JSON is YAML: whatever the shape, there is a spec or a finding with a place."""
    document, found = source.parse(json.dumps(data), "x")
    cluster, findings = spec.load(document)
    assert cluster is not None or found or findings
    for f in findings:
        assert isinstance(f.at, tuple)
        assert document.span(f.at, f.on).line >= 1
