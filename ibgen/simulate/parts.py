"""Parts of the fabric by name: `leaf-03`, `cable:leaf-01:33`, `cable:dgx-001/mlx5_3`, `dgx-001/mlx5_3`, `dgx-001`.

Takes texts. Gives `Part`s with the rows they take out of service, and `Unknown`s with what the writer may have meant. A name
that stands in several subnets (a host on several planes) is a part of each.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ibgen.fabric import HOST_CABLE, Fabric, Subnet
from ibgen.route import Removed


@dataclass(frozen=True, slots=True)
class Part:
    """One thing out of service in one subnet. `text` as it was asked for, `name` as it is called here."""

    text: str
    name: str
    subnet: int  # row of `fabric.subnets`
    removed: Removed


@dataclass(frozen=True, slots=True)
class Unknown:
    """A text that names nothing. `near`: names like it."""

    text: str
    message: str
    near: tuple[str, ...]


def find_parts(
    fabric: Fabric, texts: Iterable[str], subnet: int | Sequence[int] | None = None
) -> tuple[tuple[Part, ...], tuple[Unknown, ...]]:
    """`subnet`: a row, or rows, of `fabric.subnets`; look only there."""
    rows = range(len(fabric.subnets)) if subnet is None else [subnet] if isinstance(subnet, int) else subnet
    parts: list[Part] = []
    unknown: list[Unknown] = []
    for text in texts:
        found = [p for row in rows if (p := _find(fabric, row, text.strip())) is not None]
        parts += found
        if not found:
            unknown.append(_unknown(fabric, rows, text.strip()))
    return tuple(parts), tuple(unknown)


def _find(fabric: Fabric, row: int, text: str) -> Part | None:
    s = fabric.subnets[row]
    if text.startswith("cable:"):
        return _cable(fabric, row, s, text)
    switch = s.switches.row.get(text)
    if switch is not None:
        return Part(text, text, row, Removed(switches=(switch,)))
    endpoints = _endpoints(fabric, s, text)
    return Part(text, text, row, Removed(endpoints=endpoints)) if endpoints else None


def _endpoints(fabric: Fabric, s: Subnet, text: str) -> tuple[int, ...]:
    """Rows of a host's endpoints, `host`, or of one adapter's, `host/adapter` or `host/adapter:port`."""
    host, _, adapter = text.partition("/")
    name, _, port = adapter.partition(":")
    number = fabric.hosts.row.get(host)
    if number is None:
        return ()
    rows = np.flatnonzero(s.ports.host == number)
    if adapter:
        hcas = fabric.hosts.platforms[fabric.hosts.pool[number]].hcas
        rows = np.array([r for r in rows if hcas[s.ports.hca[r]].name == name], np.intp)
        if port:
            rows = rows[s.ports.port[rows] == (int(port) if port.isdecimal() else -1)]
    return tuple(rows.tolist())


def _cable(fabric: Fabric, row: int, s: Subnet, text: str) -> Part | None:
    """A cable by either end: a switch and its port number, or an adapter."""
    c, end = s.cables, text.removeprefix("cable:")
    name, _, port = end.rpartition(":")
    switch = s.switches.row.get(name)
    host = c.kind == HOST_CABLE
    if switch is not None and port.isdecimal():
        at = (c.upper == switch) & (c.upper_port == int(port))
        at |= ~host & (c.lower == switch) & (c.lower_port == int(port))
    else:
        at = host & np.isin(c.lower, _endpoints(fabric, s, end)) if "/" in end else np.zeros(len(host), bool)
    found = np.flatnonzero(at)
    return Part(text, text, row, Removed(cables=tuple(found.tolist()))) if len(found) else None


def cable_name(s: Subnet, row: int) -> str:
    """A cable between switches by its lower end, as `find_parts` reads it."""
    c = s.cables
    return f"cable:{s.switches.names[c.lower[row]]}:{c.lower_port[row]}"


def _unknown(fabric: Fabric, rows: Sequence[int] | range, text: str) -> Unknown:
    bare = text.removeprefix("cable:")
    name = bare.rpartition(":")[0] if text.startswith("cable:") and "/" not in bare else bare.partition("/")[0]
    names = [n for row in rows for n in fabric.subnets[row].switches.names]
    if name in names:
        return Unknown(text, f"`{text}`: {name} has no cable at that port", tuple(_cabled(fabric, rows, name)))
    if name in fabric.hosts.row:
        platform = fabric.hosts.platforms[fabric.hosts.pool[fabric.hosts.row[name]]]
        return Unknown(
            text, f"`{text}`: {name} has no such adapter on these subnets", tuple(f"{name}/{h.name}" for h in platform.hcas)
        )
    near = difflib.get_close_matches(name or text, [*names, *fabric.hosts.names], n=3)
    return Unknown(text, f"`{text}` names no switch, cable, host or adapter", tuple(near))


def _cabled(fabric: Fabric, rows: Sequence[int] | range, name: str) -> list[str]:
    """The first cables of a switch."""
    found = []
    for row in rows:
        s = fabric.subnets[row]
        at = s.switches.row.get(name)
        if at is not None:
            c = s.cables
            ports = [*c.upper_port[c.upper == at], *c.lower_port[(c.lower == at) & (c.kind != HOST_CABLE)]]
            found += [f"cable:{name}:{p}" for p in sorted(int(p) for p in ports)[:3]]
    return found
