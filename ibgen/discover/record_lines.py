"""The lines of ibnetdiscover, one at a time, into plain columns.

Takes the lines of a dump. Gives `Raw`: nodes in the order of their records, the texts of each link line, and the numbers of
the lines that could not be used, by reason. Lines are read by structure, not by blanks: tabs get lost on the way through
tickets and chats.

The form, as ibnetdiscover.c of infiniband-diags prints it (measured on 5.x, and on 2.x of OFED by report):

    sysimgguid=0x21e8b4acc71d000
    switchguid=0x21e8b4acc71d000(21e8b4acc71d000)
    Switch  40 "S-021e8b4acc71d000"  # "leaf-u02" enhanced port 0 lid 0 lmc 0
    [1]  "H-0226f8da9be30000"[1](226f8da9be30001)  # "node-06 mlx5_0" lid 0 4xHDR

    caguid=0x226f8da9be30000
    Ca  1 "H-0226f8da9be30000"  # "node-06 mlx5_0"
    [1](226f8da9be30001)  "S-021e8b4acc71d000"[1]  # lid 0 lmc 0 "leaf-u02" lid 0 4xHDR
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

LONGEST = 2000
"""Characters of a line that is still looked at; a description has 64 at most (InfiniBand specification, NodeDescription)."""

Texts = tuple[str | None, ...]
"""A link line: own port and its GUID, the other node's letter, GUID, port and its GUID, own LID, the other's description and
LID, width, speed. None where the line does not tell."""

_HEX = r"(?:0[xX])?([0-9a-fA-F]{1,16})"
_EXT = r"(?:\[ext [^\]]{0,9}\]\s*)?"  # `-g` prints a chassis' own port number
_ATTRIBUTE = re.compile(
    rf"\s*(vendid|devid|sysimgguid|switchguid|caguid|rtguid)\s*=\s*{_HEX}\s*(?:\({_HEX}\)\s*)?(?:#.*)?$", re.I
)
_HEADER = re.compile(rf'\s*(Switch|Ca|Rt|Router)\s*(\d{{1,3}})\s*"([SHR])-{_HEX}"\s*#?\s*(?:"(.*)")?[^"]*$', re.I)
_END = rf'\s*\[(\d{{1,3}})\]\s*{_EXT}(?:\({_HEX}\)\s*)?"([SHRshr])-{_HEX}"\s*\[(\d{{1,3}})\]\s*{_EXT}(?:\({_HEX}\)\s*)?'
_OWN_LID = r"#?\s*(?:lid\s*(\d+)\s*lmc\s*\d+\s*)?"
_WHOLE_LINK = re.compile(rf'{_END}{_OWN_LID}"(.*)"\s*lid\s*(\d+)\s*(\d+)\s*[xX]\s*([A-Za-z]+\d*)')
_LINK = re.compile(rf"{_END}(.*)$")
_TAIL = re.compile(rf'{_OWN_LID}"(.*)"\s*(?:lid\s*(\d+))?\s*(?:(\d+)\s*[xX]\s*([A-Za-z]+\d*))?')
_CHASSIS = re.compile(r"\s*(?:Non-)?Chassis\b", re.I)
_REDACTED = re.compile(r"<[^<>]*>|\.\.\.|\u2026|[xX*?]{3,}|\b(?:omitted|redacted|snip|truncated|masked)\b", re.I)
_BEGINS = re.compile(r"\s*(?:(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)\s*=|(?:Switch|Ca|Rt)\s*\d*\s*\")", re.I)
_LINKLIKE = re.compile(r"\s*\[\d")
_RECORDLIKE = re.compile(r"\s*\[\d|" + _BEGINS.pattern, re.I)
_CUT = re.compile(
    r"\s*(?:\[\d{0,3}$|\[\d|[vdscr]\w{0,9}$|(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)\s*=|(?:Switch|Ca|Rt)\b)", re.I
)
KINDS = {"S": 0, "H": 1, "R": 2}
_OF_GUID = {"switchguid": "S", "caguid": "H", "rtguid": "R"}


@dataclass
class Raw:
    """What was read. A link line is half a cable: what one end says of it."""

    # per record
    kind: list[int] = field(default_factory=list)
    guid: list[int] = field(default_factory=list)
    image: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)  # port GUID of a switch's port 0, 0 where it is not told
    size: list[int] = field(default_factory=list)
    description: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    # per link line
    near: list[int] = field(default_factory=list)  # row of the records above
    link_line: list[int] = field(default_factory=list)
    links: list[Texts] = field(default_factory=list)
    # lines that were not used
    noise: list[int] = field(default_factory=list)  # outside any record
    garbage: list[int] = field(default_factory=list)  # inside a record
    hidden: list[int] = field(default_factory=list)  # blanked out or left out
    orphans: list[int] = field(default_factory=list)  # cables whose record has no readable head
    contradictory: list[tuple[int, int, int]] = field(default_factory=list)  # record, GUID above the head, its line
    cut: int = 0  # the last line, where it ends in the middle


def read_lines(lines: Sequence[str]) -> Raw:
    """Reads all lines. Nothing is an exception: every line ends up in some list, comments and blank lines in none."""
    raw = Raw()
    reader = _Reader(raw, _last(lines))
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST:
            reader.unusable(line[:LONGEST], number)
        elif (match := _WHOLE_LINK.match(line)) is not None:
            reader.half(match.groups(), number)
        elif (match := _LINK.match(line)) is not None:
            reader.link(match, number)
        elif not line or line.isspace():
            reader.inside = False
        elif not line.lstrip().startswith("#"):
            reader.other(line, number)
    behind = max([*raw.line[-1:], *raw.link_line[-1:], 0])  # a prompt may follow the last record without a blank line
    raw.noise += [n for n in raw.garbage if n > behind and not _RECORDLIKE.match(lines[n - 1])]
    raw.garbage = [n for n in raw.garbage if n <= behind or _RECORDLIKE.match(lines[n - 1])]
    return raw


def _last(lines: Sequence[str]) -> int:
    """The number of a last line without a line break behind it, else 0: only that one can be cut in its middle."""
    return len(lines) if lines and lines[-1].strip() else 0


class _Reader:
    """Where the reading stands: the record it is in, and what was said above its head."""

    def __init__(self, raw: Raw, last: int) -> None:
        self.raw, self.last = raw, last
        self.record = -1  # row of the record whose links are read; -1 where there is none
        self.inside = False  # no blank line since its last line
        self.image = self.above = self.own = 0
        self.above_kind, self.above_line = "", 0

    def link(self, match: re.Match[str], number: int) -> None:
        """A line that begins as a cable does, but lacks something at its end."""
        *head, rest = match.groups()
        tail = _TAIL.match(rest)
        self.inside = True
        if tail is None and rest.strip(" \t#"):
            self.unusable(rest, number)
        elif number == self.last:
            self.raw.cut = number
        else:
            self.half((*head, *(tail.groups() if tail is not None else (None,) * 5)), number)

    def half(self, texts: Texts, number: int) -> None:
        """What one end says of a cable."""
        self.inside = True
        if self.record < 0:
            self.raw.orphans.append(number)
            return
        self.raw.near.append(self.record)
        self.raw.link_line.append(number)
        self.raw.links.append(texts)

    def other(self, line: str, number: int) -> None:
        if (match := _ATTRIBUTE.match(line)) is not None:
            self._attribute(match, number)
        elif (match := _HEADER.match(line)) is not None:
            self._head(match, number)
        elif _CHASSIS.match(line):
            self.inside = False
        else:
            self.unusable(line, number)

    def _attribute(self, match: re.Match[str], number: int) -> None:
        if self.record >= 0 or not self.inside:
            self._fresh()
        self.inside = True
        name, value, own = match[1].lower(), int(match[2], 16), match[3]
        if name == "sysimgguid":
            self.image = value
        elif name in _OF_GUID:
            self.above, self.above_kind, self.above_line = value, _OF_GUID[name], number
            self.own = int(own, 16) if own else 0

    def _head(self, match: re.Match[str], number: int) -> None:
        _, size, letter, guid, description = match.groups()
        raw, letter = self.raw, letter.upper()
        value = int(guid, 16)
        if self.record >= 0 or (not self.inside and self.above != value):  # what a lost record left behind
            self._fresh()
        self.record, self.inside = len(raw.guid), True
        if self.above_kind and (self.above, self.above_kind) != (value, letter):
            raw.contradictory.append((self.record, self.above, self.above_line))
        raw.kind.append(KINDS[letter])
        raw.guid.append(value)
        raw.image.append(self.image)
        raw.own.append(self.own if letter == "S" else 0)
        raw.size.append(int(size))
        raw.description.append(description or "")
        raw.line.append(number)

    def _fresh(self) -> None:
        """A new record begins."""
        self.record = -1
        self.image = self.above = self.own = 0
        self.above_kind = ""

    def unusable(self, line: str, number: int) -> None:
        """A line that says nothing: sorted by what it may have been. A record's head that is lost takes its cables along."""
        if number == self.last and _CUT.match(line):
            self.raw.cut = number
        elif _REDACTED.search(line):
            self.raw.hidden.append(number)
            if not _LINKLIKE.match(line):
                self._fresh()
                self.inside = True
        elif _BEGINS.match(line):
            self.raw.garbage.append(number)
            self._fresh()
            self.inside = True
        else:
            (self.raw.garbage if self.inside or _LINKLIKE.match(line) else self.raw.noise).append(number)
