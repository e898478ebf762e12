"""0 differences: every entry of every switch against the real OpenSM 3.3.23 on the same fabric."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ibgen.route import Graph, NotRouted, Removed, compute, found_roots, graph, mainland

from .fabrics import damaged, dragonfly, pgft, tree, wired
from .real import Real, differences, opensm

pytestmark = pytest.mark.opensm

THREE = {"tiers": 3, "leaf": {"uplinks": 12}, "spine": {"switch": "qm8700", "uplinks": 12}, "core": {"switch": "qm8700"}}
FABRICS: dict[str, Callable[[], Graph]] = {
    "32-hosts": lambda: graph(tree(32, 4, 4, leaf={"uplinks": 4})),
    "parallel-cables": lambda: graph(tree(32, 8, 4)),
    "128-hosts": lambda: graph(tree(128, 4, 4, leaf={"uplinks": 4})),
    "hosts-missing": lambda: graph(tree(128, 4, 4, leaf={"uplinks": 4}, missing="n[0005-0006,0033,0070-0072]")),
    "324-hosts": lambda: pgft(18, 18, 18),
    "two-rails": lambda: graph(tree(40, 10, 10, adapters=2, ports=2, leaf={"uplinks": 10})),
    "three-tiers": lambda: graph(tree(96, 12, 12, pod=2, **THREE)),
    "three-tiers-hosts-missing": lambda: graph(tree(96, 12, 12, pod=2, missing="n[0005-0006,0033,0070-0072]", **THREE)),
    "three-tiers-even": lambda: pgft(4, 4, 4, 8, 4),
    "three-tiers-parallel": lambda: pgft(3, 3, 2, 3, 2, (2, 3)),
}
LARGE = {"1296-hosts": lambda: pgft(18, 18, 18, 4, 2, (1, 9))}


def roots_of(g: Graph) -> list[int]:
    return np.flatnonzero((g.tier == g.tier.max()) & g.linked).tolist()


def compared(g: Graph, folder: Path, engine: str, **options: Any) -> tuple[Real, list[str]]:
    """Runs both. Options are those of `compute`; what they name goes to OpenSM in files."""
    home = mainland(g)
    files, settings = {}, {}
    for option, file, guid in (
        ("roots", "root_guid_file", g.guid), ("compute_ports", "cn_guid_file", g.port_guid),
        ("io_ports", "io_guid_file", g.port_guid),
    ):  # fmt: skip
        if option in options:
            files[file] = [int(x) for x in guid[options[option]]]
    if "max_reverse_hops" in options:
        settings["max_reverse_hops"] = str(options["max_reverse_hops"])
    real = opensm(home, folder, engine, settings, files)
    return real, differences(real, compute(g, engine, switches=True, **options))


def same(g: Graph, folder: Path, engine: str, **options: Any) -> None:
    real, found = compared(g, folder, engine, **options)
    assert real.engine == engine
    assert not found, (len(found), found[:5])


@pytest.mark.parametrize("fabric", FABRICS)
@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_trees(fabric: str, engine: str, tmp_path: Path) -> None:
    g = FABRICS[fabric]()
    same(g, tmp_path, engine, **({} if engine == "minhop" else {"roots": roots_of(g)}))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_large_tree(engine: str, tmp_path: Path) -> None:
    g = LARGE["1296-hosts"]()
    same(g, tmp_path, engine, **({} if engine == "minhop" else {"roots": roots_of(g)}))


@pytest.mark.parametrize("fabric", ["32-hosts", "parallel-cables", "hosts-missing", "three-tiers", "three-tiers-parallel"])
def test_without_a_root_file(fabric: str, tmp_path: Path) -> None:
    for engine in ("updn", "ftree"):
        folder = tmp_path / engine
        folder.mkdir()
        same(FABRICS[fabric](), folder, engine)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_cables_switches_and_hosts_removed(engine: str, seed: int, tmp_path: Path) -> None:
    topology = THREE | {"spine": {"switch": "qm8700", "uplinks": 12, "count": 6}}
    subnet = tree(96, 12, 12, pod=4, missing="n[0005-0006,0033]", **topology)
    g = damaged(subnet, cables=4, switches=1, endpoints=3, seed=seed)
    same(g, tmp_path, engine, **({} if engine == "minhop" else {"roots": roots_of(g)}))


def test_an_island_is_left_out_as_the_manager_never_meets_it(tmp_path: Path) -> None:
    subnet = tree(96, 12, 12, pod=2, **THREE)  # one spine to a pod: without it the pod is an island
    spine = int(subnet.tier(1)[0])
    g = graph(subnet, Removed(switches=(spine,)))
    for engine in ("minhop", "updn", "ftree"):
        folder = tmp_path / engine
        folder.mkdir()
        same(g, folder, engine, **({} if engine == "minhop" else {"roots": roots_of(g)}))


@pytest.mark.parametrize("fabric", ["hosts-missing", "three-tiers-hosts-missing", "two-rails"])
def test_compute_node_file(fabric: str, tmp_path: Path) -> None:
    g = FABRICS[fabric]()
    nodes = [e for e in g.plugged.tolist() if e % 7]
    same(g, tmp_path, "ftree", roots=roots_of(g), compute_ports=nodes)


@pytest.mark.parametrize("reverse", [0, 1, 2])
@pytest.mark.parametrize("fabric", ["32-hosts", "three-tiers-hosts-missing", "three-tiers-even"])
def test_io_node_file_and_reverse_hops(fabric: str, reverse: int, tmp_path: Path) -> None:
    g = FABRICS[fabric]()
    nodes, io = ([e for e in g.plugged.tolist() if bool(e % 7) is want] for want in (True, False))
    same(g, tmp_path, "ftree", roots=roots_of(g), compute_ports=nodes, io_ports=io, max_reverse_hops=reverse)


def test_io_nodes_are_no_compute_nodes_even_without_that_file(tmp_path: Path) -> None:
    g = FABRICS["three-tiers-even"]()
    same(g, tmp_path, "ftree", roots=roots_of(g), io_ports=[3, 40, 41])


@pytest.mark.parametrize("shape", [(2, 4, 2, 9), (1, 3, 1, 4)])
def test_dragonflies(shape: tuple[int, int, int, int], tmp_path: Path) -> None:
    for engine, options in (("minhop", {}), ("updn", {"roots": [0, 5]})):
        folder = tmp_path / engine
        folder.mkdir()
        same(dragonfly(*shape), folder, engine, **options)


@pytest.mark.slow
def test_dragonfly_of_1056_hosts(tmp_path: Path) -> None:
    same(dragonfly(4, 8, 4, 33), tmp_path, "minhop")


@pytest.mark.parametrize("seed", range(3))
def test_irregular_fabrics_with_cables_within_a_tier(seed: int, tmp_path: Path) -> None:
    """Random cables in three tiers, and some between switches of the upper ones."""
    draw = np.random.default_rng(seed)
    links = [(leaf, 8 + s) for leaf in range(8) for s in range(4) for _ in range(2) if draw.random() < 0.7]
    links += [(8 + int(a), 8 + int(b)) for a, b in draw.integers(0, 4, (3, 2)) if a != b]
    links += [(8 + s, 12 + c) for s in range(4) for c in range(3) if draw.random() < 0.8]
    g = wired(links, [4] * 8 + [0] * 7, seed)
    for engine, options in (("minhop", {}), ("updn", {"roots": [12, 13]}), ("updn", {}), ("ftree", {"roots": [12, 13, 14]})):
        folder = tmp_path / f"{engine}{len(options)}"
        folder.mkdir()
        same(g, folder, engine, **options)


def test_roots_that_updn_finds_on_a_large_tree_are_all_switches(tmp_path: Path) -> None:
    """More than 20 leaves: none holds 5 % of the hosts, so the rule takes every switch for a root."""
    g = pgft(2, 24, 2)
    assert len(found_roots(g)) == g.switches
    assert found_roots(pgft(4, 8, 4)).tolist() == [8, 9, 10, 11]
    same(g, tmp_path, "updn")


def test_where_ftree_gives_up_opensm_does_too(tmp_path: Path) -> None:
    cases: list[tuple[str, Graph, dict[str, Any]]] = [
        ("uneven", damaged(tree(128, 4, 4, leaf={"uplinks": 4}), 3, 0), {}),
        ("ring", wired([(i, (i + 1) % 5) for i in range(5)], [2] * 5), {}),
        ("one-leaf", wired([(0, 1)], [3, 0]), {"roots": [1]}),
        ("hosts-on-two-tiers", wired([(0, 2), (1, 2), (0, 3), (1, 3)], [2, 2, 1, 0]), {"roots": [3]}),
    ]
    for name, g, options in cases:
        folder = tmp_path / name
        folder.mkdir()
        files = {"root_guid_file": [int(x) for x in g.guid[options["roots"]]]} if options else {}
        assert opensm(g, folder, "ftree", files=files).engine == "minhop", name
        with pytest.raises(NotRouted):
            compute(g, "ftree", **options)


def test_lids_of_a_fresh_fabric(tmp_path: Path) -> None:
    g = FABRICS["three-tiers"]()
    real = opensm(g, tmp_path, "minhop")
    assert np.concatenate(g.lids(int(g.plugged[0]))).tolist() == real.lids.tolist()
