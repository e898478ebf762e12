"""Plots: well-formed, deterministic, every mark inside the page, the right heights and colours."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ibgen.render.heat import MOST, SHADES, folded
from ibgen.render.plots import plots_svg
from ibgen.render.svg import WIDTH, Axis, px, round_ticks, shortened
from ibgen.simulate.failures import Sweep
from ibgen.simulate.heat import Heat

sys.path.insert(0, str(Path(__file__).parent))
import studies  # type: ignore[import-not-found]

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[2]
ANY = settings(max_examples=50, deadline=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow])


def drawn(**changes: object) -> ElementTree.Element:
    return ElementTree.fromstring(plots_svg(studies.simulated(studies.study(**changes))))


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(e.itertext()) for e in root.iter(f"{SVG}text")]


def test_every_plot_is_there_with_its_units() -> None:
    said = texts(drawn())
    for label in ("sending host", "flows on a directed link", "busbw, GB/s", "size of the collective", "GPUs of the job"):
        assert label in said
    assert "line rate of a host's adapters, 400 GB/s" in said
    assert "line rate of a GPU's share, 50.35 GB/s" in said
    assert "compute: links by load, permutation" in said
    assert "compute: links by load, all-to-all" in said


def test_bars_are_as_high_as_their_counts() -> None:
    """370 idle links, then 400, 200 and 54."""
    root = drawn(tiers=studies.TIERS[:1], heat=None, collectives=())
    bars = [e for e in root.iter(f"{SVG}rect") if e.get("class") is None]
    heights = [float(e.get("height", "0")) for e in sorted(bars, key=lambda e: float(e.get("x", "0")))]
    assert len(heights) == 4
    assert [h / heights[1] for h in heights] == pytest.approx([370 / 400, 1, 200 / 400, 54 / 400], abs=0.01)


def test_a_heat_map_paints_every_pair_that_sends() -> None:
    """Three hosts: six pairs at half of line rate, in runs; the diagonal is left open."""
    root = drawn()
    (path,) = root.iter(f"{SVG}path")
    assert path.get("fill") == SHADES[4]
    runs = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", path.get("d", ""))
    assert sum(int(length) for _, _, length, _ in runs) == 6
    assert ("1", "0", "2", "2") in runs


def test_a_thousand_hosts_are_folded_by_their_means() -> None:
    values = np.full((1024, 1024), np.nan)
    values[0, 1], values[1, 0] = 1.0, 0.5
    blocks, step = folded(values)
    assert (blocks.shape, step) == ((MOST, MOST), 4)
    assert blocks[0, 0] == 0.75
    assert np.isnan(blocks[1, 1])
    assert folded(np.zeros((257, 257)))[0].shape == (129, 129)


def test_a_map_on_which_all_pairs_have_their_part_is_a_sentence() -> None:
    whole = replace(studies.heat(), values=np.where(np.eye(3) > 0, np.nan, 1.0))
    root = drawn(heat=whole, tiers=(), collectives=())
    assert "all pairs, static tables: every pair of hosts gets its equal part of line rate" in texts(root)
    assert not list(root.iter(f"{SVG}path"))


def test_a_map_says_how_far_it_spreads_and_leaves_a_common_domain_out() -> None:
    values = np.array([[np.nan, 0.25, 1.0], [0.5, np.nan, 0.5], [0.5, 0.5, np.nan]])
    named = Heat(("a.x.example", "b.x.example", "c.x.example"), "host", "all pairs", values, "static tables")
    said = texts(drawn(heat=named))
    assert any(text.endswith("least 0.2500, mean 0.5417") for text in said)
    assert said.count("b") == 2  # as sender and as receiver


def test_long_names_keep_the_end_where_they_differ() -> None:
    assert shortened("leaf-01", 17) == "leaf-01"
    short = shortened("cable:very-long-plane-name-leaf-u01-r3:37", 20)
    assert len(short) == 20
    assert short.startswith("cable:")
    assert short.endswith("leaf-u01-r3:37"[-13:])


def sweep(*losses: float, cut: int = 0) -> Sweep:
    first = studies.SWEEP.rows[0]
    rows = [
        replace(first, part=f"cable:leaf:{i}", loss=loss / 2, all_to_all_loss=loss, cut_pairs=100 if i < cut else 0)
        for i, loss in enumerate(losses)
    ]
    order = tuple(sorted(rows, key=lambda r: (-r.cut_pairs, -r.larger)))  # as a sweep gives them
    return replace(studies.SWEEP, rows=order, cases=len(rows), disconnecting=cut)


def test_a_sweep_is_a_falling_curve_and_bars_by_name() -> None:
    root = ElementTree.fromstring(plots_svg(studies.simulated(sweeps=(sweep(0.01, 0.04, 0.02),), scaling=())))
    (curve,) = root.iter(f"{SVG}polyline")
    heights = [float(point.split(",")[1]) for point in curve.get("points", "").split()]
    assert heights == sorted(heights)  # y grows downward: losses fall
    said = texts(root)
    bars = [e for e in root.iter(f"{SVG}rect") if e.get("class") is None]
    assert [text for text in said if text.startswith("cable:leaf:")] == ["cable:leaf:1", "cable:leaf:2", "cable:leaf:0"]
    widths = [float(e.get("width", "0")) for e in bars]
    assert [w / widths[0] for w in widths] == pytest.approx([1, 0.5, 0.25], abs=0.01)
    assert not any("cut endpoints off" in text for text in said)


def test_parts_that_cut_endpoints_off_have_bars_of_their_own() -> None:
    root = ElementTree.fromstring(plots_svg(studies.simulated(sweeps=(sweep(0.0, 0.0, 0.0, cut=2),), scaling=())))
    said = texts(root)
    assert "compute: cables that cut endpoints off" in said
    assert "compute: cables that cost most" not in said
    assert said.count("100, 0 hosts") == 2


def test_a_part_that_cuts_stands_before_one_that_costs_as_in_the_other_forms() -> None:
    """The cutting part loses least: it is the first point of the curve and the first bar all the same."""
    said_first = sweep(0.01, 0.3, 0.2, cut=1)
    root = ElementTree.fromstring(plots_svg(studies.simulated(sweeps=(said_first,), scaling=())))
    assert [r.part for r in said_first.rows] == [text for text in texts(root) if text.startswith("cable:leaf:")]
    (curve,) = root.iter(f"{SVG}polyline")
    heights = [float(point.split(",")[1]) for point in curve.get("points", "").split()]
    assert heights[0] == max(heights)  # y grows downward
    assert "15.0 %, 30.0 %" in texts(root)


@ANY
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.integers(0, 12))
def test_any_sweep_is_drawn_inside_the_page(losses: list[float], cut: int) -> None:
    root = ElementTree.fromstring(plots_svg(studies.simulated(sweeps=(sweep(*losses, cut=min(cut, len(losses))),))))
    for shape in (*root.iter(f"{SVG}rect"), *root.iter(f"{SVG}text"), *root.iter(f"{SVG}circle")):
        assert -1 <= float(shape.get("x", shape.get("cx", "0"))) <= WIDTH
        assert float(shape.get("width", "0")) >= 0


@pytest.mark.parametrize("low_high", [(0, 1), (0, 400), (0, 0.003), (7, 7), (0, 1e9), (3, 97)])
def test_ticks_are_round_and_cover(low_high: tuple[float, float]) -> None:
    low, high = low_high
    ticks = round_ticks(low, high)
    assert ticks[0] <= low
    assert ticks[-1] >= high * (1 - 1e-9)
    assert len(ticks) <= 9
    steps = {f"{b - a:.6g}".replace(".", "").strip("0") for a, b in pairwise(ticks)}
    assert steps <= {"1", "2", "5", "1e+08", "2e+08", "5e+08"}


def test_axes() -> None:
    assert Axis(8, 8 << 10, 0, 100, log=True).at(8 << 5) == pytest.approx(50)
    assert Axis(0, 10, 200, 0).at(10) == 0
    assert Axis(5, 5, 0, 100).at(5) == 50
    assert [px(v) for v in (1.0, 1.25, -0.01, 12.34)] == ["1", "1.2", "0", "12.3"]


@ANY
@given(st.lists(studies.studies, max_size=2))
def test_whatever_a_study_holds_is_drawn_inside_the_page(several: list[object]) -> None:
    root = ElementTree.fromstring(plots_svg(studies.simulated(*several)))
    height = float(root.get("height", "0"))
    for shape in (*root.iter(f"{SVG}rect"), *root.iter(f"{SVG}text")):
        assert -1 <= float(shape.get("x", "0")) <= WIDTH
        assert -1 <= float(shape.get("y", "0")) <= height
        assert float(shape.get("width", "0")) >= 0
    for line in root.iter(f"{SVG}polyline"):
        points = [float(n) for pair in line.get("points", "").split() for n in pair.split(",")]
        assert all(np.isfinite(points))


def test_markup_in_names_stays_text() -> None:
    whole = studies.simulated(studies.study(subnet='a<b>&"\x00\ufffe\ud800'))
    root = ElementTree.fromstring(plots_svg(whole).encode("utf-8"))
    assert any('a<b>&"' in text for text in texts(root))


def test_nothing_to_draw_says_so() -> None:
    bare = replace(studies.simulated(), scaling=())
    assert any("nothing to draw" in text for text in texts(ElementTree.fromstring(plots_svg(bare))))


@pytest.mark.parametrize("form", ["plots_svg", "simulation_json"])
def test_bytes_do_not_depend_on_the_hash_seed_or_the_locale(form: str) -> None:
    room = {"plots_svg": "plots", "simulation_json": "simulation_json"}[form]
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import studies; "
        f"from ibgen.render.{room} import {form}; "
        f"sys.stdout.buffer.write({form}(studies.simulated(studies.study())).encode())"
    )
    made = set()
    for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("77", "POSIX")):
        env = dict(os.environ) | {"PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONPATH": str(ROOT)}
        made.add(subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout)
    assert len(made) == 1
