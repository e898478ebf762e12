"""Finding rows: exact names, near misses, doubts, the digest, limits, cables."""

import pytest

from ibgen.catalog import Fact, load, standard

CATALOG = standard()


def test_aliases_lead_to_the_same_row() -> None:
    assert CATALOG.platform("dgx/h100") is CATALOG.platform("dgx-h100")
    assert CATALOG.platform("Standard_ND96isr_H100_v5") is CATALOG.platform("azure/Standard_ND96isr_H100_v5")
    assert CATALOG.switch("QM9700") is CATALOG.switch("qm9700")


@pytest.mark.parametrize("name", ["dgx-h1000", "DGX-H100", "", "dgx h100", "qm9700"])
def test_an_unknown_model_is_none_and_never_the_nearest(name: str) -> None:
    assert CATALOG.platform(name) is None


@pytest.mark.parametrize(
    ("kind", "typed", "meant"),
    [
        ("platform", "dgx-h10", "dgx-h100"),
        ("platform", "DGX-H100", "dgx-h100"),
        ("platforms", "dgx_b200", "dgx-b200"),
        ("platforms", "standard_nd96isr_h100_v5", "azure/Standard_ND96isr_H100_v5"),
        ("platforms", "p5.48xl", "aws/p5.48xlarge"),
        ("platforms", "gb200", "gb200-nvl72"),
        ("switch", "qm9700x", "qm9700"),
        ("switches", "QM-9700", "qm9700"),
        ("switches", "q3400ra", "q3400-ra"),
        ("gpu", "h100sxm", "H100-SXM"),
        ("cloud", "azur", "azure"),
        ("nccl", "NCCL_MIN_CHANNELS", "NCCL_MIN_NCHANNELS"),
    ],
)
def test_near_matches_offer_what_was_meant(kind: str, typed: str, meant: str) -> None:
    assert meant in CATALOG.near(kind, typed)


def test_nonsense_has_no_near_match() -> None:
    assert CATALOG.near("platforms", "zzzzqqqq") == []


def test_ids_are_sorted_and_without_aliases() -> None:
    ids = CATALOG.platform_ids()
    assert list(ids) == sorted(ids)
    assert "dgx-h100" in ids
    assert "dgx/h100" not in ids


def test_doubts_tell_which_used_fields_lack_a_document() -> None:
    h100 = CATALOG.platform("dgx-h100")
    assert h100 is not None
    assert h100.doubts("hcas.compute", "gpus", "gpu") == []
    assert h100.doubts("hcas.storage.name") == ["hcas.storage.name"]
    assert h100.doubts("hcas") == ["hcas.management", "hcas.storage.name"]
    assert h100.doubts("cpu.sockets", "cpu.memory_mb", "cpu.numa", "power_kw") == ["cpu.numa", "power_kw"]


def test_a_wholly_unverified_row_doubts_whatever_is_used() -> None:
    switch = CATALOG.switch("sb7800")
    assert switch is not None
    assert switch.doubts("radix", "rate_gbps") == ["radix", "rate_gbps"]
    assert "radix" in switch.doubts()


def test_a_field_does_not_meet_another_that_starts_alike() -> None:
    assert Fact(id="x", unverified_fields=("price_usd_h",)).doubts("price_usd") == []


def test_digest_is_stable_and_moves_with_the_users_rows() -> None:
    extra = "gpus:\n- {id: g, memory_gb: 1, source: s}\n"
    assert standard().digest() == load()[0].digest() == CATALOG.digest()
    assert len(CATALOG.digest()) == 64
    assert load([("a.yaml", extra)])[0].digest() == load([("b/a.yaml", extra)])[0].digest() != CATALOG.digest()


def test_azure_keeps_100_hosts_in_a_placement_group_and_300_on_request() -> None:
    azure = CATALOG.cloud("azure")
    assert azure is not None
    assert azure.limit("single_placement_group") == 100
    assert azure.limit("single_placement_group_on_request") == 300
    assert azure.limit("nodes") is None
    assert azure.majors("azurerm") == (5, 4)


def test_nebius_fabrics_belong_to_a_region_and_a_gpu() -> None:
    nebius = CATALOG.cloud("nebius")
    assert nebius is not None
    found = {f.name: (f.gpu, f.region) for f in nebius.fabrics}
    assert found["fabric-7"] == ("H200-SXM", "eu-north1")
    assert found["fabric-2"] == ("H100-SXM", "eu-north1")


def test_cables_are_offered_shortest_first_and_only_where_they_reach() -> None:
    assert [c.id for c in CATALOG.cables_for(400, 2)][:2] == ["dac", "acc-ndr"]
    assert [c.id for c in CATALOG.cables_for(400, 100)] == ["osfp-2x400g-dr8"]
    assert CATALOG.cables_for(800, 1000) == ()
    assert all(c.rate_gbps in (None, 200) for c in CATALOG.cables_for(200))
