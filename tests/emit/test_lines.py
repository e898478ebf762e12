"""Lines made column by column are those that a loop would format."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ibgen.emit.lines import BLOCK, decimals, either, hexadecimal, joined, numbers, words

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@given(st.lists(st.tuples(TEXT, TEXT, st.integers(0, 70_000)), max_size=40), TEXT)
def test_joined_is_what_a_loop_formats(rows: list[tuple[str, str, int]], between: str) -> None:
    first, last = words(r[0] for r in rows), words(r[1] for r in rows)
    number = numbers(np.array([r[2] for r in rows], dtype=np.int64))
    made = joined(first, between.encode(), number, last)
    assert made.decode() == "".join(f"{a}{between}{n}{b}" for a, b, n in rows)


def test_more_rows_than_a_block() -> None:
    count = np.arange(2 * BLOCK + 5)
    assert joined(numbers(count), b"\n").decode() == "".join(f"{n}\n" for n in count.tolist())


@given(st.lists(st.integers(-1, 300), max_size=30))
def test_what_is_absent_is_blank(values: list[int]) -> None:
    made = joined(b"[", numbers(np.array(values, dtype=np.int32), absent=-1), b"]")
    assert made.decode() == "".join(f"[{'' if v < 0 else v}]" for v in values)


@given(st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=30))
def test_decimals_are_as_short_as_python_writes_them(values: list[float]) -> None:
    assert joined(decimals(np.array(values)), b";").decode() == "".join(f"{v:g};" for v in values)


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.booleans()), max_size=30))
def test_guids_stand_only_in_the_rows_they_belong_to(rows: list[tuple[int, bool]]) -> None:
    mask = np.array([there for _, there in rows], dtype=bool)
    guids = np.array([guid for guid, there in rows if there], dtype=np.uint64)
    made = joined(either(mask, b"0x", b"-"), either(mask, hexadecimal(guids), b""), b"\n")
    assert made.decode() == "".join(f"0x{guid:016x}\n" if there else "-\n" for guid, there in rows)
