"""Which engine is advised on which shape, and what is said of one that does not fit. Facts: OpenSM 3.3.23 and ibdmchk."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import compiler

SPEC = """\
ibgen: 1
cluster: lab
pools: [{name: cpu, hosts: "HOSTS", platform: {kind: generic, gpu: A100-80G, gpus: 1, hcas: [
  {name: mlx5_0, rate: 200G, pcie: 4, gpu: 0}]}}]
fabrics:
  - name: ib
    control: {kind: opensm, flavour: FLAVOUR, version: "VERSION", routing: ROUTING, subnet_prefix: "0xfec0000000000010"}
    topology: TOPOLOGY
    attach: [{pool: cpu, hcas: all}]
nccl: {version: "2.30.7"}
requirements: {oversubscription: 100}
"""
TREE = "{kind: fat-tree, unit: 4, leaf: {switch: qm8700, downlinks: 4, uplinks: 4}, spine: {switch: qm8700, count: 2}}"
FLIES = "{kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2}"
PLUS = (
    "{kind: dragonfly-plus, groups: GROUPS, rails: host, leaf: {switch: qm8700, downlinks: 2, uplinks: 2, count: 2},"
    " spine: {switch: qm8700, count: 2, uplinks: 4}}"
)
NINE = PLUS.replace("GROUPS", "9")
RAILS = "{kind: rail-only, unit: 8, leaf: {switch: qm8700}}"
ONE_GROUP = "{kind: dragonfly, switch: qm8700, a: 4, p: 4, h: 2, groups: 1}"
ONE_ROUTER = "{kind: dragonfly, switch: qm8700, a: 1, p: 5, h: 3, groups: 4}"


def compiled(
    topology: str, routing: str = "[]", flavour: str = "upstream", hosts: str = "n[01-08]"
) -> tuple[str, dict[str, str]]:
    """The engines of the first manager, and code -> severity and message of what is said about routing."""
    version = "5.24" if flavour == "nvidia" else "3.3.23"
    text = SPEC.replace("TOPOLOGY", topology).replace("ROUTING", routing).replace("HOSTS", hosts)
    text = text.replace("FLAVOUR", flavour).replace("VERSION", version)
    compilation, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))
    assert compilation.targets is not None, report.diagnostics
    said = {d.code.id: f"{d.severity.value}: {d.message}" for d in report.diagnostics if d.code.id.startswith("IBG4")}
    return ",".join(compilation.targets.opensm[0].engines), said


@pytest.mark.parametrize(
    ("topology", "flavour", "engines"),
    [
        (TREE, "upstream", "ftree,updn"),
        (TREE, "nvidia", "ar_updn"),
        (RAILS, "upstream", "minhop"),
        (RAILS, "nvidia", "minhop"),
        (FLIES, "nvidia", "dfsssp"),
        (NINE, "upstream", "dfsssp"),
        (NINE, "nvidia", "dfp"),
        (ONE_GROUP, "upstream", "minhop"),
        (ONE_ROUTER, "nvidia", "minhop"),
        (PLUS.replace("GROUPS", "1"), "upstream", "ftree,updn"),
        (PLUS.replace("GROUPS", "1"), "nvidia", "ar_updn"),
    ],
)
def test_the_engine_follows_shape_and_manager(topology: str, flavour: str, engines: str) -> None:
    hosts = "n[1-4]" if "groups: 1," in topology else "n[01-08]"
    chosen, said = compiled(topology, flavour=flavour, hosts=hosts)
    assert chosen == engines
    assert set(said) <= {"IBG409"}, "what is chosen for the reader has no fault but NCCL's single level"
    assert ("IBG409" in said) == (engines == "dfsssp")


@pytest.mark.parametrize("engine", ["minhop", "dor", "sssp", "dnup", "updn"])
def test_shortest_paths_on_a_dragonfly_are_an_error(engine: str) -> None:
    assert compiled(FLIES, f"[{engine}]")[1]["IBG404"].startswith("error")


@pytest.mark.parametrize("engine", ["minhop", "dor", "sssp", "dnup"])
def test_shortest_paths_on_a_whole_dragonfly_plus_are_a_warning(engine: str) -> None:
    """Up, across and down: ibdmchk finds no loop on 36 and on 80 hosts."""
    assert compiled(NINE, f"[{engine}]")[1]["IBG404"].startswith("warning")


@pytest.mark.parametrize("engine", ["updn", "ftree"])
def test_engines_of_trees_on_a_dragonfly_plus_are_an_error(engine: str) -> None:
    assert compiled(NINE, f"[{engine}]")[1]["IBG404"].startswith("error")


@pytest.mark.parametrize("topology", [ONE_GROUP, ONE_ROUTER])
def test_routers_that_are_all_joined_have_no_loop_to_speak_of(topology: str) -> None:
    assert compiled(topology, "[minhop]", hosts="n[1-4]")[1] == {}
    assert compiled(topology, "[dfsssp]", hosts="n[1-4]")[1] == {}


@pytest.mark.parametrize(
    ("told", "who"),
    [
        ('nccl: {version: "2.30.7"}', "NCCL sends on one"),
        ('ucx: {version: "1.16"}', "UCX sends on one"),
        ('nccl: {version: "2.30.7"}\nucx: {version: "1.16"}', "NCCL and UCX send on one"),
    ],
)
def test_ucx_asks_for_no_path_s_level_either(told: str, who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """UCX_IB_SL is one number per interface (src/uct/ib/base/ib_iface.c)."""
    monkeypatch.setattr(f"{__name__}.SPEC", SPEC.replace('nccl: {version: "2.30.7"}', told))
    assert compiled(FLIES)[1]["IBG409"] == f"warning: `dfsssp` gives each path a service level, and {who}"


def test_levels_that_nccl_does_not_ask_for_are_a_note_on_a_dragonfly_plus() -> None:
    assert compiled(NINE)[1]["IBG409"].startswith("note")
    assert compiled(FLIES)[1]["IBG409"].startswith("warning")


@pytest.mark.parametrize(
    ("topology", "flavour", "engine", "severity"),
    [
        (TREE, "nvidia", "dfp", "warning"),
        (TREE, "upstream", "dor", "warning"),
        (FLIES, "nvidia", "dfp2", "warning"),
        (RAILS, "nvidia", "dfp", "note"),
        (RAILS, "upstream", "ftree", "note"),
    ],
)
def test_engines_of_another_shape(topology: str, flavour: str, engine: str, severity: str) -> None:
    assert compiled(topology, f"[{engine}]", flavour)[1]["IBG413"].startswith(f"{severity}: `{engine}`")


@pytest.mark.parametrize(
    ("topology", "flavour", "engine"), [(NINE, "nvidia", "dfp2"), (RAILS, "upstream", "updn"), (TREE, "upstream", "updn")]
)
def test_engines_that_fit_are_not_spoken_of(topology: str, flavour: str, engine: str) -> None:
    assert "IBG413" not in compiled(topology, f"[{engine}]", flavour)[1]


def test_dfp_on_one_lane_is_an_error() -> None:
    text = SPEC.replace("routing: ROUTING", 'routing: [dfp], options: {max_op_vls: "1"}').replace("TOPOLOGY", NINE)
    text = text.replace("HOSTS", "n[1-8]").replace("FLAVOUR", "nvidia").replace("VERSION", "5.24")
    report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))[1]
    assert "IBG331" in {d.code.id for d in report.diagnostics}


def test_managers_inside_ufm_are_advised_too() -> None:
    text = SPEC.replace("kind: opensm", "kind: ufm").replace("ROUTING", "[minhop]").replace("TOPOLOGY", FLIES)
    text = text.replace("HOSTS", "n[1-8]").replace("FLAVOUR", "nvidia").replace("VERSION", "5.24")
    report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))[1]
    assert "IBG404" in {d.code.id for d in report.diagnostics}
