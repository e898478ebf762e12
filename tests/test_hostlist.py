"""Host lists as Slurm reads them: order, widths, folding, slots, and what may never pass for a host name."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.hostlist import HostlistError, expand, fold, has_suffix, natural_key, slots

# Measured with `scontrol show hostnames` of Slurm 22.05.8; the `slurm` test below asks the installed one again.
EXPANDED = [
    ("a1", "a1"),
    ("a1,b", "a1 b"),
    ("a[1-2]", "a1 a2"),
    ("a[1-2,5]", "a1 a2 a5"),
    ("a[08-11]", "a08 a09 a10 a11"),
    ("a[001-3]", "a001 a002 a003"),
    ("a[9-010]", "a9 a10"),
    ("a[99-101]", "a99 a100 a101"),
    ("a[001-3,9-10,08]", "a001 a002 a003 a9 a10 a08"),
    ("n[1,2,2]", "n1 n2 n2"),
    ("a[3,1]b[2-3]", "a3b2 a3b3 a1b2 a1b3"),
    ("1[1-3]", "11 12 13"),
    ("[1-3]", "1 2 3"),
    ("A_b.c[1-2]", "A_b.c1 A_b.c2"),
    ("n[1-2][01-02]", "n101 n102 n201 n202"),
    ("a[1-2]b[1-2],q,a[1-2]", "a1b1 a1b2 a2b1 a2b2 q a1 a2"),
    ("a[1-2]b[1-2]c[1-2]", "a1b1c1 a1b1c2 a2b1c1 a2b1c2 a1b2c1 a1b2c2 a2b2c1 a2b2c2"),
    (
        "a[1-2]b[1-2]c[1-2]d[1-2]",
        "a1b1c1d1 a1b1c1d2 a2b1c1d1 a2b1c1d2 a1b2c1d1 a1b2c1d2 a2b2c1d1 a2b2c1d2 "
        "a1b1c2d1 a1b1c2d2 a2b1c2d1 a2b1c2d2 a1b2c2d1 a1b2c2d2 a2b2c2d1 a2b2c2d2",
    ),
]

REFUSED = [
    ("a[1-3", 1, "never closed"),
    ("a[1-3,b[1-2]", 1, "never closed"),
    ("a1]", 2, "without"),
    ("n[1-10/2]", 6, "step"),
    ("n[1-10:2]", 6, "step"),
    ("n[a-c]", 2, "no range of numbers"),
    ("n[1-b]", 4, "no range of numbers"),
    ("n[1,5-3]", 4, "backwards"),
    ("n[1--3]", 2, "no range"),
    ("n[-3]", 2, "no range"),
    ("n[]", 2, "empty range"),
    ("n[1,]", 4, "empty range"),
    ("", 0, "empty"),
    ("a,,b", 2, "empty"),
    (",a", 0, "empty"),
    ("a,", 2, "empty"),
    ("a[1],", 5, "empty"),
    ("a, b", 2, "white space"),
    ("a[1, 2]", 4, "white space"),
    ("a\n", 1, "white space"),
    ("n[1-65537]", 2, "larger than 65536"),
    ("n[1-65536],m", 11, "65537 hosts"),
    ("n[1-65536]m[1-65536]", 0, "limit is 65536"),
    ("-a", 0, "no host name"),
    ("a-", 0, "no host name"),
    ("b,_a", 2, "no host name"),
    ("a..b", 0, "no host name"),
    ("..", 0, "no host name"),
    (".a", 0, "no host name"),
    ("a.[1-2].", 0, "no host name"),
    ("n[1-٣]", 4, "cannot stand"),
    ("größe1", 2, "cannot stand"),
    ("sw18446744073709551616", 0, "20 digits"),
    ("sw[18446744073709551615]", 3, "20 digits"),
    ("sw1234567890[123456789]", 0, "19 digits"),
    ("x" * 64, 0, "too long"),
    (".".join(["x" * 60] * 5), 0, "too long"),
]


@pytest.mark.parametrize(("text", "names"), EXPANDED)
def test_expand_gives_slurms_names_in_slurms_order(text: str, names: str) -> None:
    assert expand(text) == names.split()


@pytest.mark.parametrize(("text", "offset", "words"), REFUSED)
def test_what_is_no_hostlist_is_refused_where_it_goes_wrong(text: str, offset: int, words: str) -> None:
    for read in (expand, slots):
        with pytest.raises(HostlistError) as caught:
            read(text)
        assert words in str(caught.value)
        assert caught.value.offset == offset
        assert caught.value.hint


@pytest.mark.parametrize(
    "bad", ["\n", "\r", "\0", "'", '"', ";", "/", "$", "`", "\\", " ", "|", "&", "{", "}", "#", "%", "~", "="]
)
def test_no_character_that_means_something_elsewhere_passes(bad: str) -> None:
    for text in (f"a{bad}b", f"{bad}a", f"a{bad}", f"a[1-2]{bad}", f"a[1{bad}]", f"a,b{bad}c[1-3]"):
        with pytest.raises(HostlistError):
            expand(text)
    with pytest.raises(HostlistError):
        fold([f"a{bad}1"])
    with pytest.raises(HostlistError):
        fold([f"a{bad}"])


@given(st.text(max_size=30))
def test_any_text_gives_host_names_or_a_hostlist_error(text: str) -> None:
    names: list[str] = []
    offset = 0
    try:
        names = expand(text)
    except HostlistError as error:
        offset = error.offset
    assert 0 <= offset <= len(text)
    for name in names:
        assert name.isascii()
        assert not set(name) & set("\n\r\0'\"`;/\\$ []")
        assert ".." not in name


@given(st.text(alphabet="ab09[]-,./ _", max_size=14))
def test_texts_of_the_grammars_own_characters_never_break_it(text: str) -> None:
    try:
        names = expand(text)
    except HostlistError:
        return
    assert set(expand(fold(names))) == set(names)


def test_a_limit_counts_all_items() -> None:
    assert len(expand("a[1-3],b", limit=4)) == 4
    with pytest.raises(HostlistError):
        expand("a[1-3],b", limit=3)


def test_text_after_the_last_bracket_is_read_and_told() -> None:
    assert expand("n[1-2]-ib") == ["n1-ib", "n2-ib"]
    assert has_suffix("n[1-2]-ib")
    assert has_suffix("a,n[1-2]b")
    assert not has_suffix("n[1-2]b[1-2],a-ib")


# Folding: oracle is `scontrol show hostlist` of Slurm 22.05.8.
@pytest.mark.parametrize(
    ("names", "folded"),
    [
        ("", ""),
        ("n1", "n1"),
        ("n9 n10", "n[9-10]"),
        ("n09 n10", "n[09-10]"),
        ("a099 a100 a0101", "a[099-100,0101]"),
        ("r1n1 r1n2 r2n1", "r1n[1-2],r2n1"),
        ("n1-ib n2-ib", "n1-ib,n2-ib"),
    ],
)
def test_fold_writes_what_slurm_writes(names: str, folded: str) -> None:
    assert fold(names.split()) == folded


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        ("b10 b9 a1 b9 a", "a,a1,b[9-10]"),
        ("n09 n9 n10", "n[9-10,09]"),
        ("n0 n00 n1", "n[0-1,00]"),
        ("gpu10 gpu9x gpu2", "gpu[2,10],gpu9x"),
        ("11 12 13", "[11-13]"),
    ],
)
def test_fold_is_sorted_and_without_repeats(names: str, folded: str) -> None:
    assert fold(names.split()) == folded


def test_fold_stays_within_slurms_range_limit() -> None:
    names = [f"n{i:06d}" for i in range(70_000)]
    folded = fold(names)
    assert folded == "n[000000-065535,065536-069999]"
    assert expand(folded, limit=70_000) == names


HOST = st.builds(
    lambda stem, number, width: f"{stem}{number:0{width}d}",
    st.sampled_from(["n", "dgx-", "r1n", "a.b", "x_"]),
    st.one_of(st.integers(0, 30), st.integers(90, 110), st.integers(0, 10**17)),
    st.integers(1, 4),
) | st.sampled_from(["login", "n", "n1-ib", "7"])


@given(st.lists(HOST, max_size=40))
def test_fold_then_expand_gives_the_same_set(names: list[str]) -> None:
    folded = fold(names)
    back = expand(folded) if folded else []
    assert sorted(back) == sorted(set(names))
    assert fold(reversed(back)) == folded
    assert all(item.count("[") <= 1 for item in folded.split("],"))


def test_names_sort_as_people_count() -> None:
    names = ["n10", "n9", "a-2", "n010", "a-10", "n1b2", "n1b10", "n", "10", "9"]
    assert sorted(names, key=natural_key) == ["9", "10", "a-2", "a-10", "n", "n1b2", "n1b10", "n9", "n010", "n10"]


def test_slots_leave_holes_open() -> None:
    places = dict(slots("dgx-[001-004,006-127]"))
    assert places["dgx-001"] == 1
    assert places["dgx-004"] == 4
    assert places["dgx-006"] == 6
    assert places["dgx-127"] == 127
    assert 5 not in places.values()


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("login1,login2", {"login1": 1, "login2": 2}),
        ("a[1-4],b[1-4]", {"a1": 1, "a4": 4, "b1": 5, "b4": 8}),
        ("a[11-12,14],x,b7", {"a11": 1, "a12": 2, "a14": 4, "x": 5, "b7": 6}),
        ("a[5,1-3]", {"a5": 5, "a1": 1, "a2": 2, "a3": 3}),
        ("r[1-2]n[1-18]", {"r1n1": 1, "r1n18": 18, "r2n1": 19, "r2n18": 36}),
        ("r[1,3]n[2,4]", {"r1n2": 1, "r1n4": 3, "r3n2": 7, "r3n4": 9}),
        ("p[1-2]r[1-2]n[1-2]", {"p1r1n1": 1, "p1r1n2": 2, "p1r2n1": 3, "p2r1n1": 5, "p2r2n2": 8}),
    ],
)
def test_a_slot_is_the_place_in_the_written_range(text: str, places: dict[str, int]) -> None:
    found = dict(slots(text))
    assert {name: found[name] for name in places} == places
    assert list(found) == expand(text)


@pytest.mark.parametrize(
    ("text", "offset", "words"),
    [
        ("a1,b,a1", 5, "a1 is written twice"),
        ("a[1-4],a[4-5]", 7, "a4 is written twice"),
        ("n[1,1]", 0, "n1 is written twice"),
        ("n[1,01]", 0, "n1 and n01 have the same number"),
        ("b,n[1,99999]", 2, "span 100000 slots"),
    ],
)
def test_two_hosts_never_share_a_slot(text: str, offset: int, words: str) -> None:
    with pytest.raises(HostlistError) as caught:
        slots(text)
    assert words in str(caught.value)
    assert caught.value.offset == offset


def test_taking_a_host_out_moves_no_other_slot() -> None:
    before = dict(slots("dgx-[001-127]"))
    after = dict(slots("dgx-[001-016,018-127]"))
    del before["dgx-017"]
    assert after == before


# ---- the real scontrol


@pytest.fixture(scope="module")
def scontrol(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("scontrol") is None:
        pytest.skip("scontrol is not installed (Debian: slurm-client)")
    conf = tmp_path_factory.mktemp("slurm") / "slurm.conf"  # without one, scontrol looks for a controller in DNS
    conf.write_text("ClusterName=t\nSlurmctldHost=localhost\nNodeName=localhost\nPartitionName=p Nodes=ALL\n")
    return conf


def _scontrol(conf: Path, what: str, text: str) -> list[str]:
    env = os.environ | {"SLURM_CONF": str(conf)}
    done = subprocess.run(["scontrol", "show", what, text], env=env, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.split()


@pytest.mark.slurm
@pytest.mark.parametrize(("text", "names"), EXPANDED)
def test_scontrol_expands_alike(scontrol: Path, text: str, names: str) -> None:
    assert _scontrol(scontrol, "hostnames", text) == names.split()


@pytest.mark.slurm
@settings(max_examples=40, deadline=None)
@given(st.lists(HOST, min_size=1, max_size=30))
def test_scontrol_reads_the_same_set_back(scontrol: Path, names: list[str]) -> None:
    assert sorted(_scontrol(scontrol, "hostnames", fold(names))) == sorted(set(names))


@pytest.mark.slurm
def test_scontrol_reads_the_largest_cluster_back(scontrol: Path) -> None:
    names = [f"gb{i}" for i in range(1, 65_537) if i % 1000]
    assert _scontrol(scontrol, "hostnames", fold(names)) == names
