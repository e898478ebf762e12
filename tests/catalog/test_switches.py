"""Switches: cage -> port -> lanes, labels on the box, splits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ibgen.catalog import SwitchModel, standard

CATALOG = standard()


def switch(id: str) -> SwitchModel:
    found = CATALOG.switch(id)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("id", "ports", "gbps", "cages", "tbps_both_ways"),
    [
        ("qm8700", 40, 200, 40, 16),
        ("qm8790", 40, 200, 40, 16),
        ("qm9700", 64, 400, 32, 51.2),
        ("qm9790", 64, 400, 32, 51.2),
        ("q3400-ra", 144, 800, 72, None),  # its 115.2 Tb/s counts one direction
        ("sn5600", 64, 800, 64, None),
        ("sn5400", 64, 400, 64, None),
        ("sb7800", 36, 100, 36, 7.2),
    ],
)
def test_ports_and_capacity_are_the_stated_ones(
    id: str, ports: int, gbps: float, cages: int, tbps_both_ways: float | None
) -> None:
    model = switch(id)
    assert (model.radix, model.rate_gbps, model.cages) == (ports, gbps, cages)
    if tbps_both_ways:
        assert 2 * model.radix * model.rate_gbps / 1000 == tbps_both_ways


@pytest.mark.parametrize(("id", "count", "gbps"), [("qm9700", 128, 200), ("qm9790", 128, 200), ("qm8700", 80, 100)])
def test_split_doubles_the_ports_and_halves_the_rate_over_two_lanes(id: str, count: int, gbps: float) -> None:
    model = switch(id)
    split = model.split(2)
    assert split is not None
    assert model.ports_when_split(2) == count
    assert (split.rate_gbps, split.lanes, split.profile) == (gbps, 2, "split-ready")


def test_hdr100_y_cables_need_the_split_ready_profile() -> None:
    assert switch("qm8700").split(2).profile == "split-ready"  # type: ignore[union-attr]


def test_edr_cannot_be_split() -> None:
    assert switch("sb7800").splits == ()
    row = switch("sb7800").model_dump() | {"splits": [{"ways": 2, "rate_gbps": 50, "lanes": 2}]}
    with pytest.raises(ValidationError, match="from HDR on"):
        SwitchModel.model_validate(row)
    with pytest.raises(ValueError, match="no 2-way split"):
        switch("sb7800").ports_when_split(2)


@pytest.mark.parametrize(
    ("id", "port", "lane", "label"),
    [
        ("qm9700", 1, None, "1/1"),
        ("qm9700", 2, None, "1/2"),
        ("qm9700", 3, None, "2/1"),
        ("qm9700", 64, None, "32/2"),
        ("qm9700", 1, 2, "1/1/2"),
        ("qm8700", 7, None, "7"),
        ("qm8700", 7, 1, "7/1"),
        ("q3400-ra", 144, None, "72/2"),
    ],
)
def test_port_labels(id: str, port: int, lane: int | None, label: str) -> None:
    assert switch(id).port_label(port, lane) == label


@pytest.mark.parametrize(("port", "lane"), [(0, None), (65, None), (1, 0), (1, 3)])
def test_a_port_the_switch_does_not_have_is_refused(port: int, lane: int | None) -> None:
    with pytest.raises(ValueError, match="qm9700"):
        switch("qm9700").port_label(port, lane)
    with pytest.raises(ValueError, match="qm9700"):
        switch("qm9700").ib_port(port, lane)


def test_a_lane_of_a_switch_that_cannot_split_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be split"):
        switch("sb7800").port_label(1, 1)


@given(st.sampled_from(CATALOG.switch_ids()), st.data())
def test_labels_and_numbers_never_collide(id: str, data: st.DataObject) -> None:
    model = switch(id)
    ways = data.draw(st.sampled_from([None, *(s.ways for s in model.splits)]))
    places = [(p, lane) for p in range(1, model.radix + 1) for lane in ([None] if ways is None else range(1, ways + 1))]
    labels = [model.port_label(p, lane) for p, lane in places]
    numbers = [model.ib_port(p, lane, ways or 2) for p, lane in places]
    assert len(set(labels)) == len(places)
    assert numbers == list(range(1, len(places) + 1))


def test_dumps_show_one_port_more_than_the_data_ports() -> None:
    assert {id: switch(id).radix + switch(id).management_ports for id in ("qm8700", "qm9700")} == {"qm8700": 41, "qm9700": 65}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cages": 31}, "31 cages x 2 ports"),
        ({"splits": [{"ways": 4, "rate_gbps": 100, "lanes": 2}]}, "more than 4 lanes"),
        ({"splits": [{"ways": 2, "rate_gbps": 400, "lanes": 2}]}, "exceeds"),
        ({"latency_ns": [330, 150]}, "low, high"),
        ({"radix": "many"}, "integer"),
        ({"ports": 64}, "Extra inputs"),
    ],
)
def test_a_switch_that_contradicts_itself_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        SwitchModel.model_validate(switch("qm9700").model_dump() | change)
