"""`requirements.effective_bandwidth`: what is counted decides, what is declared is called so."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import catalog, compiler
from ibgen.catalog.adaptive import AdaptiveShare
from ibgen.diagnostics import Diagnostic, Severity

SPEC = """\
ibgen: 1
cluster: lab
pools: [{name: cpu, hosts: "n[001-256]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: NDR}]}}]
fabrics:
  - name: ib
    control: {kind: opensm, flavour: nvidia, version: "5.24", routing: [ENGINE]}
    topology: {kind: fat-tree, unit: 16, leaf: {switch: qm9700, downlinks: 16, uplinks: UP}, spine: {switch: qm9700}}
    attach: [{pool: cpu, hcas: all}]
requirements: {oversubscription: 4, effective_bandwidth: ASKED}
"""


def judged(engine: str, asked: str, up: int = 16) -> list[Diagnostic]:
    text = SPEC.replace("ENGINE", engine).replace("ASKED", asked).replace("UP", str(up))
    _, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))
    assert not [d for d in report.diagnostics if d.code.id.startswith("IBG0")]
    return [d for d in report.diagnostics if d.code.id == "IBG520"]


@pytest.mark.parametrize(
    ("engine", "asked", "said"),
    [
        ("ftree", "0.5", None),
        ("ftree", "0.88", Severity.ERROR),
        ("ar_updn", "0.5", None),
        ("ar_updn", "0.88", Severity.WARNING),
        ("ar_updn", "{ib: 0.95}", Severity.ERROR),
    ],
)
def test_a_declared_share_is_no_proof(engine: str, asked: str, said: Severity | None) -> None:
    """Static routes keep about 0.82 of random flows on two full tiers (Hoefler, Schneider, Lumsdaine 2008); the vendors' 0.92
    is declared and no document says how it was measured."""
    assert [d.severity for d in judged(engine, asked)] == ([said] if said else [])


def test_a_taper_is_not_passed_on_a_vendors_sentence() -> None:
    """Two to one: eight of sixteen hosts of a leaf send, and eight uplinks cannot be dealt to them without some meeting."""
    (said,) = judged("ar_updn", "0.7", up=8)
    assert said.severity is Severity.WARNING
    assert "only a declared, unverified share of adaptive routing" in said.message
    assert "static routes keep" in said.message
    assert "across the bisection" not in said.message
    assert dict(said.facts).keys() >= {"static routes", "adaptive routing"}


def test_a_site_can_state_what_it_measured_and_it_decides(tmp_path: Path) -> None:
    """An own row for adaptive routing, with a source, is no vendor's sentence any more."""
    (tmp_path / "own.yaml").write_text(
        "adaptive: [{id: infiniband, override: true, share: 0.8, source: our acceptance test of 2026-10}]\n"
    )
    row, findings = catalog.load((("own.yaml", (tmp_path / "own.yaml").read_text()),))
    assert not findings
    found = row.row("adaptive", "infiniband")
    assert isinstance(found, AdaptiveShare)
    assert found.share == 0.8
    assert not found.doubts("share")
    assert "acceptance test" in found.source
    shipped = catalog.standard().row("adaptive", "infiniband")
    assert isinstance(shipped, AdaptiveShare)
    assert shipped.doubts("share")
