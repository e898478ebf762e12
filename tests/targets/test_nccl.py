"""What NCCL is told, and what it would make of what others wrote."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen import source, spec
from ibgen.catalog import standard
from ibgen.fabric import resolve
from ibgen.targets.devices import host_classes
from ibgen.targets.nccl import NcclProfile, decide, expect
from ibgen.targets.nccl_hcas import exactly, selected

LAB = """
ibgen: 1
cluster: lab
pools:
  - {name: gpu, hosts: "node-[01-08]", platform: dgx-h100}
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, version: "5.24", routing: [ar_updn], subnet_prefix: 0xfec0000000000001}
    topology: {kind: fat-tree, rails: aligned, unit: 8, leaf: {switch: qm9700, downlinks: 32}, spine: {switch: qm9700}}
    attach: [{pool: gpu, hcas: compute}]
nccl: {version: "2.27", pools: {gpu: {}}}
"""


def decided(*texts: str) -> tuple[dict[str, NcclProfile], list[str]]:
    document, findings = source.parse(texts[0], "lab.yaml", [(f"{n}.yaml", text) for n, text in enumerate(texts[1:])])
    cluster, found = spec.load(document)
    assert cluster is not None, (findings, found)
    fabric, found = resolve(cluster, standard(), None)
    assert fabric is not None, found
    profiles, found = decide(cluster, fabric, host_classes(cluster, fabric), standard())
    return {p.name: p for p in profiles}, [f.code.id for f in found]


def values(profile: NcclProfile) -> dict[str, str]:
    return {s.name: s.value for s in profile.settings}


# devices and rows: NCCL 2.21.5's own matcher, measured
DEVICES = [("mlx5_0", 1), ("mlx5_1", 1), ("mlx5_2", 1), ("mlx5_10", 1), ("mlx5_11", 1), ("mlx5_bond_0", 1), ("ib0", 1)]
ALL = {name for name, _ in DEVICES}


@pytest.mark.parametrize(
    ("value", "chosen"),
    [
        ("mlx5_1", {"mlx5_1", "mlx5_10", "mlx5_11"}),
        ("=mlx5_1", {"mlx5_1"}),
        ("mlx5_0:1,mlx5_1:1", {"mlx5_0", "mlx5_1", "mlx5_10", "mlx5_11"}),
        ("^mlx5_1", ALL - {"mlx5_1", "mlx5_10", "mlx5_11"}),
        ("^=mlx5_1", ALL - {"mlx5_1"}),
        ("^=mlx5_0,^=mlx5_1", ALL - {"mlx5_0"}),
        ("=mlx5_0, mlx5_1", {"mlx5_0"}),
        ('"mlx5_0,mlx5_1"', set()),
        ("=mlx5_99", set()),
        ("=mlx5_0:2", set()),
        ("", ALL),
    ],
)
def test_the_matcher_selects_what_nccl_selects(value: str, chosen: set[str]) -> None:
    assert {name for name, _ in selected(value, DEVICES)} == chosen


@given(st.sets(st.sampled_from([(f"mlx5_{n}", port) for n in range(32) for port in (1, 2)]), min_size=1, max_size=32))
def test_a_list_we_write_selects_exactly_its_ports(ports: set[tuple[str, int]]) -> None:
    every = [(f"mlx5_{n}", port) for n in range(40) for port in (1, 2)]
    assert set(selected(exactly(sorted(ports)), every)) == ports


def test_the_hca_list_is_the_compute_ports_and_nothing_else_k17() -> None:
    profiles, found = decided(LAB)
    assert found == []
    assert values(profiles["gpu"]) == {
        "NCCL_IB_HCA": "=mlx5_0:1,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_6:1,mlx5_9:1,mlx5_10:1,mlx5_11:1"
    }


def test_hosts_with_an_adapter_out_have_a_file_of_their_own_k18() -> None:
    profiles, _ = decided(LAB, "pools: [{name: gpu, exceptions: [{hosts: node-03, hcas: {mlx5_4: down}}]}]")
    assert sorted(profiles) == ["gpu", "gpu-without-mlx5_4"]
    assert profiles["gpu-without-mlx5_4"].hosts == ("node-03",)
    assert "mlx5_4:1" not in values(profiles["gpu-without-mlx5_4"])["NCCL_IB_HCA"]
    assert "node-03" not in profiles["gpu"].hosts


def test_the_bootstrap_interface_is_exact_nccl_286() -> None:
    profiles, _ = decided(LAB, "nccl: {pools: {gpu: {socket_interface: bond0}}}")
    assert values(profiles["gpu"])["NCCL_SOCKET_IFNAME"] == "=bond0"


def test_cross_nic_is_left_alone_where_spines_join_the_rails() -> None:
    assert "NCCL_CROSS_NIC" not in values(decided(LAB)[0]["gpu"])


def test_isolated_rails_forbid_crossing_nccl_836() -> None:
    apart = """
