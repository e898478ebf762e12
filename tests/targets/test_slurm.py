"""What Slurm is told: topology by scalable unit, node lines, partitions, for the declared version."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen import source, spec
from ibgen.catalog import standard
from ibgen.fabric import resolve
from ibgen.hostlist import expand
from ibgen.targets.slurm import Scheduler, decide, expect
from ibgen.targets.slurm_tree import Block, block_sizes

POD = """
ibgen: 1
cluster: pod
pools:
  - {name: gpu, hosts: "dgx-[001-127]", platform: dgx-h100}
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, version: "5.24", routing: [ar_updn], subnet_prefix: 0xfec0000000000001}
    topology: {kind: fat-tree, rails: aligned, unit: 32, leaf: {switch: qm9700, downlinks: 32}, spine: {switch: qm9700}}
    attach: [{pool: gpu, hcas: compute}]
slurm: {version: "24.11"}
"""


def decided(*texts: str) -> tuple[Scheduler, list[str]]:
    """The scheduler of a spec with overlays, and the ids of what deciding it found."""
    document, findings = source.parse(texts[0], "pod.yaml", [(f"{n}.yaml", text) for n, text in enumerate(texts[1:])])
    cluster, found = spec.load(document)
    assert cluster is not None, (findings, found)
    fabric, found = resolve(cluster, standard(), None)
    assert fabric is not None, found
    scheduler, found = decide(cluster, fabric, standard())
    assert scheduler is not None
    return scheduler, [f.code.id for f in found]


def leaves(scheduler: Scheduler) -> dict[str, list[str]]:
    return {s.name: list(s.hosts) for s in scheduler.switches if s.hosts}


def test_a_leaf_of_slurm_is_a_scalable_unit_not_a_rail_leaf() -> None:
    scheduler, found = decided(POD)
    assert found == []
    assert scheduler.plugin == "tree"
    assert leaves(scheduler) == {
        "su01": expand("dgx-[001-032]"),
        "su02": expand("dgx-[033-064]"),
        "su03": expand("dgx-[065-096]"),
        "su04": expand("dgx-[097-127]"),
    }
    assert [(s.name, s.children) for s in scheduler.switches if s.children] == [("spine", ("su01", "su02", "su03", "su04"))]


@settings(max_examples=15, deadline=None)
@given(hosts=st.integers(1, 40), unit=st.integers(1, 16), rails=st.sampled_from(["aligned", "host"]))
def test_every_node_stands_in_exactly_one_leaf(hosts: int, unit: int, rails: str) -> None:
    """The naive picture, one Slurm leaf per rail leaf, puts each node under eight and makes `--switches=1` impossible."""
    scheduler, _ = decided(POD, f'pools: [{{name: gpu, hosts: "dgx-[001-{hosts:03d}]"}}]', overlay_topology(rails, unit))
    placed = [h for names in leaves(scheduler).values() for h in names]
    assert sorted(placed) == sorted(expand(f"dgx-[001-{hosts:03d}]"))
    named = {s.name for s in scheduler.switches}
    children = [c for s in scheduler.switches for c in s.children]
    assert len(children) == len(set(children)), "no switch has two parents"
    assert set(children) <= named, "no child is missing"
    assert len(named - set(children)) == 1, "one root"


def overlay_topology(rails: str, unit: int) -> str:
    return f"""
fabrics:
  - name: compute
    topology: {{rails: {rails}, unit: {min(unit, 4) if rails == "host" else unit}}}
"""


def test_a_dead_rail_moves_no_host_topograph() -> None:
    """From discovery, 7 of 8 nodes on rail 1 become multi-homed and `-N8 --switches=1` is refused."""
    whole, _ = decided(POD)
    broken, _ = decided(POD, "pools: [{name: gpu, exceptions: [{hosts: dgx-017, hcas: {mlx5_3: down, mlx5_0: down}}]}]")
    assert broken.switches == whole.switches


def test_storage_switches_never_reach_slurm_topograph_265() -> None:
    storage = """
