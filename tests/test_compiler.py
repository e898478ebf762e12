"""The journey: a pass that failed stops what needs it and nothing else; companions are read and located in their own files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import assets, compiler
from ibgen.diagnostics import Severity

LAB = (assets.examples() / "lab.yaml").read_text()


def compile_text(tmp_path: Path, text: str, **files: str) -> tuple[compiler.Compilation, compiler.Report]:
    for name, content in files.items():
        (tmp_path / name.replace("__", ".")).write_text(content)
    path = tmp_path / "lab.yaml"
    path.write_text(text)
    return compiler.compile(compiler.Input(path))


def test_findings_of_all_passes_come_together(tmp_path: Path) -> None:
    """A wrong IPoIB MTU, two default Slurm partitions and a missing catalog model are one report."""
    text = LAB.replace("mtu: 2048", "mtu: 5").replace("gpu: A100-80G", "gpu: A100-80X")
    text = text.replace(
        'version: "22.05"', 'version: "22.05"\n  partitions: [{name: a, default: true}, {name: b, default: true}]'
    )
    names = {d.code.name for d in compile_text(tmp_path, text)[1].diagnostics}
    assert {"ipoib-mtu", "slurm-several-defaults"} <= names
    assert len(names) >= 3


def test_a_finding_in_an_overlay_points_into_the_overlay(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text(LAB)
    (tmp_path / "prod.yaml").write_text("slurm:\n  version: '22.05'\n  partitions: [{name: default}]\n")
    _, report = compiler.compile(compiler.Input(tmp_path / "lab.yaml", (tmp_path / "prod.yaml",)))
    found = next(d for d in report.diagnostics if d.code.name == "partition-called-default")
    assert Path(found.span.file).name == "prod.yaml"
    assert found.span.line == 3


def test_a_finding_in_a_site_file_points_into_the_site_file(tmp_path: Path) -> None:
    _, report = compile_text(tmp_path, LAB + "site: s.yaml\n", s__yaml="racks:\n  - {nam: A01}\n")
    found = [d for d in report.diagnostics if d.severity is Severity.ERROR]
    assert {(Path(d.span.file).name, d.span.line) for d in found} == {("s.yaml", 2)}


def test_a_missing_companion_is_located(tmp_path: Path) -> None:
    _, report = compile_text(tmp_path, LAB + "bindings: nowhere.csv\n")
    found = next(d for d in report.diagnostics if d.code.name == "unreadable-companion")
    assert found.span.line == len(LAB.splitlines()) + 1


def test_own_catalog_rows_are_used(tmp_path: Path) -> None:
    row = "switches: [{id: our-switch, fabric: infiniband, generation: HDR, radix: 40, rate_gbps: 200, cages: 40}]\n"
    text = LAB.replace("qm8700", "our-switch") + "catalog: [ours.yaml]\n"
    c, report = compile_text(tmp_path, text, ours__yaml=row)
    assert c.fabric is not None, [d.message for d in report.diagnostics]
    assert c.fabric.subnets[0].models[0].id == "our-switch"


def test_synthetic_guids_become_an_error_on_request(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text(LAB)
    _, report = compiler.compile(compiler.Input(tmp_path / "lab.yaml", require_bindings=True))
    assert [d.code.name for d in report.diagnostics if d.severity is Severity.ERROR] == ["synthetic-guids"]


def test_build_with_errors_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text(LAB.replace("mtu: 2048", "mtu: 5"))
    report, plan = compiler.build(compiler.Input(tmp_path / "lab.yaml"), tmp_path / "out")
    assert plan is None
    assert report.reaches(Severity.ERROR)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("reason", ["measured on our OpenSM", ""])
def test_a_finding_is_silenced_only_with_a_reason(tmp_path: Path, reason: str) -> None:
    text = LAB.replace("mtu: 2048}", f"mtu: 5}}  # ibgen: ignore[IBG319] {reason}".rstrip())
    _, report = compile_text(tmp_path, text)
    assert any(d.code.id == "IBG319" for d in report.diagnostics) is not bool(reason)
    assert any(d.code.id == "IBG319" and d.reason == reason for d in report.suppressed) is bool(reason)


def test_the_public_functions_are_the_command_lines(tmp_path: Path) -> None:
    import ibgen

    path = tmp_path / "lab.yaml"
    path.write_text(LAB)
    cluster, report = ibgen.load(path)
    assert cluster is not None
    assert cluster.cluster == "lab"
    assert ibgen.check(str(path)) == report
    report, plan = ibgen.build(path, tmp_path / "out")
    assert plan is not None
    assert (tmp_path / "out" / "ibgen.manifest.json").is_file()
    assert ibgen.build(path, tmp_path / "out", check=True)[1].stale is False  # type: ignore[union-attr]
    assert ibgen.simulation(path) is not None
    with pytest.raises(AttributeError):
        _ = ibgen.nothing