pools: [{name: gpu, hosts: "node-[01-02]"}]
fabrics:
  - name: compute
    topology:
      kind: explicit
      switches: [{names: "leaf-[0-1]", switch: qm9700, role: leaf}]
      cables:
        - leaf-0:1 node-01/mlx5_0:1
        - leaf-0:2 node-02/mlx5_0:1
        - leaf-1:1 node-01/mlx5_3:1
        - leaf-1:2 node-02/mlx5_3:1
"""
    text = LAB.replace(
        "topology: {kind: fat-tree, rails: aligned, unit: 8, leaf: {switch: qm9700, downlinks: 32}, spine: {switch: qm9700}}",
        "topology: {}",
    )
    profiles, _ = decided(text, apart)
    assert values(profiles["gpu"]) == {"NCCL_IB_HCA": "=mlx5_0:1,mlx5_3:1", "NCCL_CROSS_NIC": "0"}


def test_the_service_level_of_the_fabric_is_nccls() -> None:
    profiles, _ = decided(LAB, "fabrics: [{name: compute, qos: {classes: [{name: n, use: nccl, sl: 3}]}}]")
    assert values(profiles["gpu"])["NCCL_IB_SL"] == "3"


CLOUD = """
ibgen: 1
cluster: lab
pools: [{{name: vm, hosts: "vm-[1-4]", platform: {platform}}}]
fabrics: [{{name: net, kind: {kind}, control: {{kind: provider}}, topology: {{kind: opaque}}, attach: [{{pool: vm}}]}}]
nccl: {{version: "2.27"}}
"""


def test_azure_gets_its_vendors_settings_and_never_the_ethernet_function_nccl_1101() -> None:
    profiles, _ = decided(CLOUD.format(platform="azure/Standard_ND96isr_H100_v5", kind="infiniband"))
    got = values(profiles["vm"])
    assert got["NCCL_IB_HCA"] == "=" + ",".join(f"mlx5_ib{n}:1" for n in range(8))
    assert got["NCCL_IB_PCI_RELAXED_ORDERING"] == "1"
    assert got["NCCL_TOPO_FILE"] == "/opt/microsoft/ndv5/topo.xml"
    assert got["NCCL_IGNORE_CPU_AFFINITY"] == "1"


def test_efa_is_told_to_fail_without_its_plugin_and_nothing_of_nccl_ib() -> None:
    profiles, _ = decided(CLOUD.format(platform="aws/p5.48xlarge", kind="efa"))
    assert values(profiles["vm"]) == {"NCCL_NET": "AWS Libfabric"}


@pytest.mark.parametrize(("platform", "net"), [("gcp/a3-highgpu-8g", "GPUDirectTCPX_v7"), ("gcp/a3-ultragpu-8g", "gIB")])
def test_google_hosts_source_their_vendors_script(platform: str, net: str) -> None:
    """A guest checker aborts on values that differ from the script's."""
    profiles, _ = decided(CLOUD.format(platform=platform, kind="roce"))
    assert values(profiles["vm"]) == {"NCCL_NET": net}


