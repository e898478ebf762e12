"""The models against public measurements. Limits are what was aimed at; misses are named here with their reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ibgen.catalog import standard
from ibgen.catalog.calibration import measurements, training_runs
from ibgen.simulate.accuracy import BAND, collectives, training

CATALOG = standard()
ROWS = collectives(CATALOG) + training(CATALOG)

MISSED = {
    "c03": "NCCL's own model overrates NVLS before 2.28, which brought an efficiency for it",
    "t01": "0.6 of peak is one value for all; this run reached less than the same model in the SC21 paper",
    "t02": "as t01",
}

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_row_of_the_catalog_is_reported() -> None:
    assert {c.row for c in ROWS} == {r.id for r in measurements(CATALOG)} | {r.id for r in training_runs(CATALOG)}


@pytest.mark.parametrize("row", [c for c in ROWS if c.counted], ids=lambda c: c.row)
def test_a_counted_row_is_within_the_band_or_a_known_miss(row: object) -> None:
    c = next(r for r in ROWS if r is row)
    assert c.error is not None
    assert (abs(c.error) <= BAND) != (c.row in MISSED), f"{c.row}: {c.error:+.1%}"


def test_two_adapters_down_to_one_is_told_from_a_healthy_cluster() -> None:
    """nccl issue 527: all channels on NET 0; the cluster is slower than the model allows a healthy one to be."""
    degraded = [c for c in ROWS if c.row in {r.id for r in measurements(CATALOG) if r.kind == "degraded"}]
    assert degraded
    assert {c.verdict for c in degraded} == {"below expected"}


def test_a_row_that_is_not_counted_says_why() -> None:
    assert all(c.why for c in ROWS if c.verdict == "not counted")
    assert all(c.source for c in ROWS)


def test_the_committed_page_is_current() -> None:
    """`make docs` writes it."""
    sys.path.insert(0, str(DOCS))
    try:
        from accuracy import accuracy_page  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(DOCS))
    assert (DOCS / "accuracy.md").read_text(encoding="utf-8") == accuracy_page()
