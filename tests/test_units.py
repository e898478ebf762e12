"""Rates, sizes, times and counts: what people write, what programs want."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgen.units import (
    OPENSM_RATES,
    UnitError,
    bytes_text,
    count,
    duration_s,
    gbps_text,
    link_gbps,
    opensm_mtu,
    opensm_rate,
    rate_gbps,
    rate_name,
    size_bytes,
)


@pytest.mark.parametrize(
    ("text", "gbps"),
    [
        *[
            ("SDR", 10),
            ("DDR", 20),
            ("QDR", 40),
            ("FDR10", 40),
            ("FDR", 56),
            ("EDR", 100),
            ("HDR", 200),
            ("NDR", 400),
            ("XDR", 800),
        ],
        *[("HDR100", 100), ("HDR200", 200), ("NDR200", 200), ("NDR400", 400), ("XDR400", 400), ("XDR800", 800), ("ndr", 400)],
        *[("400G", 400), ("400 G", 400), ("400Gb/s", 400), ("400 Gbps", 400), ("400Gbit/s", 400), ("100", 100), (100, 100)],
        *[("100 Gb/sec", 100), ("1.6T", 1600), ("1.6 Tb/s", 1600), ("2.5", 2.5), (" 200G ", 200)],
    ],
)
def test_a_rate_is_read_as_the_tools_print_it(text: str | int, gbps: float) -> None:
    rate = rate_gbps(text)
    assert rate == gbps
    assert isinstance(rate, int) == (gbps == int(gbps))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("4xEDR", "write `EDR`"),
        ("4X NDR", "write `NDR`"),
        ("2xHDR", "write `HDR100`"),
        ("2x NDR", "write `NDR200`"),
        ("12x EDR", "write `EDR`"),
        ("4X 106.25 Gbps", "write `400G`"),
        ("4x 25.78", "write `100G`"),
        ("2x EDR", "write the rate of the port"),
        ("4x", "write the rate of the port"),
        ("4x400G", "write the rate of the port"),
        ("50 GB/s", "50 GB/s is 400 Gb/s"),
        ("50GB", "400 Gb/s"),
        *[
            (text, "write `400G`")
            for text in ("", "fast", "NDR100", "EDR50", "400M", "-400G", "4e2", "nan", "inf", "4_00", "400 G b", "٤٠٠")
        ],
        ("9999999999", "write the rate in Gb/s"),
        ("0", "write the rate in Gb/s"),
    ],
)
def test_nonsense_rates_are_refused_with_the_right_spelling(text: str, hint: str) -> None:
    with pytest.raises(UnitError) as caught:
        rate_gbps(text)
    assert hint in caught.value.hint
    if text:
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("gbps", "width", "name"),
    [
        *[(10, 4, "SDR"), (40, 4, "QDR"), (56, 4, "FDR"), (100, 4, "EDR"), (200, 4, "HDR"), (400, 4, "NDR"), (800, 4, "XDR")],
        *[(100, 2, "HDR100"), (200, 2, "NDR200"), (400, 2, "XDR400"), (50, 1, "HDR"), (300, 12, "EDR"), (400.0, 4, "NDR")],
    ],
)
def test_a_rate_and_a_width_name_a_generation(gbps: float, width: int, name: str) -> None:
    assert rate_name(gbps, width) == name
    if width != 1 and width != 12:
        assert rate_gbps(name) == gbps


# needs.md K7: 2x exists from HDR on
@pytest.mark.parametrize(("gbps", "width"), [(50, 2), (20, 2), (123, 4), (400, 3), (400, 0), (0, 4)])
def test_two_lanes_of_edr_do_not_exist(gbps: float, width: int) -> None:
    with pytest.raises(UnitError) as caught:
        rate_name(gbps, width)
    assert caught.value.hint


# needs.md K8, and iblinkinfo's own figures
@pytest.mark.parametrize(
    ("width", "signal", "gbps"),
    [
        (4, 106.25, 400),
        (4, 53.125, 200),
        (4, 25.78, 100),
        (4, 25.78125, 100),
        (2, 53.125, 100),
        (4, 14.0625, 56),
        (1, 2.5, 2.5),
        (4, 212.5, 800),
    ],
)
def test_106_gbps_after_4x_is_a_lane_not_the_link(width: int, signal: float, gbps: float) -> None:
    assert link_gbps(width, signal) == gbps


@pytest.mark.parametrize(("width", "signal"), [(4, 100), (3, 25.78), (4, 0)])
def test_lanes_that_do_not_exist_are_refused(width: int, signal: float) -> None:
    with pytest.raises(UnitError):
        link_gbps(width, signal)


# ib_types.h: IB_PATH_RECORD_RATE_* and IB_MTU_LEN_*
def test_opensm_numbers_are_those_of_ib_types() -> None:
    assert [opensm_rate(x) for x in (2.5, 10, 30, 5, 20, 40, 60, 80, 120)] == list(range(2, 11))
    assert [opensm_rate(x) for x in (14, 56, 112, 168, 25, 100, 200, 300, 28, 50, 400, 600)] == list(range(11, 23))
    assert [opensm_rate(x) for x in (800, 1200)] == [23, 24]
    assert len(set(OPENSM_RATES.values())) == len(OPENSM_RATES)
    assert [opensm_mtu(x) for x in (256, 512, 1024, 2048, 4096)] == [1, 2, 3, 4, 5]


def test_opensm_knows_no_other_rate_or_mtu() -> None:
    for call in (lambda: opensm_rate(1600), lambda: opensm_rate(0), lambda: opensm_mtu(9000), lambda: opensm_mtu(5)):
        with pytest.raises(UnitError) as caught:
            call()
        assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *[("512", 512), (512, 512), ("8MB", 8_000_000), ("4 GiB", 4 * 2**30), ("1.5 KiB", 1536), ("80 GB", 80 * 10**9)],
        *[("1 kB", 1000), ("1KB", 1000), ("2TiB", 2**41), ("0", 0), ("8_192", 8192), ("16 B", 16), ("0.1 GB", 10**8)],
    ],
)
def test_sizes_tell_ten_from_two(text: str | int, size: int) -> None:
    assert size_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        *[("4G", "`4 GiB`"), ("8k", "`8 KiB`"), ("4 Gb", "bytes"), ("4Gbit", "bytes"), ("4 gib", "GiB"), ("4 GBs", "GiB")],
        *[
            ("0.3", "whole"),
            ("1.0001 kB", "whole"),
            ("", "4 GiB"),
            ("-1", "4 GiB"),
            ("1e3", "4 GiB"),
            ("lots", "4 GiB"),
            ("9999999 PiB", "2^63"),
        ],
    ],
)
def test_ambiguous_sizes_are_refused(text: str, hint: str) -> None:
    with pytest.raises(UnitError) as caught:
        size_bytes(text)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10s", 10),
        ("4 min", 240),
        ("250ms", 0.25),
        ("2h", 7200),
        ("1d", 86400),
        ("5us", 5e-6),
        ("1.5 hours", 5400),
        ("0", 0),
        ("3 m", 180),
    ],
)
def test_durations_are_seconds(text: str, seconds: float) -> None:
    assert duration_s(text) == seconds


@pytest.mark.parametrize("text", ["10", 10, "", "00:10:00", "10 parsecs", "-1s", "1h30m", "s", "10S"])
def test_a_duration_without_a_unit_is_refused(text: str | int) -> None:
    with pytest.raises(UnitError) as caught:
        duration_s(text)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("175e9", 175_000_000_000),
        ("8_192", 8192),
        ("0x10", 16),
        ("1.5e3", 1500),
        ("15E+12", 15 * 10**12),
        ("0", 0),
        (7, 7),
        ("2.0", 2),
        ("0X7fff", 0x7FFF),
    ],
)
def test_counts(text: str | int, number: int) -> None:
    assert count(text) == number


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        *[
            ("012", "write `12`"),
            ("175B", "175e9"),
            ("70b", "175e9"),
            ("8k", "8e3"),
            ("1,024", "8192"),
            ("1.5", "whole"),
            ("-1", "8192"),
        ],
        *[
            ("1e40", "2^63"),
            ("1e999", "2^63"),
            ("1e9999", "8192"),
            ("", "8192"),
            ("nan", "8192"),
            ("0x", "8192"),
            ("1__0", "8192"),
        ],
        *[("1e-3", "8192"), ("0xffffffffffffffff", "2^63"), (True, "8192")],
    ],
)
def test_what_is_no_count_is_refused(text: str, hint: str) -> None:
    with pytest.raises(UnitError) as caught:
        count(text)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("gbps", "text"),
    [
        *[
            (400, "400 Gb/s"),
            (16000, "16.0 Tb/s"),
            (9600, "9.6 Tb/s"),
            (1600, "1.6 Tb/s"),
            (2.5, "2.5 Gb/s"),
            (66.6666, "66.67 Gb/s"),
        ],
        *[(999.96, "1.0 Tb/s"), (409600, "409.6 Tb/s"), (26_214_400, "26.21 Pb/s"), (0, "0 Gb/s"), (5e9, "5000.0 Pb/s")],
    ],
)
def test_rates_for_people(gbps: float, text: str) -> None:
    assert gbps_text(gbps) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (1536, "1.5 KiB"),
        (2**20, "1 MiB"),
        (4 * 2**30, "4 GiB"),
        (1023.99 * 1024, "1 MiB"),
        (2**70, "1048576 PiB"),
    ],
)
def test_sizes_for_people(size: float, text: str) -> None:
    assert bytes_text(size) == text


@given(st.text(max_size=20))
def test_any_text_is_a_quantity_or_a_unit_error(text: str) -> None:
    for read in (rate_gbps, size_bytes, duration_s, count):
        try:
            assert read(text) >= 0
        except UnitError as error:
            assert error.hint  # noqa: PT017


@given(st.integers(0, 2**63 - 1))
def test_whole_numbers_come_back(number: int) -> None:
    assert size_bytes(str(number)) == number
    assert count(f"{number:_}") == number
    assert count(hex(number)) == number