def test_what_is_the_default_already_is_not_written_oci_hpc_48() -> None:
    profiles, _ = decided(CLOUD.format(platform="ibm/gx3d-160x1792x8h100", kind="roce"))
    assert "NCCL_IB_PCI_RELAXED_ORDERING" not in values(profiles["vm"]), "2 is the default"


@pytest.mark.parametrize(("version", "comments"), [("2.21", False), ("2.26", False), ("2.26.2", True), ("2.27", True)])
def test_comments_only_where_every_reader_knows_them(version: str, comments: bool) -> None:
    assert decided(LAB, f'nccl: {{version: "{version}"}}')[0]["gpu"].comments == comments


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("NCCL_MIN_CHANNELS: {value: 4, reason: x}", "IBG661"),
        ("NCCL_IB_OOO_RQ: {value: 1, reason: x}", "IBG662"),
        ("NCCL_TREE_THRESHOLD: {value: 0, reason: x}", "IBG663"),
        ("NCCL_ALGO: {value: Ring, reason: x}", "IBG663"),
        ("NCCL_NET_GDR_LEVEL: {value: 3, reason: x}", "IBG664"),
        ("NCCL_IB_TIMEOUT: {value: 40, reason: x}", "IBG664"),
        ('NCCL_IB_HCA: {value: "=mlx5_0, mlx5_3", reason: x}', "IBG664"),
        ("NCCL_IB_TIMEOUT: {value: 20, reason: x}", "IBG665"),
        ("NCCL_IB_HCA: {value: mlx5_1, reason: x}", "IBG666"),
        ('NCCL_IB_HCA: {value: "^=mlx5_1,^=mlx5_7", reason: x}', "IBG666"),
    ],
)
def test_settings_nccl_would_take_without_a_word_are_found(setting: str, code: str) -> None:
    assert code in decided(LAB, f"nccl: {{pools: {{gpu: {{settings: {{{setting}}}}}}}}}")[1]


def test_a_setting_by_hand_wins_and_keeps_its_reason() -> None:
    text = "nccl: {pools: {gpu: {settings: {NCCL_IB_TIMEOUT: {value: 22, reason: 512 nodes}}}}}"
    profiles, found = decided(LAB, text)
    assert found == []
    assert [(s.value, s.reason) for s in profiles["gpu"].settings if s.name == "NCCL_IB_TIMEOUT"] == [("22", "512 nodes")]


def test_expect_names_the_file_and_every_value() -> None:
    wanted = expect(decided(LAB)[0]["gpu"])
    assert wanted["file"] == "nccl/gpu.conf"
    assert wanted["hosts"] == "node-[01-08]"
    assert list(wanted["settings"]) == ["NCCL_IB_HCA"]


PLANES = """
ibgen: 1
cluster: lab
pools:
  - name: gpu
    hosts: "node-[01-08]"
    platform:
      {kind: generic, gpu: H100-SXM, gpus: 2, hcas: [
        {name: mlx5_0, rate: 200G, gpu: 0}, {name: mlx5_1, rate: 200G, gpu: 0},
        {name: mlx5_2, rate: 200G, gpu: 1}, {name: mlx5_3, rate: 200G, gpu: 1}]}
fabrics:
  - name: compute
    control: {kind: opensm, subnet_prefix: 0xfec0000000000001}
    topology: {kind: fat-tree, planes: 2, unit: 8, leaf: {switch: qm8700}, spine: {switch: qm8700}}
    attach:
      - {pool: gpu, hcas: [mlx5_0, mlx5_2], ports: {1: plane-a}}
      - {pool: gpu, hcas: [mlx5_1, mlx5_3], ports: {1: plane-b}}
nccl: {version: "2.30.7"}
"""
PARTED = "nccl: {pools: {gpu: {settings: {NCCL_IB_MERGE_NICS: {value: 0, reason: device-side networking}}}}}\n"


