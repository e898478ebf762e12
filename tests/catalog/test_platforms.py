"""Platforms: the adapters people attach by role, their sums, and what a row may not say."""

import pytest
from pydantic import ValidationError

from ibgen.catalog import Hca, Platform, generic, standard

CATALOG = standard()


def platform(id: str) -> Platform:
    found = CATALOG.platform(id)
    assert found is not None
    return found


# HCAs of a host, and its total as the vendor states it (Gb/s).
@pytest.mark.parametrize(
    ("id", "count", "gbps"),
    [
        ("dgx-a100", 8, 1600),
        ("dgx-h100", 8, 3200),
        ("dgx-h200", 8, 3200),
        ("dgx-b200", 8, 3200),
        ("dgx-b300", 8, 6400),
        ("gb200-nvl72", 4, 1600),
        ("azure/Standard_ND96asr_v4", 8, 1600),
        ("azure/Standard_ND96isr_H100_v5", 8, 3200),
        ("azure/Standard_ND128isr_NDR_GB200_v6", 4, 1600),
        ("aws/p4d.24xlarge", 4, 400),
        ("aws/p5.48xlarge", 32, 3200),
        ("aws/p5en.48xlarge", 16, 3200),
        ("aws/p6-b200.48xlarge", 8, 3200),
        ("aws/p6-b300.48xlarge", 16, 6400),
        ("gcp/a3-highgpu-8g", 4, 800),
        ("gcp/a3-megagpu-8g", 8, 1600),
        ("gcp/a3-ultragpu-8g", 8, 3200),
        ("gcp/a4x-maxgpu-4g-metal", 4, 3200),
        ("oci/BM.GPU4.8", 16, 1600),
        ("oci/BM.GPU.H100.8", 16, 3200),
        ("oci/BM.GPU.GB300.4", 8, 3200),  # four 800 Gb/s rails shown as eight devices
        ("coreweave/H100", 8, 3200),
        ("voltagepark/h100", 8, 3200),
    ],
)
def test_compute_adapters_add_up_to_what_the_vendor_states(id: str, count: int, gbps: float) -> None:
    assert len(platform(id).by_role("compute")) == count
    assert platform(id).compute_gbps == gbps


def test_dgx_h100_rails_skip_the_storage_cards() -> None:
    h100 = platform("dgx-h100")
    assert [h.name for h in h100.by_role("compute")] == [f"mlx5_{n}" for n in (0, 3, 4, 5, 6, 9, 10, 11)]
    assert [h.gpu for h in h100.by_role("compute")] == list(range(8))
    assert {h.name for h in h100.hcas} == {f"mlx5_{n}" for n in range(12)}
    assert [h.name for h in h100.by_role("storage")] == ["mlx5_1", "mlx5_7"]


def test_dgx_h100_twin_port_cages_hold_two_adapters_each() -> None:
    cages = [h.cage for h in platform("dgx-h100").by_role("compute")]
    assert sorted(c or "" for c in cages) == [f"OSFP{c}P{p}" for c in (1, 2, 3, 4) for p in (1, 2)]


def test_dgx_a100_storage_cards_are_not_rails() -> None:
    a100 = platform("dgx-a100")
    assert [h.name for h in a100.by_role("compute")] == [f"mlx5_{n}" for n in (0, 1, 2, 3, 6, 7, 8, 9)]
    assert {h.name for h in a100.by_role("storage")} == {"mlx5_4", "mlx5_5"}


def test_dgx_a100_gpus_sit_on_the_numa_nodes_nvidia_documents() -> None:
    a100 = platform("dgx-a100")
    assert a100.gpu_numa == (3, 3, 1, 1, 7, 7, 5, 5)
    assert {n.id: n.cores for n in a100.cpu.numa}[3] == "48-63"


def test_oci_h100_list_is_the_vendors_irregular_one() -> None:
    names = [h.name for h in platform("oci/BM.GPU.H100.8").hcas]
    assert names == [f"mlx5_{n}" for n in (0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17)]


def test_azure_accelerated_networking_vf_is_never_an_adapter() -> None:
    for id in CATALOG.platform_ids():
        if id.startswith("azure/"):
            assert "mlx5_an0" in platform(id).excluded_hcas
            assert platform(id).hca("mlx5_an0") is None


