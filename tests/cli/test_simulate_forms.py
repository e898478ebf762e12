"""What `ibgen simulate` prints as CSV and JSON and draws, subnet by subnet; and what its first screen says."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_csv_has_a_row_per_directed_link(run: Run) -> None:
    """17 endpoints and 40 cables between switches, in two directions each; 17 x 16 flows go to hosts."""
    code, out, _ = run("--format", "csv", "--pattern", "all-to-all")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert len(rows) == 2 * (17 + 40)
    assert sum(int(r["load"]) for r in rows if r["tier"] == "to hosts") == 17 * 16


def test_csv_has_every_pattern_that_was_asked_for_and_quotes_names_with_commas(run: Run) -> None:
    """8 ranks of GPU hosts in two rings; `ring, host order` is one field; what is random names its seed."""
    code, out, _ = run("--format", "csv", "--pattern", "ring", "--pattern", "bisection", "--pattern", "shift", "--seed", "7")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert {len(row) for row in csv.reader(io.StringIO(out))} == {10}
    assert '"ring, host order"' in out
    seeds = {(r["pattern"], r["seed"]) for r in rows}
    assert seeds == {("ring, host order", ""), ("ring, random order", "7"), ("bisection", "7"), ("shift set", "")}
    assert all(re.fullmatch(r"static tables, (dmodk|ftree) \((closed form|exact)\)", r["model"]) for r in rows)
    assert {r["unit"] for r in rows} == {"flows", "flows, the most under any of the shifts"}
    bisected = sum(int(r["load"]) for r in rows if r["pattern"] == "bisection" and r["tier"] == "to hosts")
    assert bisected == 17 // 2
    shifted = {r["load"] for r in rows if r["pattern"] == "shift set" and r["tier"] == "to hosts"}
    assert shifted == {"1"}  # a full tree under D-mod-k: no shift meets anywhere


def test_csv_names_the_links_of_every_subnet_alike_or_not(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(run("rail-only.yaml", "--format", "csv")[1])))
    assert {r["subnet"] for r in rows} == {f"compute-u01-r{k}" for k in range(8)}
    assert len(rows) == 8 * 2 * 9


def test_alike_subnets_are_studied_once_and_the_others_named(run: Run) -> None:
    document = json.loads(run("rail-only.yaml", "--format", "json")[1])
    (study,) = document["studies"]
    assert (study["subnet"], study["alike"]) == ("compute-u01-r0", [f"compute-u01-r{k}" for k in range(1, 8)])
    assert "8 subnets of one shape, compute-u01-r[0-7]: this one was studied for all" in run("rail-only.yaml")[1]
    assert [
        s["subnet"] for s in json.loads(run("rail-only.yaml", "--format", "json", "--fabric", "compute-u01-r3")[1])["studies"]
    ] == ["compute-u01-r3"]


def test_a_failure_is_judged_in_the_subnet_where_the_part_lives(run: Run) -> None:
    """An adapter is on one rail; a host is on all eight, which lose the same."""
    one = json.loads(run("rail-only.yaml", "--format", "json", "--fail", "dgx-02/mlx5_4")[1])["failures"]
    assert [(f["subnet"], f["alike"], f["cut_pairs"]) for f in one] == [("compute-u01-r2", [], 16)]
    every = json.loads(run("rail-only.yaml", "--format", "json", "--fail", "dgx-02")[1])["failures"]
    assert [(f["subnet"], len(f["alike"])) for f in every] == [("compute-u01-r0", 7)]
    both = json.loads(run("rail-only.yaml", "--format", "json", "--fail", "dgx-02,leaf-u01-r5")[1])["failures"]
    assert [(f["subnet"], f["parts"]) for f in both] == [
        ("compute-u01-r0", ["dgx-02"]),
        ("compute-u01-r5", ["dgx-02", "leaf-u01-r5"]),
    ]


def test_adapters_that_a_host_is_left_with_are_counted_over_all_rails(run: Run) -> None:
    """Eight subnets, an adapter of each host on every one: two losses on two rails leave six, a host without any is cut off."""
    (cut,) = json.loads(run("rail-only.yaml", "--format", "json", "--fail", "dgx-02")[1])["failures"]
    assert (cut["hosts"]["fewer"], cut["hosts"]["cut"]) == ([], "dgx-02")
    several = json.loads(run("rail-only.yaml", "--format", "json", "--fail", "dgx-02/mlx5_4,leaf-u01-r5")[1])["failures"]
    (one,) = several[0]["hosts"]["fewer"]
    assert (one["hosts"], one["lost"], one["left"], one["of"], one["left_gbs"]) == ("dgx-02", ["mlx5_4", "mlx5_9"], 6, 8, 300)
    assert [(x["hosts"], x["role"], x["left"]) for x in several[1]["hosts"]["fewer"]] == [
        ("dgx-[01,03-08]", "compute", 7), ("dgx-02", "compute", 6), ("sm-01", "management", 7),
    ]  # fmt: skip
    text = " ".join(run("rail-only.yaml", "--fail", "leaf-u01-r5")[1].split())
    assert "8 hosts (dgx-[01-08]) run with 7 of 8 compute adapters: their rings have 350 of 400 GB/s" in text


def test_all_cases_of_a_sweep_are_in_json_and_csv_and_drawn(run: Run, tmp_path: Path) -> None:
    """40 cables between the lab's switches."""
    (swept,) = json.loads(run("--sweep", "cables", "--format", "json")[1])["sweeps"]
    rows = list(csv.DictReader(io.StringIO(run("--sweep", "cables", "--format", "csv")[1])))
    assert swept["cases"] == len(swept["rows"]) == len(rows) == 40
    assert [r["part"] for r in swept["rows"]] == [r["part"] for r in rows]
    assert {(r["pattern"], r["model"]) for r in rows} == {("bisection", f"static tables, {swept['engine']}")}
    assert run("--sweep", "cables", "-o", "sweep.svg")[0] == 0
    said = "".join(ElementTree.parse(tmp_path / "sweep.svg").getroot().itertext())
    assert "every single failure of its cables" in said
    assert "40 cases" in said


