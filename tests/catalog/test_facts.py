"""Every row that travels with ibgen is valid, has an origin, and can be found without parsing its file."""

import re

import pytest
from ruamel.yaml import YAML

from ibgen import assets
from ibgen.catalog import standard
from ibgen.catalog.kinds import KINDS, model
from ibgen.catalog.shipped import parse, shipped

CATALOG = standard()
ROWS = [(kind, id) for kind in KINDS for id in CATALOG.ids(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_rows_and_all_of_them_validate(kind: str) -> None:
    rows = CATALOG.rows(kind)
    assert rows
    assert all(type(row) is model(kind) for row in rows)


@pytest.mark.parametrize(("kind", "id"), ROWS)
def test_a_row_has_a_source_or_says_it_is_unverified(kind: str, id: str) -> None:
    row = CATALOG.row(kind, id)
    assert row is not None
    assert row.unverified or row.source


def test_hardware_and_cloud_rows_with_a_source_have_a_date() -> None:
    for kind in ("platforms", "switches", "cables", "clouds", "gpus", "hcas"):
        assert [row.id for row in CATALOG.rows(kind) if not row.unverified and row.as_of is None] == []


@pytest.mark.parametrize(("kind", "id"), ROWS)
def test_unverified_fields_name_fields_that_exist(kind: str, id: str) -> None:
    row = CATALOG.row(kind, id)
    assert row is not None
    for dotted in row.unverified_fields:
        parts = dotted.split(".")
        assert parts[0] in type(row).model_fields
        if parts[0] == "hcas":
            assert parts[1] in ("compute", "storage", "management")
            assert kind == "platforms"
            assert any(h.role == parts[1] for h in CATALOG.platform(id).hcas)  # type: ignore[union-attr]


def test_rows_found_by_text_are_the_rows_a_yaml_parser_finds() -> None:
    for path in assets.catalog().glob("*.yaml"):
        kind = path.stem.partition("-")[0]
        whole = YAML(typ="base").load(path.read_text(encoding="utf-8"))
        for row in whole:
            assert parse(shipped().texts[kind][row["id"]]) == row
            for alias in row.get("aliases", ()):
                assert shipped().names[kind][alias] == row["id"]
        file_rows = len(re.findall(r"^- ", path.read_text(encoding="utf-8"), re.M))
        assert file_rows == len(whole)


def test_gpu_and_adapter_models_of_platforms_exist() -> None:
    for id in CATALOG.platform_ids():
        platform = CATALOG.platform(id)
        assert platform is not None
        assert platform.gpu is None or CATALOG.gpu(platform.gpu) is not None, id
        for hca in platform.hcas:
            card = CATALOG.hca(hca.model) if hca.model else None
            assert hca.model is None or card is not None, (id, hca.model)
            if card is not None and not platform.unverified:
                assert hca.rate_gbps <= card.rate_gbps, (id, hca.name)


def test_fabrics_of_clouds_name_known_gpus_and_listed_regions() -> None:
    for id in CATALOG.cloud_ids():
        cloud = CATALOG.cloud(id)
        assert cloud is not None
        for fabric in cloud.fabrics:
            assert CATALOG.gpu(fabric.gpu or "") is not None
            assert fabric.region in cloud.regions


def test_every_vendor_setting_is_a_variable_somebody_owns() -> None:
    known = set(CATALOG.ids("nccl"))
    for id in CATALOG.platform_ids():
        platform = CATALOG.platform(id)
        assert platform is not None
        settings = {*platform.nccl, *platform.nccl_bench, *platform.set_by_plugin}
        assert {name for name in settings if name.startswith("NCCL_")} <= known, id
