"""Simulations as text, JSON and CSV: what a reader is told, and that nothing a simulation can hold breaks the form."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ibgen import assets
from ibgen.compiler import Input, compile
from ibgen.render.simulation import Allowed, figure, matching, only, patterns_of
from ibgen.render.simulation_csv import loads_csv, sweep_csv
from ibgen.render.simulation_json import simulation_json
from ibgen.render.simulation_text import simulation_text
from ibgen.render.training_text import line_rate, size
from ibgen.simulate.failures import FewerAdapters, LostHosts
from ibgen.simulate.link_loads import link_loads

sys.path.insert(0, str(Path(__file__).parent))  # the hand-made studies lie beside the tests
import studies  # type: ignore[import-not-found]

SCHEMA = jsonschema.Draft202012Validator(json.loads((assets.schemas() / "simulation.schema.json").read_text()))
ANY = settings(max_examples=50, deadline=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow])


def text_of(**changes: object) -> str:
    return simulation_text(studies.simulated(studies.study(**changes)))


def test_a_share_stands_beside_pattern_error_flows_seed_and_model() -> None:
    lines = text_of().splitlines()
    at = next(i for i, x in enumerate(lines) if x.startswith("  permutation"))
    line = lines[at]
    assert any(x == "  traffic: static tables" for x in lines[:at])
    assert line.split() == ["permutation", "0.6631", "0.0011", "7", "flows", "1,020", "100", "1"]


def test_lost_flows_and_samples_are_not_silent() -> None:
    assert "3 flows without a way; every 16th of 1,019 shifts" in text_of()


def test_the_fullest_cable_is_told_in_the_words_of_the_spec() -> None:
    text = text_of()
    assert "leaf-u01-r3 port 37 (19/1) -> spine-05 port 3 (2/1): 3 flows on 50 GB/s" in text
    assert "dgx-001/mlx5_3\xa0->\xa0dgx-070/mlx5_3" in text
    assert "and 1 more" in text


def verdict_of(**changes: object) -> str:
    """The first paragraph, without its line breaks."""
    return " ".join(text_of(**changes).split("\n\n")[0].split())


def test_figures_of_one_draw_are_not_taken_for_the_mean_of_all() -> None:
    """0.6631 is the mean of 100 draws with at most 7 flows on a link; rates, bounds and the worst cable are of draw 0."""
    text = verdict_of()
    assert "permutation 0.6631 ± 0.0011 (1,020 flows, 100 patterns, seed 1)" in text
    assert "adaptive permutation (pattern 0 alone) between 0.6631 (static)" in text
    assert "3 flows on 50 GB/s, 16.67 each; permutation, pattern 0 of seed 1 alone (fullest link of all 100: 7 flows)" in text
    alone = studies.RateResult("permutation", 10.0, 33.6, 50.0, 1020, (), "max-min fair", 0, 1)
    assert "permutation (pattern 0 alone) 33.6 (slowest 10)" in verdict_of(rates=(alone,))


def test_what_stands_in_brackets_behind_a_port_is_said_to_be_its_label() -> None:
    assert "leaf-u01-r3 port 37 (19/1 on the box) -> spine-05 port 3 (2/1 on the box)" in verdict_of()
    assert "in brackets the label on the box" in text_of()


def test_trees_stand_where_they_are_explained_and_not_in_the_verdict() -> None:
    trees = studies.PatternResult("rail trees", studies.STATIC, 4056, 1, None, 0.8, None, 5, 0, "NCCL's double tree")
    assert "rail trees" not in verdict_of(patterns=(trees, studies.PERMUTATION))
    assert "rail trees" in text_of(patterns=(trees, studies.PERMUTATION))


def test_adaptive_routing_is_a_pair_and_a_declared_figure_has_its_source() -> None:
    lines = [" ".join(line.split()) for line in text_of().splitlines()]
    at = lines.index("adaptive routing, share of line rate static tables fluid bound declared")
    assert lines[at + 1 : at + 3] == ["permutation (pattern 0 alone) 0.6631 1.0000 0.9200", "declared: a vendor"]


def test_background_classes_stand_beside_the_rates_they_leave() -> None:
    lines = [" ".join(line.split()) for line in text_of().splitlines()]
    assert "permutation 8.333 33.14 50 1,020 pattern 0 of seed 1, storage holds 10.0 % of every link" in lines


def test_exposed_communication_is_held_against_the_requirement() -> None:
    """1.18 s of 11.69 s are exposed."""
    text = " ".join(text_of().split())
    assert "exposed communication 10.1 % of the step, more than the 5.0 % that `requirements` allow" in text
    assert "moe: gpus: 7 GPUs are odd; gpus: 8" in text


def test_no_figure_has_more_than_four_significant_digits() -> None:
    """Counts stand with thousands apart; every other number with a point is a figure."""
    for number in re.findall(r"\d[\d,]*\.\d+", text_of(line_gbs=49.98765)):
        assert len(number.replace(",", "").replace(".", "").lstrip("0")) <= 5, number  # shares: 1.0000
    assert "49.99 GB/s" in text_of(line_gbs=49.98765)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.66312, "0.6631"),
        (33.142, "33.14"),
        (50, "50"),
        (123456, "123,500"),
        (0, "0"),
        (99999, "100,000"),
        (float("inf"), "-"),
    ],
)
def test_figures(value: float, shown: str) -> None:
    assert figure(value) == shown


@given(st.floats(1e-9, 1e15))
def test_a_figure_is_the_value_to_four_digits(value: float) -> None:
    assert float(figure(value).replace(",", "")) == pytest.approx(value, rel=5.1e-4)


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("ring", {"ring, host order", "ring, random order"}),
        ("ring-host-order", {"ring, host order"}),
        ("PERM", {"permutation"}),
        ("all-to-all", {"all-to-all"}),
        ("rings", set()),
        ("", set()),
    ],
)
def test_patterns_are_named_by_their_beginning(word: str, names: set[str]) -> None:
    known = ("permutation", "all-to-all", "ring, host order", "ring, random order", "rail rings")
    assert set(matching(word, known)) == names


def test_one_pattern_alone() -> None:
    s = only(studies.study(), ["all-to-all"])
    assert patterns_of([s]) == ()
    assert [t.pattern for t in s.tiers] == ["all-to-all"]
    assert s.worst == s.rates == s.bounds == ()


def test_line_rate_of_busbw() -> None:
    """nccl-tests' busbw of a ring is that of a host's adapters, of an all-to-all that of one rank: 8 GPUs on 8 x 50 GB/s. Of
    the 1,015 others that a rank sends to, 1,008 are on other hosts."""
    assert line_rate(studies.curve("all_reduce")) == 400
    assert line_rate(studies.curve("alltoall")) == pytest.approx(50 * 1015 / 1008)
    assert line_rate(studies.curve(line=0.0)) is None
    assert [size(n) for n in (8, 1 << 10, 8 << 20, 16 << 30, 1000)] == ["8 B", "1 KiB", "8 MiB", "16 GiB", "1,000 B"]


def test_colours_change_no_letter() -> None:
    whole = studies.simulated(
        studies.study(), failures=(studies.FAILURE,), sweeps=(studies.SWEEP,), allowed=(Allowed(0, "hca-leaf", 0.5),)
    )
    plain, painted = simulation_text(whole), simulation_text(whole, color=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == plain
    assert "\x1b[1;31mdoes not match\x1b[0m: hca-leaf: 408.0 Tb/s offered to 408.0 Tb/s, 0.50:1 is allowed" in painted


def test_a_failure_is_before_against_after() -> None:
    text = simulation_text(studies.simulated(failures=(studies.FAILURE,), scaling=()))
    assert text.startswith("compute without leaf-u01-r3\n")
    assert "64,480 of 1,039,380 pairs; nobody reaches dgx-[001-032]/mlx5_3" in " ".join(text.split())
    assert re.search(r"GB/s per endpoint\s+40\s+30\s+25\.0 %", text)
    pieces = replace(studies.FAILURE, cut=(), apart=("dgx-[01-33]/mlx5_4",))
    assert "pairs; dgx-[01-33]/mlx5_4 reach only their own piece of the fabric" in " ".join(
        simulation_text(studies.simulated(failures=(pieces,))).split()
    )


def test_hosts_with_fewer_adapters_are_said_whatever_the_survivors_lose() -> None:
    """Survivors lose nothing where a leaf of one rail dies: what its hosts lose stands above."""
    lost = replace(studies.FAILURE, ebb_loss=0.0, collective_loss=0.0, ring_loss=0.0)
    said = " ".join(simulation_text(studies.simulated(failures=(lost,))).split())
    assert (
        "32 hosts (dgx-[001-032]) run with 7 of 8 compute adapters: their rings have 350 of 400 GB/s; jobs on them stop, and "
        "NCCL must be told to leave mlx5_3 out" in said
    )
    assert "1 host (ufm-1) cut off: no adapter is left here" in said
    document = json.loads(simulation_json(studies.simulated(failures=(lost,))))
    SCHEMA.validate(document)
    (found,) = document["failures"][0]["hosts"]["fewer"]
    assert (found["hosts"], found["count"], found["left"], found["of"]) == ("dgx-[001-032]", 32, 7, 8)
    assert (found["left_gbs"], found["of_gbs"]) == (350, 400)


def test_one_host_with_other_adapters_is_said_in_the_singular() -> None:
    one = FewerAdapters("stor-1", 1, "storage", False, ("mlx5_0",), 1, 2, 25.0, 50.0)
    lost = replace(studies.FAILURE, hosts=LostHosts((one,), "", 0))
    text = simulation_text(studies.simulated(failures=(lost,), scaling=()))
    assert "1 host (stor-1) runs with 1 of 2 storage adapters, without mlx5_0: 25 of 50 GB/s " in " ".join(text.split())
    assert "NCCL" not in text


def test_no_line_of_rings_where_there_are_none() -> None:
    before, after = (replace(o, ring_share=None) for o in (studies.FAILURE.before, studies.FAILURE.after))
    whole = studies.simulated(failures=(replace(studies.FAILURE, before=before, after=after, ring_loss=None),))
    assert "rail rings" not in simulation_text(whole)
    document = json.loads(simulation_json(whole))
    SCHEMA.validate(document)
    assert document["failures"][0]["after"]["ring_share"] is None


def test_a_sweep_names_its_worst_case() -> None:
    text = simulation_text(studies.simulated(sweeps=(studies.SWEEP,)))
    assert "every single failure of its cables, 1,024 cases" in text
    assert re.search(r"leaf-u01-r3:37\s+0\s+0\s+1\.2 %\s+2\.0 %\s+1,040 flows", text)
    assert "all-to-all: 1,019 flows on the fullest link" in " ".join(text.split())
    assert "1,023 cases more, none of them worse in this order" in text
    assert re.search(
        r"loss of the survivors' own flows\s+least\s+median\s+worst\n\s+bisection\s+0\.0 %\s+0\.1 %\s+1\.2 %", text
    )
    rows = list(csv.DictReader(io.StringIO(sweep_csv([studies.SWEEP]))))
    assert rows[0]["part"] == "leaf-u01-r3:37"
    assert rows[0]["bisection"] == "0.79"
    assert (rows[0]["loss"], rows[0]["all_to_all_loss"], rows[0]["hosts"]) == ("0.0125", "0.0202", "0")


def test_the_costliest_part_is_named_though_those_that_cut_fill_the_table() -> None:
    """16 leaves cut their hosts off and cost the others nothing; each spine costs a third."""
    first = studies.SWEEP.rows[0]
    leaves = [replace(first, part=f"leaf-{i}", loss=0.0, all_to_all_loss=0.0, cut_pairs=100, hosts=33) for i in range(16)]
    spines = [replace(first, part=f"spine-{i}", all_to_all_loss=0.333) for i in range(8)]
    text = simulation_text(studies.simulated(sweeps=(replace(studies.SWEEP, rows=(*leaves, *spines), cases=24),)))
    assert "14 cases more, none of them worse in this order; of those that cut nothing, spine-0 costs most (33.3 %)" in text


def test_json_is_of_the_schema_and_names_pools_and_workloads() -> None:
    whole = studies.simulated(studies.study(), failures=(studies.FAILURE,), sweeps=(studies.SWEEP,))
    document = json.loads(simulation_json(whole))
    SCHEMA.validate(document)
    (study,) = document["studies"]
    assert (document["format"], document["version"]) == ("ibgen-simulation", 1)
    assert study["patterns"][1]["share"] == 0.6631
    assert study["collectives"][0]["pool"] == "gpu"
    assert [t["workload"] for t in study["training"]] == ["gpt", "moe"]
    assert [p["gpus"] for p in document["scaling"][0]["points"]] == [64, 960]


@ANY
@given(st.lists(studies.studies, max_size=2))
def test_whatever_a_study_holds_the_forms_hold(several: list[object]) -> None:
    whole = studies.simulated(*several)
    text = simulation_text(whole)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
    SCHEMA.validate(json.loads(simulation_json(whole)))


LAB = Path(__file__).parent.parent / "cli" / "lab.yaml"


@pytest.mark.parametrize("pattern", ["permutation", "all-to-all"])
def test_every_directed_link_has_a_row(pattern: str) -> None:
    """2 leaves x 20 cables to the spine and 17 to hosts: two directed links each. What a host sends it also hears."""
    c, _ = compile(Input(LAB))
    assert c.spec is not None
    assert c.fabric is not None
    assert c.targets is not None
    loads = link_loads(c.spec, c.fabric, c.targets, 0, [pattern])
    rows = list(csv.DictReader(io.StringIO(loads_csv(loads))))
    assert len(rows) == 2 * (17 + 40)
    assert len({(r["from"], r["port"]) for r in rows}) == len(rows)
    into = sum(int(r["load"]) for r in rows if r["tier"] == "to hosts")
    assert into == sum(int(r["load"]) for r in rows if r["tier"] == "from hosts")
    assert pattern == "permutation" or into == 17 * 16
