"""What the programs are told of fabrics that are no tree: dragonfly, dragonfly+ and rail-only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ibgen import compiler
from ibgen.hostlist import expand
from ibgen.targets import Targets
from ibgen.targets.opensm import Manager
from ibgen.targets.slurm import Scheduler, expect

SPEC = """\
ibgen: 1
cluster: lab
pools:
  - name: gpu
    hosts: HOSTS
    platform: {kind: generic, gpu: A100-80G, gpus: 2, hcas: [
      {name: mlx5_0, rate: 200G, gpu: 0}, {name: mlx5_1, rate: 200G, gpu: 1}]}
fabrics:
  - name: ib
    control: {kind: opensm, flavour: FLAVOUR, routing: ROUTING, subnet_prefix: "0xfec0000000000010"}
    topology: TOPOLOGY
    attach: [{pool: gpu, hcas: compute}]
slurm: {version: "VERSION"}
nccl: {version: "2.21"}
requirements: {oversubscription: 100}
"""
DRAGONFLY = "{kind: dragonfly, switch: qm8700, a: 4, p: 4, h: 2, groups: 4}"
PLUS = (
    "{kind: dragonfly-plus, groups: 4, rails: host, leaf: {switch: qm8700, downlinks: 4, uplinks: 4, count: 4},"
    " spine: {switch: qm8700, count: 4, uplinks: 3}}"
)
RAILS = "{kind: rail-only, unit: 8, leaf: {switch: qm8700}}"


def decided(folder: Path, topology: str, **words: Any) -> Targets:
    text = SPEC.replace("TOPOLOGY", topology)
    for name, default in (("HOSTS", "n[01-32]"), ("FLAVOUR", "upstream"), ("ROUTING", "[]"), ("VERSION", "24.11")):
        text = text.replace(name, words.get(name.lower(), default))
    (folder / "lab.yaml").write_text(text)
    compilation, report = compiler.compile(compiler.Input(folder / "lab.yaml"))
    assert compilation.targets is not None, report
    return compilation.targets


def slurm(folder: Path, topology: str, **words: Any) -> Scheduler:
    scheduler = decided(folder, topology, **words).slurm
    assert scheduler is not None
    return scheduler


def manager(folder: Path, topology: str, **words: Any) -> Manager:
    return decided(folder, topology, **words).opensm[0]


def lines(m: Manager) -> dict[str, str]:
    return {o.name: o.value for o in m.options}


@pytest.mark.parametrize("topology", [DRAGONFLY, PLUS])
def test_a_leaf_of_slurm_is_a_group_under_one_top(tmp_path: Path, topology: str) -> None:
    scheduler = slurm(tmp_path, topology)
    leaves = {s.name: list(s.hosts) for s in scheduler.switches if s.hosts}
    assert leaves == {f"g{g:02d}": expand(f"n[{8 * g - 7:02d}-{8 * g:02d}]") for g in (1, 2, 3, 4)}
    assert [(s.name, s.children) for s in scheduler.switches if s.children] == [("dragonfly", ("g01", "g02", "g03", "g04"))]
    assert "Dragonfly" in scheduler.params
    assert scheduler.plugin == "tree"


def test_a_job_on_a_dragonfly_has_one_group_or_all_of_them(tmp_path: Path) -> None:
    """TopologyParam=Dragonfly spreads larger jobs over all groups, --switches=2 or not (measured): no pairs of groups."""
    jobs = expect(slurm(tmp_path, DRAGONFLY))["placements"]
    assert [(j["options"], j.get("spread", 1), j["leaves"]) for j in jobs] == [
        ("-p all -N8 --switches=1", 1, 1),
        ("-p all -N9", 4, 4),
    ]


def test_one_group_is_no_dragonfly_to_the_scheduler(tmp_path: Path) -> None:
    scheduler = slurm(tmp_path, DRAGONFLY.replace("groups: 4", "groups: 1"), hosts="n[1-8]")
    assert scheduler.params == ("SwitchAsNodeRank",)
    assert [(s.name, s.children) for s in scheduler.switches] == [("g01", ())]


def test_planes_are_one_picture_to_the_scheduler(tmp_path: Path) -> None:
    """The planes are copies: a unit is the same hosts on each of them, so one of them speaks for all."""
    planes = "{kind: fat-tree, planes: 2, unit: 8, leaf: {switch: qm8700, downlinks: 8, uplinks: 8}, spine: {switch: qm8700}}"
    attach = "[{pool: gpu, hcas: [mlx5_0], ports: {1: a}}, {pool: gpu, hcas: [mlx5_1], ports: {1: b}}]"
    (tmp_path / "two").mkdir()
    one = slurm(tmp_path, planes.replace("planes: 2, ", ""))
    text = SPEC.replace("[{pool: gpu, hcas: compute}]", attach).replace("TOPOLOGY", planes)
    for name, value in (("HOSTS", "n[01-32]"), ("FLAVOUR", "upstream"), ("ROUTING", "[]"), ("VERSION", "24.11")):
        text = text.replace(name, value)
    (tmp_path / "two" / "lab.yaml").write_text(text)
    targets = compiler.compile(compiler.Input(tmp_path / "two" / "lab.yaml"))[0].targets
    assert targets is not None
    two = targets.slurm
    assert two is not None
    assert two.switches == one.switches
    assert [(s.name, len(s.hosts), s.children) for s in two.switches][-1] == ("spine", 0, ("su01", "su02", "su03", "su04"))


def test_no_word_of_dragonflies_where_the_fabric_is_a_tree_or_no_topology_is_written(tmp_path: Path) -> None:
    tree = "{kind: fat-tree, rails: host, unit: 8, leaf: {switch: qm8700}, spine: {switch: qm8700}}"
    assert "Dragonfly" not in slurm(tmp_path, tree).params


def test_units_of_a_rail_only_fabric_are_leaves_that_no_top_joins(tmp_path: Path) -> None:
    scheduler = slurm(tmp_path, RAILS, hosts="n[01-16]")
    assert [(s.name, list(s.hosts)) for s in scheduler.switches] == [
        ("su01", expand("n[01-08]")),
        ("su02", expand("n[09-16]")),
    ]
    straddling = expect(scheduler)["placements"][-1]
    assert straddling["refused"], "a job over both units would have no way between them"


@pytest.mark.parametrize(
    ("topology", "flavour", "engine"),
    [(DRAGONFLY, "upstream", "dfsssp"), (DRAGONFLY, "nvidia", "dfsssp"), (PLUS, "upstream", "dfsssp"), (PLUS, "nvidia", "dfp")],
)
def test_engine_without_credit_loops_and_the_lanes_it_needs(tmp_path: Path, topology: str, flavour: str, engine: str) -> None:
    chosen = manager(tmp_path, topology, flavour=flavour)
    assert chosen.engines == (engine,)
    assert lines(chosen)["qos"] == "TRUE"
    assert "root_guid_file" not in lines(chosen)
    assert not len(chosen.roots)


def test_nue_needs_no_lanes(tmp_path: Path) -> None:
    assert "qos" not in lines(manager(tmp_path, DRAGONFLY, routing="[nue]"))


def test_every_rail_has_a_manager_and_a_prefix_of_its_own(tmp_path: Path) -> None:
    managers = decided(tmp_path, RAILS, hosts="n[01-16]").opensm
    assert [m.name for m in managers] == ["ib-u01-r0", "ib-u01-r1", "ib-u02-r0", "ib-u02-r1"]
    prefixes = [int(lines(m)["subnet_prefix"], 16) for m in managers]
    assert prefixes == [0xFEC0000000000010 + n for n in range(4)]
    assert {m.engines for m in managers} == {("minhop",)}
    assert len({m.folder for m in managers}) == 4


def test_every_plane_has_a_prefix_of_its_own(tmp_path: Path) -> None:
    """openucx/ucx#605: two subnets with one prefix look like one."""
    planes = "{kind: fat-tree, rails: host, unit: 16, planes: 2, leaf: {switch: qm8700}, spine: {switch: qm8700}}"
    text = SPEC.replace("rate: 200G", "rate: 200G, ports: 2")
    for name, value in (("TOPOLOGY", planes), ("HOSTS", "n[01-16]"), ("FLAVOUR", "upstream"), ("ROUTING", "[]")):
        text = text.replace(name, value)
    (tmp_path / "lab.yaml").write_text(text.replace("VERSION", "24.11"))
    targets = compiler.compile(compiler.Input(tmp_path / "lab.yaml"))[0].targets
    assert targets is not None
    assert [lines(m)["subnet_prefix"][-2:] for m in targets.opensm] == ["10", "11"]