def test_the_first_screen_carries_the_verdict(run: Run) -> None:
    """What a reviewer asks, within 24 lines: does it match, what do tables cost, where is it full and why, do jobs wait."""
    lines = run("superpod-h100.yaml")[1].splitlines()[:24]
    text = " ".join(" ".join(lines).split())
    for said in (
        "bandwidth matches from end to end (pcie 1.04:1, hca-leaf 1.00:1, leaf-spine 1.00:1",
        "rail rings 1.0000", "all-to-all 1.0000", "100 patterns, seed 1", "(fluid bound)",
        "up from unit 1, rail 3 (dgx-[001-032]); superpod-h100.yaml:37", "these 5 go to place 18 of their leaves",
        "of a step waits, within the 12.0 % allowed",
    ):  # fmt: skip
        assert said in text, said


def test_what_does_not_match_is_said_first(run: Run, tmp_path: Path) -> None:
    """Two leaves of 8 and 9 hosts' ports behind 4 uplinks each."""
    thin = "fabrics: [{name: ib, topology: {leaf: {uplinks: 4}}}]\n"
    (tmp_path / "thin.yaml").write_text(thin)
    (tmp_path / "allowed.yaml").write_text(thin + "requirements: {oversubscription: 2.5}\n")
    code, out, _ = run("-f", "thin.yaml")
    said = " ".join(out.split())
    assert code == 1
    assert "bandwidth does not match: leaf-spine: 3400 Gb/s offered to 1600 Gb/s, 1.00:1 is allowed" in said
    code, out, _ = run("-f", "allowed.yaml")
    assert code == 0
    assert "bandwidth as asked, though more is offered than carried at leaf-spine 2.12:1" in " ".join(out.split())


def test_csv_without_a_switch(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(run("--format", "csv", "--fail", "leaf-u02")[1])))
    assert rows
    assert not any("leaf-u02" in (r["from"], r["to"]) for r in rows)


def test_the_form_follows_the_file(run: Run, tmp_path: Path) -> None:
    code, out, err = run("-o", "plots.svg")
    assert (code, out, err) == (0, "", "wrote plots.svg\n")
    assert ElementTree.parse(tmp_path / "plots.svg").getroot().tag.endswith("svg")
    assert run("-o", "plots.json")[0] == 0
    assert json.loads((tmp_path / "plots.json").read_text())["format"] == "ibgen-simulation"
    assert run("-o", "screen", "--format", "csv")[0] == 0
    assert (tmp_path / "screen").read_text().startswith("from,port,to,")


