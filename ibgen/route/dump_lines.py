"""Forwarding table dumps as columns: every line found and read with numpy, none as a Python object.

Takes bytes. Gives `Lines`. Three layouts, all with the LID first: `0x0001 005 # Channel Adapter portguid 0x…: 'name'`
(opensm-lfts.dump), `0x0001 005 : (Channel Adapter portguid 0x…: 'name')` (dump_lfts) and `0x0001 : 005  : 03   : yes`
(opensm.fdbs). 200 MB are read in seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .graph import Rows

Bytes = npt.NDArray[np.uint8]

ENTRY = 12
"""Bytes of an entry that matter: `0xLLLL : PPP`."""

_HEADING = re.compile(rb"(?:Unicast lids .*guid (0x[0-9a-fA-F]+) \(\'?(.*?)\'?\):|dump_ucast_routes: Switch (0x[0-9a-fA-F]+))")
_FILLING = re.compile(
    rb"\s*$|\d+ (?:valid )?lids dumped|LID    : Port|\s+Lid  Out|\s+Port     Info|\s*0x[0-9a-fA-F]+ \S+ *: \(path #|\*\*\*"
)
_HEX = np.full(256, 255, np.uint8)
_HEX[np.frombuffer(b"0123456789abcdefABCDEF", np.uint8)] = [*range(16), *range(10, 16)]


@dataclass(frozen=True)
class Lines:
    """N entries in file order; K tables of switches."""

    lid: npt.NDArray[np.int64]  # [N]
    port: npt.NDArray[np.int64]  # [N] -1: unreachable
    table: Rows  # [N] index of the switch table
    line: Rows  # [N] line number, from 1
    start: Rows  # [N] offset of the line
    guid: list[int]  # [K] of the switch
    name: list[str]  # [K] of the switch; "" where the dump has none
    heading: list[int]  # [K] line number
    unread: list[int]  # line numbers of anything else


def read_lines(data: bytes) -> Lines:
    """All entries of a dump. Entries above the first heading belong to nobody and count as unread."""
    raw = np.frombuffer(data + b"\n" + b" " * ENTRY, np.uint8)
    ends = np.flatnonzero(raw[: len(data) + 1] == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    entry = (raw[starts] == ord("0")) & (raw[starts + 1] == ord("x")) & (ends - starts >= 10)
    if data and data[-1:] != b"\n":
        entry[-1] = False  # a last line without an end was cut off: its port may lack digits
    lid, good = _lids(raw, starts[entry])
    port, read = _ports(raw, starts[entry])
    at = np.flatnonzero(entry)
    rest = np.sort(np.concatenate([np.flatnonzero(~entry), at[~(good & read)]]))
    guid, name, heading, unread = _others(data, starts, ends, rest)
    keep = good & read
    at, lid, port = at[keep], lid[keep], port[keep]
    table = np.searchsorted(np.array(heading, np.intp), at + 1) - 1
    orphans = at[table < 0]
    owned = table >= 0
    unread = sorted([*unread, *(orphans + 1).tolist()])
    return Lines(lid[owned], port[owned], table[owned], at[owned] + 1, starts[at[owned]], guid, name, heading, unread)


def _lids(raw: Bytes, starts: Rows) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    digits = _HEX[raw[starts[:, None] + np.arange(2, 6)]].astype(np.int64)
    return digits @ np.array([4096, 256, 16, 1]), (digits < 16).all(axis=1) & (raw[starts + 6] == ord(" "))


def _ports(raw: Bytes, starts: Rows) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    first = starts + np.where(raw[starts + 7] == ord(":"), 9, 7)
    digits = raw[first[:, None] + np.arange(3)].astype(np.int64) - ord("0")
    number = ((digits >= 0) & (digits <= 9)).all(axis=1)
    unreachable = raw[first] == ord("U")
    return np.where(unreachable, -1, digits @ np.array([100, 10, 1])), number | unreachable


def _others(data: bytes, starts: Rows, ends: Rows, rest: Rows) -> tuple[list[int], list[str], list[int], list[int]]:
    guid: list[int] = []
    name: list[str] = []
    heading: list[int] = []
    unread: list[int] = []
    for i in rest.tolist():
        text = data[starts[i] : ends[i]]
        if match := _HEADING.match(text):
            guid.append(int(match[1] or match[3], 16))
            name.append((match[2] or b"").decode(errors="replace"))
            heading.append(i + 1)
        elif not _FILLING.match(text):
            unread.append(i + 1)
    return guid, name, heading, unread