def test_rails_that_nothing_joins_are_kept_apart_by_nccl(tmp_path: Path) -> None:
    """NVIDIA/nccl#2013, #836: isolated rails, errno 110."""
    settings = {s.name: s for s in decided(tmp_path, RAILS).nccl[0].settings}
    assert settings["NCCL_CROSS_NIC"].value == "0"
    assert "no cable joins the rails" in settings["NCCL_CROSS_NIC"].reason
    joined = {s.name for s in decided(tmp_path, DRAGONFLY).nccl[0].settings}
    assert "NCCL_CROSS_NIC" not in joined


def under_ufm(
    folder: Path, topology: str, attach: str = "[{pool: gpu, hcas: compute}]", routing: str = "[]"
) -> list[dict[str, str]]:
    """The options of each subnet's manager."""
    text = (
        SPEC.replace("kind: opensm", "kind: ufm").replace("[{pool: gpu, hcas: compute}]", attach).replace("TOPOLOGY", topology)
    )
    for name, value in (("HOSTS", "n[01-16]"), ("FLAVOUR", "nvidia"), ("ROUTING", routing), ("VERSION", "24.11")):
        text = text.replace(name, value)
    (folder / "lab.yaml").write_text(text)
    compilation, report = compiler.compile(compiler.Input(folder / "lab.yaml"))
    assert compilation.targets is not None, report
    return [{o.name: o.value for o in u.options} for u in compilation.targets.ufm]


def test_planes_under_ufm_have_prefixes_of_their_own(tmp_path: Path) -> None:
    """openucx/ucx#605 again, under the other manager."""
    planes = "{kind: fat-tree, planes: 2, unit: 16, leaf: {switch: qm8700}, spine: {switch: qm8700}}"
    attach = "[{pool: gpu, hcas: [mlx5_0], ports: {1: a}}, {pool: gpu, hcas: [mlx5_1], ports: {1: b}}]"
    told = under_ufm(tmp_path, planes, attach)
    assert [o["subnet_prefix"][-2:] for o in told] == ["10", "11"]
    assert all("routing_engine" not in o for o in told), "ar_updn is UFM's own choice for trees"


@pytest.mark.parametrize(("topology", "engine"), [(DRAGONFLY, "dfsssp"), (PLUS, "dfp")])
def test_groups_under_ufm_are_not_left_to_an_engine_of_trees(tmp_path: Path, topology: str, engine: str) -> None:
    (told,) = under_ufm(tmp_path, topology)
    assert (told["routing_engine"], told["qos"]) == (engine, "TRUE")
