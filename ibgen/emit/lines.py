"""Lines by the hundred thousand, made column by column.

Takes columns of short texts, all of N rows, and constants between them. Gives the N lines as bytes. Each column is laid into a
table of fixed width, whose padding is taken out at the end: five to ten times faster than formatting line by line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.bytes_]
BLOCK = 4096
"""Rows laid out at a time: half a megabyte, which stays in a core's cache."""

Numbers = npt.NDArray[np.signedinteger[Any]]


def words(texts: Iterable[str]) -> Words:
    """A column, or a table to pick a column from; no text may hold a NUL. [N]"""
    return np.array([text.encode() for text in texts], dtype=np.bytes_)


def numbers(values: Numbers, *, absent: int | None = None) -> Words:
    """Whole numbers from 0, or from `absent`, which is left blank. [N]"""
    least = 0 if absent is None else absent
    table = [str(n) for n in range(least, int(values.max(initial=least)) + 1)]
    if absent is not None:
        table[0] = ""
    return words(table)[values - least]


def decimals(values: npt.NDArray[np.float64]) -> Words:
    """Numbers as short as they can be: `400`, `12.5`. [N]"""
    kinds, kind = np.unique(values, return_inverse=True)
    return words(f"{value:g}" for value in kinds.tolist())[kind]


def either(first: npt.NDArray[np.bool_], these: Words | bytes, those: Words | bytes) -> Words:
    """`these`, a text for every row that is `first`, in its rows; `those`, a text for every other row, in the others. [N]"""
    column = np.empty(len(first), dtype=np.result_type(np.array(these), np.array(those)))
    column[first], column[~first] = these, those
    return column


def hexadecimal(values: npt.NDArray[np.uint64]) -> Words:
    """Sixteen digits each. [N]"""
    return np.frombuffer(values.astype(">u8").tobytes().hex().encode(), dtype="S16")


def joined(*columns: Words | bytes) -> bytes:
    """Row after row, each the texts of its columns without anything between; a constant stands in every row."""
    parts = [np.array(column, dtype=np.bytes_) if isinstance(column, bytes) else column for column in columns]
    rows = max((len(part) for part in parts if part.ndim), default=0)
    table = np.empty(min(rows, BLOCK), dtype=[(f"f{n}", part.dtype) for n, part in enumerate(parts)])
    blocks = []
    for first in range(0, rows, BLOCK):
        block = table[: min(BLOCK, rows - first)]
        for n, part in enumerate(parts):
            block[f"f{n}"] = part[first : first + BLOCK] if part.ndim else part
        blocks.append(block.tobytes().translate(None, b"\0"))
    return b"".join(blocks)