def test_azure_nd_v4_gpus_pair_with_adapters_in_twos_and_numa_is_not_monotonic() -> None:
    ndv4 = platform("azure/Standard_ND96asr_v4")
    assert [h.name for h in ndv4.hcas_of_gpu(0)] == [h.name for h in ndv4.hcas_of_gpu(1)] == ["mlx5_ib0", "mlx5_ib1"]
    assert ndv4.gpu_numa == (1, 1, 0, 0, 3, 3, 2, 2)


def test_azure_topology_file_is_given_for_nd_v4_and_v5_only() -> None:
    with_file = {id for id in CATALOG.platform_ids() if id.startswith("azure/") and platform(id).topo_file}
    assert with_file == {
        f"azure/Standard_{s}" for s in ("ND96asr_v4", "ND96amsr_A100_v4", "ND96isr_H100_v5", "ND96isr_H200_v5")
    }


def test_nvl72_is_eighteen_hosts_of_four_gpus() -> None:
    for id in CATALOG.platform_ids():
        if platform(id).gpu in ("GB200", "GB300"):
            assert platform(id).nvlink_domain_hosts * platform(id).gpus == 72, id


def test_numa_cores_cover_all_physical_cores_once() -> None:
    for id in CATALOG.platform_ids():
        cpu = platform(id).cpu
        if not cpu.numa or cpu.sockets is None or cpu.cores_per_socket is None:
            continue
        cores = [c for n in cpu.numa for lo, hi in [n.cores.split("-")] for c in range(int(lo), int(hi) + 1)]
        assert sorted(cores) == list(range(cpu.sockets * cpu.cores_per_socket)), id
        assert cpu.logical == len(cores) * (cpu.threads_per_core or 1)
        assert sorted(g for n in cpu.numa for g in n.gpus) == list(range(platform(id).gpus))
        assert all(platform(id).gpu_numa[g] == n.id for n in cpu.numa for g in n.gpus)


def test_vendor_settings_stay_text() -> None:
    assert platform("azure/Standard_ND96isr_H100_v5").nccl["NCCL_IB_PCI_RELAXED_ORDERING"] == "1"


def test_an_inline_platform_is_its_authors_word() -> None:
    ufm = generic("ufm", [{"name": "mlx5_0", "model": "cx7", "rate_gbps": 400, "role": "management"}])
    assert ufm.kind == "generic"
    assert ufm.doubts("hcas", "cpu") == []
    assert ufm.by_role("all") == (Hca(name="mlx5_0", model="cx7", rate_gbps=400, role="management"),)


def test_all_values_may_arrive_as_text() -> None:
    row = {"name": "mlx5_0", "rate_gbps": "NDR", "ports": "2", "pcie_gen": "5", "gpu": "null"}
    hca = generic("x", [row]).hcas[0]
    assert (hca.rate_gbps, hca.ports, hca.pcie_gen, hca.gpu, hca.total_gbps) == (400, 2, 5, None, 800)


def test_short_form_spreads_names_and_plural_lists() -> None:
    hcas = generic("x", [{"names": "ibp[0-2]", "rate_gbps": 200, "gpus": [2, 1, 0]}], gpu="H100-SXM", gpus=3).hcas
    assert [(h.name, h.gpu) for h in hcas] == [("ibp0", 2), ("ibp1", 1), ("ibp2", 0)]


@pytest.mark.parametrize(
    ("hcas", "extra", "said"),
    [
        ([{"names": ["a", "a"], "rate_gbps": 1}], {}, "listed 2 times"),
        ([{"names": ["a", "b"], "rate_gbps": 1, "gpus": [0]}], {"gpu": "x", "gpus": 2}, "one entry for each of the 2 names"),
        ([{"names": "mlx5_0,1", "rate_gbps": 1}], {}, "one range such as"),
        ([{"name": "a", "rate_gbps": 1, "gpu": 8}], {"gpu": "x", "gpus": 8}, "paired with GPU 8"),
        ([{"name": "a", "rate_gbps": 0}], {}, "greater than 0"),
        ([{"name": "a", "rate_gbps": "4xEDR"}], {}, "width"),
        ([{"name": "a", "rate_gbps": 1}], {"gpus": 8}, "without a GPU model"),
        ([{"name": "a", "rate_gbps": 1, "speed": 1}], {}, "Extra inputs"),
    ],
)
def test_a_platform_that_contradicts_itself_is_refused(hcas: list[dict[str, object]], extra: dict, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        generic("x", hcas, **extra)