fabrics:
  - name: storage
    control: {kind: opensm, flavour: nvidia, version: "5.24", routing: [ar_updn], subnet_prefix: 0xfec0000000000002}
    topology: {kind: fat-tree, prefix: st, rails: host, unit: 16, leaf: {switch: qm9700}, spine: {switch: qm9700}}
    attach: [{pool: gpu, hcas: storage}]
"""
    assert decided(POD, storage)[0].switches == decided(POD)[0].switches


def test_pods_are_a_level_where_there_are_several_soperator_2201() -> None:
    three = 'pools: [{name: gpu, hosts: "dgx-[0001-0512]"}]', "fabrics: [{name: compute, topology: {tiers: 3, pod: 4}}]"
    scheduler, _ = decided(POD, *three)
    by_name = {s.name: s for s in scheduler.switches}
    assert by_name["pod01"].children == ("su01", "su02", "su03", "su04")
    assert by_name["core"].children == ("pod01", "pod02", "pod03", "pod04")
    order = [s.name for s in scheduler.switches]
    assert order.index("su16") < order.index("pod01") < order.index("core"), "leaves first: parent-first chains are refused"


def test_nodes_of_no_fabric_and_rented_nodes_have_roots_of_their_own() -> None:
    """One root over unconnected fabrics lets a job straddle them (soperator 2585); in no leaf a node never runs."""
    more = """