def of_release(version: str) -> str:
    return f'nccl: {{version: "{version}"}}\n'


def test_ports_of_two_planes_are_named_with_rail_and_plane() -> None:
    """The form is the guide's own example: `=mlx5_0:1:0:0,mlx5_1:1:0:1` is rail 0 on planes 0 and 1 (NCCL_IB_HCA, 2.30.7)."""
    profiles, codes = decided(PLANES)
    told = values(profiles["gpu"])
    assert told["NCCL_IB_HCA"] == "=mlx5_0:1:0:0,mlx5_1:1:0:1,mlx5_2:1:1:0,mlx5_3:1:1:1"
    assert "NCCL_CROSS_NIC" not in told, "planes are never connected, and the rails of each are joined"
    assert codes == []


def test_one_card_with_two_ports_is_one_rail_on_two_planes() -> None:
    card = PLANES.replace("{name: mlx5_1, rate: 200G, gpu: 0},", "").replace(", {name: mlx5_3, rate: 200G, gpu: 1}", "")
    card = card.replace("rate: 200G", "rate: 200G, ports: 2")
    attach = card[card.index("    attach:") : card.index("nccl:")]
    told = values(decided(card.replace(attach, "    attach: [{pool: gpu, hcas: compute}]\n"))[0]["gpu"])
    assert told["NCCL_IB_HCA"] == "=mlx5_0:1:0:0,mlx5_0:2:0:1,mlx5_2:1:1:0,mlx5_2:2:1:1"


@pytest.mark.parametrize("version", ["2.20", "2.27.5", "2.30", "2.30.4"])
def test_a_library_that_knows_no_planes_is_kept_to_its_adapter(version: str) -> None:
    profiles, codes = decided(PLANES, of_release(version))
    told = values(profiles["gpu"])
    assert told["NCCL_IB_HCA"] == "=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1"
    assert told["NCCL_CROSS_NIC"] == "0"
    assert codes == []


def test_cross_nic_0_still_crosses_on_dual_port_cards() -> None:
    """NVIDIA/nccl#2097: both ports of a newer card have one ASIC and one port number, so only merging keeps them apart."""
    assert decided(PLANES, of_release("2.19.3"))[1] == ["IBG670"]
    assert "IBG670" in decided(PLANES, of_release("2.27"), PARTED)[1]
    assert "IBG670" not in decided(PLANES, PARTED)[1], "a library that is told the planes needs no merging"
    assert "IBG670" not in decided(LAB, of_release("2.19.3"))[1], "one plane"


def test_isolated_rails_have_rail_numbers_and_stay_apart() -> None:
    rails = LAB.replace("kind: fat-tree, rails: aligned, ", "kind: rail-only, ").replace(", spine: {switch: qm9700}", "")
    told = values(decided(rails, of_release("2.30.7"))[0]["gpu"])
    assert told["NCCL_IB_HCA"].startswith("=mlx5_0:1:0,mlx5_3:1:1,mlx5_4:1:2,")
    assert told["NCCL_CROSS_NIC"] == "0"
    assert ":1:0" not in values(decided(rails)[0]["gpu"])["NCCL_IB_HCA"], "2.27 has no rails"


SECOND = """
fabrics:
  - name: second
    control: {kind: opensm, subnet_prefix: 0xfec0000000000021}
    topology: {kind: rail-only, prefix: s, unit: 8, leaf: {switch: qm8700}}
    attach: [{pool: gpu, hcas: [mlx5_1, mlx5_3]}]
"""


