"""What UCX is told: devices, service level, the file that can carry it, and what is wrong with settings by hand."""

from __future__ import annotations

import pytest

from ibgen import source, spec
from ibgen.catalog import standard
from ibgen.fabric import resolve
from ibgen.targets.devices import host_classes
from ibgen.targets.ucx import LONGEST_LINE, UcxProfile, decide

LAB = """
ibgen: 1
cluster: lab
pools: [{name: gpu, hosts: "n[1-4]", platform: dgx-h100}]
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, version: "5.24"}
    topology: {kind: fat-tree, rails: host, unit: 2, leaf: {switch: qm9700}, spine: {switch: qm9700}}
    attach: [{pool: gpu, hcas: compute}]
nccl: {version: "2.27"}
ucx: {version: "1.16"}
"""


def decided(*texts: str, base: str = LAB) -> tuple[dict[str, UcxProfile], list[str]]:
    document, findings = source.parse(base, "lab.yaml", [(f"{n}.yaml", text) for n, text in enumerate(texts)])
    cluster, found = spec.load(document)
    assert cluster is not None, (findings, found)
    fabric, found = resolve(cluster, standard(), None)
    assert fabric is not None, found
    profiles, found = decide(cluster, fabric, host_classes(cluster, fabric))
    return {p.name: p for p in profiles}, [f.code.id for f in found]


def test_devices_are_nccls_list_in_ucxs_form_needs_25() -> None:
    profiles, found = decided()
    assert found == []
    (devices,) = profiles["gpu"].conf
    assert (devices.name, devices.value) == ("UCX_NET_DEVICES", ",".join(f"mlx5_{n}:1" for n in (0, 3, 4, 5, 6, 9, 10, 11)))
    assert not profiles["gpu"].exports


def test_the_service_level_is_the_fabrics_nccl_tests_199() -> None:
    profiles, _ = decided("fabrics: [{name: compute, qos: {classes: [{name: mpi, use: ucx, sl: 2}]}}]")
    assert {s.name: s.value for s in profiles["gpu"].conf}["UCX_IB_SL"] == "2"


def test_a_ucx_without_ucx_conf_is_told_by_exports() -> None:
    profiles, _ = decided('ucx: {version: "1.11"}')
    assert not profiles["gpu"].conf
    assert [s.name for s in profiles["gpu"].exports] == ["UCX_NET_DEVICES"]


def test_a_line_that_ucx_would_cut_is_exported() -> None:
    """INI_MAX_LINE of UCX is 200 with CR, LF and NUL: the 33rd device would be a setting of its own."""
    hcas = ", ".join(f"{{name: mlx5_{n}, rate: 400G}}" for n in range(32))
    big = LAB.replace("platform: dgx-h100", f"platform: {{kind: generic, hcas: [{hcas}]}}").replace("unit: 2, ", "")
    profiles, _ = decided(base=big)
    (devices,) = profiles["gpu"].exports
    assert len(f"{devices.name}={devices.value}") > LONGEST_LINE
    assert not profiles["gpu"].conf


@pytest.mark.parametrize("platform", ["azure/Standard_ND96isr_H100_v5", "oci/BM.GPU.H100.8"])
def test_hcoll_is_off_where_every_recipe_says_so(platform: str) -> None:
    cloud = (
        LAB[: LAB.index("fabrics:")].replace("dgx-h100", platform)
        + """
fabrics: [{name: net, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: gpu}]}]
ucx: {version: "1.16"}
"""
    )
    profiles, _ = decided(base=cloud)
    assert {s.name: s.value for s in profiles["gpu"].exports} == {"OMPI_MCA_coll_hcoll_enable": "0"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ucx: {pools: {gpu: {settings: {UCX_IB_PKEY: {value: 0x8101, reason: x}}}}}", "IBG680"),
        ("ucx: {pools: {gpu: {settings: {UCX_IB_PKEY: {value: tenant, reason: x}}}}}", "IBG680"),
        ("ucx: {pools: {gpu: {settings: {UCX_IB_PKEY: {value: 0x0, reason: x}}}}}", "IBG680"),
        ("ucx: {pools: {gpu: {settings: {UCX_NET_DEVICES: {value: '=mlx5_0:1', reason: x}}}}}", "IBG681"),
        ("ucx: {pools: {gpu: {settings: {UCX_NET_DEVICES: {value: '^mlx5_1:1', reason: x}}}}}", "IBG681"),
        ("ucx: {pools: {gpu: {settings: {UCX_NET_DEVICES: {value: 'mlx5_0', reason: x}}}}}", "IBG681"),
        ("ucx: {pools: {gpu: {settings: {UCX_NET_DEVICES: {value: 'mlx5_0:1, mlx5_3:1', reason: x}}}}}", "IBG681"),
        ("ucx: {pools: {gpu: {settings: {UCX_IB_SL: {value: 3, reason: x}}}}}", "IBG683"),
        ('ucx: {version: "1.10"}', "IBG682"),
    ],
)
def test_settings_that_ucx_refuses_or_the_fabric_contradicts_are_found(text: str, code: str) -> None:
    assert code in decided(text)[1]
