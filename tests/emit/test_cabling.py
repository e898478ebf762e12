"""What the people with the cables read: every port once, labels as the switches print them, racks from the site file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from ibgen import assets, compiler


def built(path: Path) -> dict[str, str]:
    c, report = compiler.compile(compiler.Input(path))
    assert c.simulation is not None, [d.message for d in report.diagnostics]
    return {a.path: a.content.decode() for a in compiler.emit_tree(c)}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def superpod() -> dict[str, str]:
    return built(assets.examples() / "superpod-h100.yaml")


def test_every_port_is_used_once_and_both_files_agree(superpod: dict[str, str]) -> None:
    cables = rows(superpod["cabling/compute.csv"])
    ends = Counter((c["upper"], c["upper_port"]) for c in cables)
    ends.update((c["lower"], c["lower_port"]) for c in cables)
    assert max(ends.values()) == 1
    ports = rows(superpod["cabling/compute-ports.csv"])
    used = {(p["switch"], p["port"]): p["peer"] for p in ports if p["use"] in ("host", "up", "down")}
    for c in cables:
        assert used[c["upper"], c["upper_port"]] == c["lower"]
    assert len(ports) == 48 * 64


def test_labels_are_cage_and_port(superpod: dict[str, str]) -> None:
    """QM9700: 32 twin-port cages; InfiniBand port 33 is port 1 of cage 17."""
    ports = {(p["switch"], p["port"]): p["label"] for p in rows(superpod["cabling/compute-ports.csv"])}
    assert [ports["leaf-u01-r0", str(n)] for n in (1, 2, 33, 64)] == ["1/1", "1/2", "17/1", "32/2"]


def test_split_ports_have_lane_labels_and_doubled_numbers(tmp_path: Path) -> None:
    """needs 51, K5: a 2-way split doubles the port numbers and halves the rate."""
    path = tmp_path / "x.yaml"
    path.write_text(
        "ibgen: 1\ncluster: x\n"
        "pools: [{name: cpu, hosts: 'n[1-64]', platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]\n"
        "fabrics: [{name: f, control: {kind: opensm, flavour: nvidia}, attach: [{pool: cpu}],"
        " topology: {kind: fat-tree, rails: host, leaf: {switch: qm9700, split: 2, downlinks: 64}, spine: {switch: qm9700}}}]\n"
    )
    tree = built(path)
    hosts = [c for c in rows(tree["cabling/f.csv"]) if c["kind"] == "host"]
    assert [h["upper_label"] for h in hosts[:4]] == ["1/1/1", "1/1/2", "1/2/1", "1/2/2"]
    assert [h["upper_port"] for h in hosts[:4]] == ["1", "2", "3", "4"]
    assert {h["rate_gbps"] for h in hosts} == {"200"}


def test_racks_come_from_the_site_file(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text((assets.examples() / "lab.yaml").read_text() + "\nsite: lab.site.yaml\n")
    (tmp_path / "lab.site.yaml").write_text("racks: [{name: A01, hosts: 'node-[01-05]', switches: leaf-u01}]\n")
    cables = rows(built(tmp_path / "lab.yaml")["cabling/ib.csv"])
    first = next(c for c in cables if c["lower"].startswith("node-01/"))
    assert (first["lower_rack"], first["upper_rack"]) == ("A01", "A01")


def test_lengths_follow_rows_and_positions(tmp_path: Path) -> None:
    """Two rows of 3 m and four racks of 0.6 m apart, 2 m of slack: 10.4 m; no length where an end stands in no rack."""
    (tmp_path / "lab.yaml").write_text((assets.examples() / "lab.yaml").read_text() + "\nsite: lab.site.yaml\n")
    (tmp_path / "lab.site.yaml").write_text(
        "racks:\n  - {name: A01, row: 1, position: 1, hosts: 'node-[01-05]'}\n"
        "  - {name: C05, row: 3, position: 5, switches: leaf-u01}\n"
    )
    cables = rows(built(tmp_path / "lab.yaml")["cabling/ib.csv"])
    lengths = {(c["lower"].split("/")[0], c["upper"]): c["length_m"] for c in cables}
    assert lengths["node-01", "leaf-u01"] == "10.4"
    assert lengths["node-09", "leaf-u02"] == ""
    assert "length_m" not in rows(built(assets.examples() / "lab.yaml")["cabling/ib.csv"])[0]


def test_inventory_is_valid_and_complete(superpod: dict[str, str]) -> None:
    from ruamel.yaml import YAML

    inventory = YAML(typ="safe").load(superpod["ansible/inventory.yml"])["all"]["children"]
    assert len(inventory["pool_gpu"]["hosts"]) == 127
    assert inventory["pool_gpu"]["hosts"]["dgx-127"]["ibgen_nccl_conf"] == "nccl/gpu.conf"
    assert len(inventory["unit_compute_04"]["hosts"]) == 31
    assert list(inventory["manager_compute"]["hosts"]) == ["ufm-01", "ufm-02"]
    assert all(name.isidentifier() for name in inventory)