def test_two_fabrics_on_one_host_are_two_planes() -> None:
    """The rails of the second are islands, which planes alone do not tell."""
    one = PLANES.replace("planes: 2, ", "").replace(", ports: {1: plane-a}", "")
    one = one.replace("      - {pool: gpu, hcas: [mlx5_1, mlx5_3], ports: {1: plane-b}}\n", "")
    told = values(decided(one, SECOND)[0]["gpu"])
    assert told["NCCL_IB_HCA"] == "=mlx5_0:1:0:0,mlx5_1:1:0:1,mlx5_2:1:1:0,mlx5_3:1:1:1"
    assert told["NCCL_CROSS_NIC"] == "0"


def test_planes_without_places_are_what_the_matcher_selects() -> None:
    """NCCL's matcher stops reading a name at the second colon: rail and plane change nothing about what is selected."""
    value = values(decided(PLANES)[0]["gpu"])["NCCL_IB_HCA"]
    devices = [*DEVICES, ("mlx5_3", 1)]
    assert {name for name, _ in selected(value, devices)} == {"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"}


LOST = "pools: [{name: gpu, exceptions: [{hosts: node-03, hcas: {mlx5_2: down}}, {hosts: node-04, hcas: {HCAS}}]}]\n"


def test_a_host_with_half_a_rail_is_named() -> None:
    """NCCL deals queue pairs to merged ports in turn: one port that answers for two is on the wrong plane for half of them."""
    profiles, codes = decided(PLANES, LOST.replace("HCAS", "mlx5_0: down, mlx5_1: down"))
    assert codes == ["IBG671"], "node-04 has lost the whole rail, which is clean"
    assert values(profiles["gpu-without-mlx5_2"])["NCCL_IB_HCA"] == "=mlx5_0:1:0:0,mlx5_1:1:0:1,mlx5_3:1:1:1"
    assert values(profiles["gpu-without-mlx5_0-mlx5_1"])["NCCL_IB_HCA"] == "=mlx5_2:1:1:0,mlx5_3:1:1:1"
    assert decided(PLANES, LOST.replace("HCAS", "mlx5_1: down"))[1] == ["IBG671", "IBG671"]
    assert "IBG671" not in decided(PLANES, LOST.replace("HCAS", "mlx5_1: down"), PARTED)[1], "nothing is merged"


@settings(max_examples=40, deadline=None)
@given(planes=st.integers(2, 4), gpus=st.integers(1, 8), single=st.booleans())
def test_each_port_has_one_place_and_a_rail_is_one_gpus_on_every_plane(planes: int, gpus: int, single: bool) -> None:
    """Whether a card is one device with several ports or several devices with one each."""
    names = [[f"mlx5_{g}" if single else f"mlx5_{g * planes + p}" for p in range(planes)] for g in range(gpus)]
    cards = [
        f"{{name: {name}, rate: 200G, gpu: {g}, ports: {planes if single else 1}}}"
        for g, of in enumerate(names)
        for name in dict.fromkeys(of)
    ]
    attach = [f"{{pool: gpu, hcas: [{', '.join(of[p] for of in names)}], ports: {{1: p{p + 1}}}}}" for p in range(planes)]
    entries = "{pool: gpu, hcas: compute}" if single else ", ".join(attach)
    text = PLANES[: PLANES.index("    platform:")] + f"    platform: {{kind: generic, gpu: H100-SXM, gpus: {gpus}, hcas: ["
    text += ", ".join(cards) + "]}\n" + PLANES[PLANES.index("fabrics:") : PLANES.index("    attach:")]
    text = text.replace("planes: 2", f"planes: {planes}") + f"    attach: [{entries}]\n" + 'nccl: {version: "2.30.7"}\n'
    value = values(decided(text)[0]["gpu"])["NCCL_IB_HCA"]
    found = [entry.split(":") for entry in value.removeprefix("=").split(",")]
    ports, places = [(name, int(port)) for name, port, _, _ in found], [(int(r), int(p)) for _, _, r, p in found]
    wanted = {(of[p], p + 1 if single else 1): (g, p) for g, of in enumerate(names) for p in range(planes)}
    assert dict(zip(ports, places, strict=True)) == wanted
    assert len(found) == planes * gpus