pools:
  - {name: cpu, hosts: "cpu-[1-2]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G, role: management}]}}
  - {name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}
fabrics:
  - {name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}
cloud:
  - provider: azure
    name: burst-south
    pool: burst
    fabric: azure-ib
    region: southcentralus
    image: {version: "22.04.2024102301"}
"""
    scheduler, _ = decided(POD, more)
    assert leaves(scheduler)["off-fabric"] == ["cpu-1", "cpu-2"]
    assert leaves(scheduler)["burst-south"] == ["vm-1", "vm-2", "vm-3", "vm-4"]
    children = {c for s in scheduler.switches for c in s.children}
    assert {s.name for s in scheduler.switches} - children == {"spine", "burst-south", "off-fabric"}
    assert {g.state for g in scheduler.nodes if "burst" in g.features} == {"CLOUD"}
    refused = [p for p in expect(scheduler)["placements"] if p["refused"]]
    assert [p["nodes"] for p in refused] == [133]


def test_planned_hosts_keep_their_place_and_down_hosts_are_down() -> None:
    """FUTURE: the host joins without a slurmctld restart, and no other line moves then."""
    scheduler, _ = decided(
        POD, 'pools: [{name: gpu, exceptions: [{hosts: "dgx-[100-127]", state: planned}, {hosts: dgx-005, state: down}]}]'
    )
    states = {h: g.state for g in scheduler.nodes for h in g.hosts}
    assert (states["dgx-127"], states["dgx-005"], states["dgx-001"]) == ("FUTURE", "DOWN", "UNKNOWN")
    assert leaves(scheduler) == leaves(decided(POD)[0])
    placements = expect(scheduler)["placements"]
    assert placements[0]["options"] == "-p all -N32 --switches=1"
    assert expect(scheduler)["unavailable"] == "dgx-[005,100-127]"


@pytest.mark.parametrize(
    ("version", "params"), [("22.05", ()), ("23.02", ()), ("23.11", ("SwitchAsNodeRank",)), ("26.05", ("SwitchAsNodeRank",))]
)
def test_topology_params_are_those_the_version_knows(version: str, params: tuple[str, ...]) -> None:
    assert decided(POD, f'slurm: {{version: "{version}"}}')[0].params == params


def test_rank_order_can_be_left_to_the_names() -> None:
    assert decided(POD, "slurm: {rank_order: false}")[0].params == ()


@pytest.mark.parametrize(
    ("version", "plugin"), [("22.05", "none"), ("23.11", "default"), ("24.11", "default"), ("25.05", "flat")]
)
def test_no_topology_is_called_what_the_version_calls_it_appliance_754(version: str, plugin: str) -> None:
    scheduler, _ = decided(POD, f'slurm: {{version: "{version}", topology: none}}')
    assert (scheduler.plugin, scheduler.switches, scheduler.blocks) == (plugin, (), ())


def test_an_empty_cluster_at_first_boot_has_no_topology() -> None:
    """K44: never an empty file, never a dummy node."""
    scheduler, _ = decided(POD, "pools: [{name: gpu, schedulable: no}]")
    assert (scheduler.plugin, scheduler.switches, scheduler.nodes, scheduler.partitions) == ("default", (), (), ())


NVL = """
ibgen: 1
cluster: racks
pools:
  - {name: nvl, hosts: "gb[001-144]", platform: gb200-nvl72, domain: 18}
fabrics:
  - name: compute
    control: {kind: provider}
    topology: {kind: opaque}
    attach: [{pool: nvl, hcas: compute}]
slurm: {version: "25.11"}
"""


def test_blocks_are_nvlink_domains() -> None:
    scheduler, _ = decided(NVL)
    assert scheduler.plugin == "block"
    assert scheduler.params == ("BlockAsNodeRank",)
    assert [(b.name, b.hosts[0], b.hosts[-1]) for b in scheduler.blocks][:2] == [
        ("nvl-d01", "gb001", "gb018"),
        ("nvl-d02", "gb019", "gb036"),
    ]
    assert len(scheduler.blocks) == 8
    assert scheduler.block_sizes == (18, 36, 72, 144)


@pytest.mark.parametrize(("version", "sizes"), [("24.11", (16, 32, 64, 128)), ("25.11", (18, 36, 72, 144))])
def test_one_short_rack(version: str, sizes: tuple[int, ...]) -> None:
    """Before 25.05 every block must hold the base; since then a short rack does not shrink the segments of the others."""
    short = 'pools: [{name: nvl, hosts: "gb[001-142]"}]'
    assert decided(NVL, short, f'slurm: {{version: "{version}"}}')[0].block_sizes == sizes


@pytest.mark.parametrize(("version", "plugin"), [("22.05", "tree"), ("23.02", "tree"), ("23.11", "block"), ("24.05", "block")])
def test_blocks_come_with_the_version_that_has_them(version: str, plugin: str) -> None:
    scheduler, found = decided(NVL, f'slurm: {{version: "{version}"}}')
    assert scheduler.plugin == plugin
    assert found == ["IBG645"], "the catalog knows no memory of a GB200 tray"
    assert bool(scheduler.block_sizes) == (version == "24.05"), "23.11 has no BlockSizes"
    assert scheduler.params == (), "BlockAsNodeRank came with 25.11"


@given(units=st.lists(st.integers(1, 8), min_size=1, max_size=6), hosts=st.integers(1, 18), short=st.booleans())
def test_block_sizes_are_what_slurmctld_takes(units: list[int], hosts: int, short: bool) -> None:
    """Each size the first times a power of two, ascending; anything else is fatal `Invalid BlockSizes value`."""
    names = tuple(f"h{i}" for i in range(hosts))
    found = [Block(f"b{u}-{n}", names, f"su{u}") for u, count in enumerate(units) for n in range(count)]
    sizes = block_sizes(tuple(found), 18, short)
    assert sizes[0] <= hosts < 2 * sizes[0] or sizes[0] == 18 == hosts
    for level, size in enumerate(sizes):
        assert size == sizes[0] << level
        assert all(count % (1 << level) == 0 for count in units[:-1]), "no aggregate straddles two units"
    assert sizes[-1] // sizes[0] <= sum(units)


def test_gpu_cores_are_core_numbers_of_whole_sockets_deepops_1214() -> None:
    """0-223 on a 112-core node gives `xcpuinfo_abs_to_mac: failed` and drains the node."""
    lines = decided(POD)[0].gpus
    assert [(g.gpu, g.first, g.last, g.cores) for g in lines] == [("h100", 0, 3, (0, 55)), ("h100", 4, 7, (56, 111))]


def test_small_numa_nodes_are_counted_as_sockets_slurm_operator_205() -> None:
    """A DGX A100 has 8 NUMA nodes of 16 cores; Cores=48-63 matches no socket boundary unless those are the sockets."""
    a100 = """
pools: [{name: gpu, platform: dgx-a100}]
fabrics: [{name: compute, topology: {unit: 20, leaf: {switch: qm8700, downlinks: 20}, spine: {switch: qm8700}}}]
"""
    scheduler, _ = decided(POD, a100)
    sockets = scheduler.nodes[0].sockets
    assert scheduler.numa_sockets
    assert sockets is not None
    assert (sockets.sockets, sockets.cores, sockets.threads) == (8, 16, 2)
    assert [(g.first, g.last, g.cores) for g in scheduler.gpus] == [
        (0, 1, (48, 63)),
        (2, 3, (16, 31)),
        (4, 5, (112, 127)),
        (6, 7, (80, 95)),
    ]


def test_memory_stays_under_what_is_installed() -> None:
    """Above the real value slurmd drains the node: `Low RealMemory`."""
    installed = standard().platform("dgx-h100")
    assert installed is not None
    assert installed.cpu.memory_mb is not None
    assert decided(POD, "slurm: {reserve_memory: 10}")[0].nodes[0].memory_mb == installed.cpu.memory_mb * 90 // 100


def test_a_pin_by_unit_is_a_feature() -> None:
    groups = decided(POD, "slurm: {features: [ib]}")[0].nodes
    assert [g.features for g in groups] == [("gpu", f"su0{n}", "ib") for n in range(1, 5)]


def test_partitions_refer_to_nodes_that_are_defined_once_openhpc_174() -> None:
    debug = '{name: debug, hosts: "dgx-[001-004]", exclusive: no, max_time: "1:00:00"}'
    text = f"slurm: {{partitions: [{{name: train, default: true}}, {debug}]}}"
    scheduler, _ = decided(POD, text)
    assert [(p.name, len(p.hosts), p.default, p.exclusive) for p in scheduler.partitions] == [
        ("train", 127, True, True),
        ("debug", 4, False, False),
    ]
    hosts = [h for g in scheduler.nodes for h in g.hosts]
    assert len(hosts) == len(set(hosts)) == 127


@pytest.mark.parametrize(
    ("overlay", "code"),
    [
        ('slurm: {version: "23.02", topology: block}\npools: [{name: gpu, domain: 4}]', "IBG641"),
        ("slurm: {topology: block}", "IBG642"),
        ('slurm: {features: ["ib State=DOWN"]}', "IBG649"),
        ("slurm: {partitions: [{name: a, default: true}, {name: b, default: true}]}", "IBG648"),
        ('pools: [{name: x, hosts: "x[1-2]", platform: dgx-h100, domain: 2}]', "IBG652"),
    ],
)
def test_what_slurm_would_take_without_a_word_is_found(overlay: str, code: str) -> None:
    assert code in decided(POD, overlay)[1]


def test_expect_is_plain_and_names_every_node_once() -> None:
    wanted = expect(decided(POD)[0])
    assert wanted["nodes"] == "dgx-[001-127]"
    assert wanted["switches"]["spine"] == {"switches": ["su01", "su02", "su03", "su04"]}
    assert [p["options"] for p in wanted["placements"]] == ["-p all -N32 --switches=1", "-p all -N64 --switches=2"]
    assert all(re.fullmatch(r"-p \S+ -N\d+ --switches=\d", p["options"]) for p in wanted["placements"])