def test_a_failed_part_is_placed_in_the_words_of_the_spec(run: Run) -> None:
    parts = ["leaf-u01-r3", "cable:leaf-u02-r0:40", "dgx-100/mlx5_0"]
    (found,) = json.loads(run("superpod-h100.yaml", "--format", "json", "--fail", ",".join(parts))[1])["failures"]
    assert found["parts"] == parts
    assert found["places"] == [
        "unit 1, rail 3 (dgx-[001-032]); superpod-h100.yaml:37",
        "leaf-u02-r0 to spine-04, unit 2, rail 0 (dgx-[033-064]); superpod-h100.yaml:37",
        "unit 4, rail 0 (dgx-[097-127],ufm-01); superpod-h100.yaml:41",
    ]
    assert run("cluster.yaml", "--fail", "leaf-u01", "-o", "failed.svg")[0] == 0
    assert "lab without leaf-u01" in Path("failed.svg").read_text()
    assert "nobody reaches dgx-[001-032]/mlx5_5" in run("superpod-h100.yaml", "--fail", "leaf-u01-r3")[1]


def test_an_ending_that_is_no_form_is_refused_before_anything_is_worked_out(run: Run, tmp_path: Path) -> None:
    """Text was written into foo.png and .foo, and `wrote foo.png` said."""
    for name in ("foo.png", ".foo", "results.v2"):
        code, out, err = run("-o", name)
        assert (code, out) == (2, "")
        assert f"no form is called .{name.rpartition('.')[2]}" in err
        assert ".svg" in err
        assert not (tmp_path / name).exists()
    for name, more in (("plain", ()), ("said.txt", ()), ("drawn.png", ("--format", "svg")), ("caps.SVG", ())):
        assert run("-o", name, *more)[0] == 0
        assert (tmp_path / name).read_text().startswith("<svg") == ("svg" in (*more, name.lower()[-3:]))


def test_a_slow_cable_holds_back_what_passes_it_and_is_named(run: Run) -> None:
    """An adapter's cable with a quarter of its rate leaves 6.25 of 25 GB/s to the ring through it."""
    code, out, _ = run("cluster.yaml", "--slow", "node-03/mlx5_0=50G", "--format", "json")
    assert code == 0
    document = json.loads(out)
    assert document["slow"] == [{"part": "node-03/mlx5_0", "gbps": 50}]
    slow = {r["pattern"]: r for r in document["studies"][0]["rates"]}
    healthy = {r["pattern"]: r for r in json.loads(run("cluster.yaml", "--format", "json")[1])["studies"][0]["rates"]}
    assert slow["rail rings"]["min_gbs"] == 6.25
    assert healthy["rail rings"]["min_gbs"] == 25
    text = run("cluster.yaml", "--slow", "node-03/mlx5_0=50G")[1]
    assert text.startswith("with node-03/mlx5_0 at 50 Gb/s\n")


@pytest.mark.parametrize("given", ["x", "=5G", "leaf-u01=abc", "leaf-u01=0G", "cable:leaf-u01:999=100G", "leaf-u01=4xEDR"])
def test_a_slow_part_that_is_none_is_refused(given: str, run: Run) -> None:
    code, _, err = run("cluster.yaml", "--slow", given)
    assert code == 2
    assert "help:" in err


def test_a_jobs_hosts_in_another_order_are_judged_in_that_order(run: Run, tmp_path: Path) -> None:
    """Two leaves of hosts taken in turn: every hop of the rings crosses; in leaf order two do."""
    hosts = [f"node-{i:02}" for i in (1, 6, 2, 7, 3, 8, 4, 5)]
    (tmp_path / "hosts.txt").write_text("\n".join(hosts) + "\n")
    for given in (",".join(hosts), "@hosts.txt"):
        document = json.loads(run("cluster.yaml", "--order", given, "--format", "json")[1])
        order = document["studies"][0]["rank_order"]
        assert order["max_load_given"] >= order["max_load_leaf"]
        assert order["hosts"][:2] == ["node-01", "node-02"]
    code, _, err = run("cluster.yaml", "--order", "node-01,stranger")
    assert (code, "stranger" in err) == (2, True)
    assert run("cluster.yaml", "--order", "@none.txt")[0] == 2
