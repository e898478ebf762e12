"""The slot rule: NIC rates over usable PCIe (nccl's table), not over raw PCIe."""

import pytest

from ibgen.catalog import generic, slots, standard

CATALOG = standard()


@pytest.mark.parametrize(("gen", "gbs"), [(3, 12), (4, 24), (5, 48), (6, 96)])
def test_usable_x16_rates_are_nccls(gen: int, gbs: float) -> None:
    pcie = CATALOG.pcie(gen)
    assert pcie is not None
    assert pcie.usable_gbs(16) == gbs
    assert pcie.usable_gbs(16) / pcie.raw_x16_gbs == pytest.approx(0.762, abs=0.001)


@pytest.mark.parametrize(
    ("gbps", "gen", "width", "ratio"),
    [
        (100, 3, 16, 12.5 / 12),
        (200, 4, 16, 25 / 24),
        (400, 5, 16, 50 / 48),
        (800, 6, 16, 100 / 96),
        (200, 5, 16, 25 / 48),  # HDR in Gen5 x16: 0.52, the network is too small
        (400, 4, 16, 50 / 24),  # NDR in Gen4 x16: 2.08, the slot is too small
        (400, 5, 8, 50 / 24),  # NDR in Gen5 x8: the same
    ],
)
def test_match_is_nic_rate_over_usable_slot_rate(gbps: float, gen: int, width: int, ratio: float) -> None:
    pcie = CATALOG.pcie(gen)
    assert pcie is not None
    assert pcie.match(gbps, width) == pytest.approx(ratio, rel=1e-12)


@pytest.mark.parametrize("id", ["dgx-a100", "dgx-h100", "dgx-h200", "dgx-b200", "dgx-b300"])
def test_every_dgx_is_clean(id: str) -> None:
    platform = CATALOG.platform(id)
    assert platform is not None
    found = slots(platform, CATALOG)
    assert [s.gpu for s in found] == list(range(8))
    assert all(0.8 <= s.ratio <= 1.1 for s in found)
    assert {s.slot for s in found} == {"gpu"}


@pytest.mark.parametrize("id", ["gb200-nvl72", "azure/Standard_ND128isr_NDR_GB200_v6"])
def test_behind_c2c_the_nics_own_slot_is_judged(id: str) -> None:
    platform = CATALOG.platform(id)
    assert platform is not None
    found = slots(platform, CATALOG)
    assert len(found) == 4
    assert {s.slot for s in found} == {"hca"}
    assert all(s.ratio == pytest.approx(50 / 48) for s in found)


def test_azure_nd_v4_shares_two_adapters_between_two_gpus() -> None:
    ndv4 = CATALOG.platform("azure/Standard_ND96asr_v4")
    assert ndv4 is not None
    assert [s.ratio for s in slots(ndv4, CATALOG)] == pytest.approx([25 / 24] * 8)


def test_p4d_gives_each_gpu_half_an_efa() -> None:
    p4d = CATALOG.platform("aws/p4d.24xlarge")
    assert p4d is not None
    assert [s.ratio for s in slots(p4d, CATALOG)] == pytest.approx([6.25 / 24] * 8)


@pytest.mark.parametrize(
    ("rate", "gen", "width", "slot", "ratio"),
    [
        ("HDR", 4, 16, "gpu", 25 / 48),
        ("NDR", 4, 16, "hca", 50 / 24),
        ("NDR", 5, 8, "hca", 50 / 24),
        ("NDR", 5, 16, "gpu", 50 / 48),
    ],
)
def test_a_card_beside_a_gen5_gpu_is_judged_by_what_fits_worse(
    rate: str, gen: int, width: int, slot: str, ratio: float
) -> None:
    row = {"name": "mlx5_0", "rate_gbps": rate, "pcie_gen": gen, "pcie_width": width, "gpu": 0}
    (match,) = slots(generic("x", [row], gpu="H100-SXM", gpus=1), CATALOG)
    assert (match.slot, match.gpu, match.hcas) == (slot, 0, ("mlx5_0",))
    assert match.ratio == pytest.approx(ratio)


def test_four_quarter_speed_cards_feed_a_gpu_like_one_whole() -> None:
    cards = [{"name": f"e{n}", "rate_gbps": 100, "gpu": 0} for n in range(4)]
    (match,) = slots(generic("x", cards, gpu="H100-SXM", gpus=1), CATALOG)
    assert match.total_gbps == 400
    assert match.ratio == pytest.approx(50 / 48)


def test_a_host_without_gpus_is_judged_by_its_cards() -> None:
    (match,) = slots(generic("x", [{"name": "mlx5_0", "rate_gbps": 400, "pcie_gen": 4}]), CATALOG)
    assert (match.what, match.gpu, match.ratio) == ("mlx5_0", None, pytest.approx(50 / 24))


def test_a_slot_nobody_documents_is_left_out() -> None:
    assert slots(generic("x", [{"name": "mlx5_0", "rate_gbps": 400}]), CATALOG) == ()
