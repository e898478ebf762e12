"""GUIDs bound to names: the CSV that `ibgen bind` writes and people edit, kept apart from intent.

Takes `host,hca,port,node_guid,port_guid,system_image_guid` lines; a switch is a row with its name in `host` and `hca` and
`port` left empty. Gives `Bindings` (columns, with the line of each) and what is wrong with the file, at its own lines.
Whether the names exist is for `resolve` to say, which knows the spec.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ibgen.diagnostics import Finding, Label, Span

from .findings import BINDING_TWICE, BINDINGS_UNREADABLE, GUID_OF_GROUP, GUID_TWICE, GUID_UNREADABLE, GUID_ZERO

COLUMNS = ("host", "hca", "port", "node_guid", "port_guid", "system_image_guid")
"""In the order that is written; `system_image_guid` may be absent, the others may stand in any order."""

_HEX = re.compile(r"0[xX]([0-9a-fA-F]{1,16})")
_PORT = re.compile(r"0{0,2}[1-9][0-9]{0,2}")
_LINE_END = re.compile(r"\r\n?|\n")
_SYSFS = re.compile(r"[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){3}")


@dataclass(frozen=True, slots=True)
class Binding:
    """One row. `hca` is empty and `port` 0 for a switch; a GUID that is not given is 0."""

    host: str
    hca: str
    port: int
    node_guid: int
    port_guid: int
    system_image_guid: int
    line: int  # in the file, from 1


@dataclass(frozen=True)
class Bindings:
    """A file of bindings. Rows with a fault are left out; each has a finding."""

    file: str
    rows: tuple[Binding, ...] = ()

    @cached_property
    def by_name(self) -> dict[tuple[str, str, int], Binding]:
        """(host, HCA, port), or (switch, "", 0) -> row."""
        return {(r.host, r.hca, r.port): r for r in self.rows}

    def span(self, row: Binding) -> Span:
        """The row's line in the file."""
        return Span(self.file, row.line, 1, row.line, 1 + len(row.host))


def read_bindings(text: str, file: str) -> tuple[Bindings, tuple[Finding, ...]]:
    """All rows that can be used, and everything wrong with the others. `file` is what findings call the file."""
    findings: list[Finding] = []
    table = _table(text)
    line, header = next(table, (1, []))
    names = [name.strip().lower() for name in header]
    missing = [c for c in COLUMNS[:5] if c not in names]
    if missing:
        message = f"the first line lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
        hint = f"begin the file with `{','.join(COLUMNS)}`"
        return Bindings(file), (BINDINGS_UNREADABLE.finding(message, Span(file, line), hint=hint),)
    place = {c: names.index(c) for c in COLUMNS if c in names}
    rows: list[Binding] = []
    for line, cells in table:
        row = _row(cells, place, len(names), Span(file, line), findings)
        if row is not None:
            rows.append(row)
    kept = _once(rows, file, findings)
    _guids_once(kept, file, findings)
    return Bindings(file, tuple(kept)), tuple(findings)


def _table(text: str) -> Iterator[tuple[int, list[str]]]:
    """Lines with their cells; comments (`#`) and blank lines left out. No name or GUID holds a comma, a quote or a line
    break, so quotes are only taken off, and lines count as an editor counts them."""
    for line, raw in enumerate(_LINE_END.split(text.removeprefix("\ufeff")), 1):
        if raw.strip() and not raw.lstrip().startswith("#"):
            yield line, [cell.strip().strip('"').strip() for cell in raw.split(",")]


