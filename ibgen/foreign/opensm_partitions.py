"""partitions.conf as OpenSM 3.3.23 reads it (behaviour measured; docs/opensm.md), with every silent misreading as a finding.

Takes the text and what opensm.conf says. Gives findings at the exact line. Nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ibgen.diagnostics import Finding, Label, Severity, Span

from .findings import (
    BOTH,
    EMPTY_FILE,
    FILE_DROPPED,
    GROUP,
    LIMITED_ONLY,
    LONG_LINE,
    MEMBERSHIP,
    MERGED,
    NO_DEFAULT,
    PKEY,
)
from .opensm_conf import Conf

LONGEST = 4090
"""Characters of a line that OpenSM reads at once (measured: a GUID across this place is cut in two)."""

DEFAULT = 0x7FFF
WORDS = ("ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF", "NONE")
FLAGS = ("ipoib", "ipoib_bc_flags", "rate", "mtu", "sl", "scope", "Q_Key", "TClass", "FlowLabel", "defmember", "indx0", "mgid")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the file without comments, and where it begins."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    conf: Conf | None

    def span(self, piece: Piece) -> Span:
        return Span(self.name, piece.line, piece.column, piece.line, piece.column + len(piece.text))


def lint_partitions(text: str, file: str, conf: Conf | None = None) -> tuple[Finding, ...]:
    """Everything OpenSM would swallow. `conf`: the opensm.conf beside it."""
    own = _File(file, conf)
    findings = [
        LONG_LINE.finding(
            f"{len(raw):,} characters; OpenSM reads about {LONGEST:,} at once",
            Span(file, n, LONGEST + 1),
            hint="at most 100 members a line",
        )
        for n, raw in enumerate(text.split("\n"), 1)
        if len(raw) > LONGEST
    ]
    statements = list(_statements(text))
    if not statements:
        message = "no partition stands here: every port becomes a full member of everything"
        findings.append(EMPTY_FILE.finding(message, Span(file, 1), hint="write a rule for the default partition"))
        return tuple(findings)
    keys: dict[int, Span] = {}
    for pieces, end in statements:
        findings.extend(_statement(own, pieces, end, keys))
    if DEFAULT not in keys and not any(f.code is FILE_DROPPED for f in findings):
        findings.append(
            NO_DEFAULT.finding(
                "no rule for the default partition 0x7fff: every host becomes a limited member of it",
                Span(file, statements[0][0][0].line),
                hint="add `Default=0x7fff, ipoib : ALL=full, SELF=full ;` or, to isolate, `ALL=limited, SELF=full`",
            )
        )
    return tuple(findings)


def _statements(text: str) -> Iterator[tuple[list[Piece], tuple[int, int, bool]]]:
    """(lines of a statement, place of its `;` and whether that stands alone on its line), one by one."""
    pieces: list[Piece] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line, at = raw.split("#", 1)[0], 0
        while at < len(line):
            end = line.find(";", at)
            part = line[at : end if end >= 0 else len(line)]
            if part.strip():
                pieces.append(Piece(part.strip(), number, at + len(part) - len(part.lstrip()) + 1))
            if end < 0:
                break
            if pieces:
                yield pieces, (number, end + 1, not line[:end].strip())
            pieces, at = [], end + 1
    if pieces:
        yield pieces, (pieces[-1].line, pieces[-1].column + len(pieces[-1].text), False)


def _statement(own: _File, pieces: list[Piece], end: tuple[int, int, bool], keys: dict[int, Span]) -> Iterator[Finding]:
    if end[2]:
        yield FILE_DROPPED.finding(
            "a `;` alone on its line: OpenSM finds no partition definition and drops the whole file",
            Span(own.name, end[0], end[1], end[0], end[1] + 1),
            hint="put it behind the last member",
        )
    first = pieces[0]
    if ":" not in first.text:
        yield FILE_DROPPED.finding(
            f"`{first.text[:40]}` is no partition definition: OpenSM drops the whole file",
            own.span(first),
            hint="write `name=0xkey : members ;`",
        )
        return
    for piece in pieces[1:]:
        if re.match(r"[^,:]*[=,]?[^:]*:", piece.text) and not piece.text.startswith("mgid="):
            yield MERGED.finding(
                "a second partition begins before the first one ends", own.span(piece), hint="end the one above with `;`"
            )
            return
    head, _, tail = first.text.partition(":")
    yield from _head(own, Piece(head, first.line, first.column), keys)
    yield from _groups(own, head, pieces[1:])
    members = [Piece(tail, first.line, first.column + len(head) + 1), *pieces[1:]]
    yield from _members(own, members, re.search(r"defmember\s*=\s*(\w+)", head))


def _groups(own: _File, head: str, pieces: list[Piece]) -> Iterator[Finding]:
    """Multicast groups of a partition: a rate of their own leaves them uncreated."""
    rate = re.search(r"\brate\s*=\s*(\w+)", head)
    for piece in pieces:
        other = re.search(r"\brate\s*=\s*(\w+)", piece.text) if piece.text.startswith("mgid=") else None
        if other is not None and (rate is None or other[1] != rate[1]):
            message = f"`rate={other[1]}` is not the partition's: OpenSM does not create the group"
            yield GROUP.finding(message, own.span(piece), hint="take it out, or write the partition's")


def _head(own: _File, piece: Piece, keys: dict[int, Span]) -> Iterator[Finding]:
    cells = [c.strip() for c in piece.text.split(",")]
    name, equals, key = (x.strip() for x in cells[0].partition("="))
    place = own.span(Piece(cells[0], piece.line, piece.column))
    if not equals and name[:1].isdigit():
        message = f"`{name}` begins with a digit: OpenSM reads it as a P_Key and drops the whole file"
        yield FILE_DROPPED.finding(message, place, hint="begin the name with a letter, and write its key")
        return
    yield from _key(name, key, place, keys)
    flags = {k.strip(): v.strip() for k, _, v in (c.partition("=") for c in cells[1:])}
    for unknown in [f for f in flags if f not in FLAGS]:
        yield GROUP.finding(f"OpenSM has no flag `{unknown}`", place, hint=f"it has: {', '.join(FLAGS)}")
    if sum(c.startswith("scope") for c in cells[1:]) > 1:
        message = "several `scope=`: one broadcast group was seen for two of them"
        yield GROUP.finding(message, place, hint="keep one", severity=Severity.WARNING)
    if "ipoib" not in flags and (dead := [f for f in ("rate", "mtu", "sl", "scope") if f in flags]):
        yield GROUP.finding(f"`{dead[0]}` has no effect without `ipoib`", place, hint="add `ipoib`, or take it out")
    for flag, codes, hint in (
        ("mtu", range(1, 6), "codes 1 to 5; 5 is 4096"),
        ("rate", range(2, 23), "codes 2 to 22; 21 is NDR"),
    ):
        if flag in flags and not (flags[flag].isdecimal() and int(flags[flag]) in codes):
            message = f"`{flag}={flags[flag]}` gives no broadcast group: IPoIB has no carrier"
            yield GROUP.finding(message, place, hint=hint)
    if flags.get("sl", "0") not in ("0", "") and own.conf is not None and not own.conf.is_true("qos"):
        yield GROUP.finding("`sl` is forced to 0: opensm.conf does not say `qos TRUE`", place, hint="write `qos TRUE`")


def _key(name: str, key: str, place: Span, keys: dict[int, Span]) -> Iterator[Finding]:
    try:
        value = int(key, 0) & DEFAULT if key else 0
    except ValueError:
        yield FILE_DROPPED.finding(f"`{key}` is no P_Key: OpenSM drops the whole file", place, hint="write 0x0001 to 0x7fff")
        return
    if name == "Default" and not key:
        value = DEFAULT
    if value == 0:
        yield PKEY.finding(f"`{name}` has no P_Key: OpenSM counts one up in file order", place, hint="write `name=0xkey`")
        return
    if key and int(key, 0) > 0xFFFF:
        yield PKEY.finding(f"P_Key {key} does not fit into 16 bits", place, hint="write 0x0001 to 0x7fff")
    if value in keys:
        message = f"P_Key 0x{value:04x} stands twice: OpenSM merges the partitions, the later member line counts"
        yield PKEY.finding(message, place, labels=[Label(keys[value], "first here")], hint="give each its own 15 bits")
    keys.setdefault(value, place)


def _members(own: _File, pieces: list[Piece], defmember: re.Match[str] | None) -> Iterator[Finding]:
    levels = []
    for piece in pieces:
        if piece.text.startswith("mgid="):
            continue
        for match in re.finditer(r"[^,\s][^,]*", piece.text):
            cell = match[0].strip()
            member, equals, level = (x.strip() for x in cell.partition("="))
            place = own.span(Piece(cell, piece.line, piece.column + match.start()))
            if member not in WORDS:
                yield from _guid(member, place)
            yield from _level(own, member, equals, level, defmember, place)
            levels.append(level or ("full" if equals else defmember[1] if defmember else "limited"))
    if levels and all(not x or (not "full".startswith(x) and x != "both") for x in levels):
        yield LIMITED_ONLY.finding(
            "limited members only: they cannot talk to each other", own.span(pieces[0]), hint="make one side full"
        )


def _guid(member: str, place: Span) -> Iterator[Finding]:
    if any(word.startswith(member) for word in WORDS) and member:
        message = f"`{member}` is a beginning of {next(w for w in WORDS if w.startswith(member))}: OpenSM takes it for that"
        yield MEMBERSHIP.finding(message, place, hint="write the word out, or a GUID with 0x")
    elif not re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}|[1-9][0-9]*", member):
        message = f"`{member[:40]}` is no port GUID: OpenSM drops the whole file and opens everything"
        yield FILE_DROPPED.finding(message, place, hint="write 0x and 16 digits")
    elif int(member, 0) == 0:
        yield MEMBERSHIP.finding("a GUID of zero means `not set`", place, hint="take it out")


def _level(own: _File, member: str, equals: str, level: str, defmember: re.Match[str] | None, place: Span) -> Iterator[Finding]:
    if not equals and defmember is None:
        yield MEMBERSHIP.finding(
            f"`{member}` has no membership: OpenSM makes it limited", place, hint="write =full or =limited"
        )
    elif equals and level not in ("full", "limited", "both"):
        meant = "full" if "full".startswith(level) else "limited"
        yield MEMBERSHIP.finding(f"OpenSM reads `={level}` as {meant}", place, hint="write =full or =limited")
    elif level == "both" and own.conf is not None and not own.conf.is_true("allow_both_pkeys"):
        yield BOTH.finding("`both` means full: opensm.conf does not say `allow_both_pkeys TRUE`", place, hint="write it there")
