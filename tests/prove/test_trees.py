"""The real programs accept every reviewed example, by the same code that `ibgen prove` runs.

With IBGEN_REQUIRE_REFEREES set (CI) an absent program is a failure; elsewhere it is named and skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tfoffline.mirror import offline_environment

from ibgen import assets, compiler, prove

REQUIRED = bool(os.environ.get("IBGEN_REQUIRE_REFEREES"))
PROVED = (
    "lab", "azure-burst", "tenants", "ha", "qos", "sriov", "rail-only", "multi-plane", "dragonfly-plus", "roce",
    "superpod-h100",
)  # fmt: skip


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {**os.environ, **offline_environment(tmp_path_factory.mktemp("mirror"))}


@pytest.mark.slow
@pytest.mark.parametrize("program", ["opensm", "slurm", "terraform", "nccl"])
@pytest.mark.parametrize("name", PROVED)
def test_example_passes_the_real_program(name: str, program: str, tmp_path: Path, environment: dict[str, str]) -> None:
    report, plan = compiler.build(compiler.Input(assets.examples() / f"{name}.yaml"), tmp_path)
    assert plan is not None, [d.message for d in report.diagnostics]
    verdicts = prove.run(tmp_path, environment, (program,))
    if not verdicts:
        pytest.skip(f"the tree of {name} holds nothing for {program}")
    (verdict,) = verdicts
    failed = [(c.name, c.detail) for c in verdict.checks if not c.passed]
    assert verdict.status != "failed", failed
    if verdict.status == "skipped":
        assert not REQUIRED, f"{program} is required here: {verdict.reason}; {verdict.remedy}"
        pytest.skip(f"{program}: {verdict.reason}; {verdict.remedy}")
    assert verdict.checks, "a proof checks something"


@pytest.mark.slow
@pytest.mark.slurm
def test_jobs_of_one_and_two_units_stay_inside_them(tmp_path: Path, environment: dict[str, str]) -> None:
    """slurm.md 1: rail leaves as switches refuse `-N64`; units place `-N32 --switches=1` inside one SU."""
    compiler.build(compiler.Input(assets.examples() / "superpod-h100.yaml"), tmp_path)
    (verdict,) = prove.run(tmp_path, environment, ("slurm",))
    if verdict.status == "skipped":
        pytest.skip(verdict.remedy)
    placed = [c for c in verdict.checks if "--switches=1" in c.name + c.detail or "--switches=2" in c.name + c.detail]
    assert placed, [c.name for c in verdict.checks]
    assert all(c.passed for c in placed)