def _row(cells: list[str], place: dict[str, int], width: int, at: Span, findings: list[Finding]) -> Binding | None:
    if len(cells) != width:
        message = f"{len(cells)} fields where the first line has {width}"
        findings.append(BINDINGS_UNREADABLE.finding(message, at, hint="an empty field still needs its comma"))
        return None
    host, hca, port = (cells[place[c]] for c in ("host", "hca", "port"))
    if not host or bool(hca) != bool(port) or (port and not _PORT.fullmatch(port)):
        message = f"`{host},{hca},{port}` is neither a port of a host nor a switch"
        hint = "write `host,hca,port`, or a switch's name and two empty fields"
        findings.append(BINDINGS_UNREADABLE.finding(message, at, hint=hint))
        return None
    guids = []
    for column in COLUMNS[3:]:
        cell = cells[place[column]] if column in place else ""
        optional = column == "system_image_guid" or (column == "port_guid" and not hca)
        guids.append(_guid(cell, column, optional, _span(at, cells, place.get(column, 0)), findings))
    if None in guids:
        return None
    node, own, image = (g or 0 for g in guids)
    return Binding(host, hca, int(port or 0), node, own, image, at.line)


def _guid(text: str, column: str, optional: bool, at: Span, findings: list[Finding]) -> int | None:
    """The number, 0 where an optional one is left empty, None where it is wrong."""
    if not text and optional:
        return 0
    match = _HEX.fullmatch(text)
    if match is not None:
        value = int(match[1], 16)
    elif _SYSFS.fullmatch(text):
        value = int(text.replace(":", ""), 16)
    else:
        message = f"`{text}` is no GUID" if text else f"the {column} is missing"
        hint = "write 0x and up to 16 hexadecimal digits"
        findings.append(GUID_UNREADABLE.finding(message, at, hint=hint))
        return None
    if value == 0:
        hint = "read it again from the adapter (`ibstat`), or leave the row out until it is known"
        findings.append(GUID_ZERO.finding(f"the {column} is zero, which means `not set`", at, hint=hint))
        return None
    if value >> 56 & 1:  # the I/G bit of an EUI-64
        message = f"{text} is the address of a group: its first octet is odd"
        findings.append(GUID_OF_GROUP.finding(message, at, hint="read it again from the adapter (`ibstat`)"))
        return None
    return value


def _span(at: Span, cells: list[str], index: int) -> Span:
    """Where a cell stands, for lines without quotes and blanks, which is how they are written."""
    column = 1 + sum(len(c) + 1 for c in cells[:index])
    return Span(at.file, at.line, column, at.line, column + max(1, len(cells[index])))


def _once(rows: list[Binding], file: str, findings: list[Finding]) -> list[Binding]:
    first: dict[tuple[str, str, int], Binding] = {}
    for row in rows:
        other = first.setdefault((row.host, row.hca, row.port), row)
        if other is not row:
            what = f"port {row.port} of {row.host}/{row.hca}" if row.hca else f"switch {row.host}"
            labels = [Label(Span(file, other.line), "first here")]
            hint = "keep the line that is true"
            findings.append(BINDING_TWICE.finding(f"{what} is bound twice", Span(file, row.line), labels=labels, hint=hint))
    return list(first.values())


def _guids_once(rows: list[Binding], file: str, findings: list[Finding]) -> None:
    """A GUID belongs to one adapter or switch, a port GUID to one port of it; a node and its port may share theirs."""
    adapter: dict[int, Binding] = {}
    ports: dict[int, Binding] = {}
    for row in rows:
        clash: tuple[int, Binding] | None = None
        for guid in dict.fromkeys((row.node_guid, row.port_guid)):
            other = adapter.setdefault(guid, row) if guid else row
            if (other.host, other.hca) != (row.host, row.hca):
                clash = clash or (guid, other)
        if row.port_guid and (other := ports.setdefault(row.port_guid, row)) is not row:
            clash = clash or (row.port_guid, other)
        if clash is not None:
            guid, other = clash
            message = f"0x{guid:016x} stands on {_owner(other)} and on {_owner(row)}"
            labels = [Label(Span(file, other.line), f"{_owner(other)} has it here")]
            hint = "read both GUIDs again; a copied line is the usual cause"
            findings.append(GUID_TWICE.finding(message, Span(file, row.line), labels=labels, hint=hint))


def _owner(row: Binding) -> str:
    return f"{row.host}/{row.hca} port {row.port}" if row.hca else row.host
