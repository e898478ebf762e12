"""Cables as text, both ways: `leaf-01:1 dgx-001/mlx5_0:1`, one a line.

Takes lines and the names that may stand in them. Gives columns of node ids and port numbers, or a finding for every line
that cannot be a cable. 50,000 lines are one pass of a regular expression and two dictionary look-ups an end.

A node id is the row of a switch, or `first_host + (host << HCA_BITS | hca)` for an adapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np

from ibgen.catalog import SwitchModel
from ibgen.diagnostics import Finding, Path

from ..columns import HOST_CABLE, Hosts, Ints, Subnet
from ..findings import CABLE_PORT, CABLE_UNKNOWN_END, CABLE_UNREADABLE
from ..inventory import HCA_BITS
from ..spelling import meant

_END = r"([^\s:]+):([0-9]+(?:/[0-9]+)?)"
_LINE = re.compile(rf"^[ \t]*{_END}[ \t]+{_END}[ \t]*$", re.M)
_NOT_PUNCTUATION = bytes(c for c in range(256) if chr(c) not in ": \t\n")
_HINTS = 20
"""Unknown names that get a search for near matches; thousands would share one cause and cost a second each."""


@dataclass(frozen=True)
class Nodes:
    """What may stand at the end of a cable."""

    switches: Mapping[str, int]
    models: Sequence[SwitchModel]  # per switch
    hosts: Hosts
    _labels: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def first_host(self) -> int:
        return len(self.models)

    def ids(self) -> dict[str, int]:
        """Name of every possible end -> node id."""
        names = [[(f"/{h.name}", i) for i, h in enumerate(p.hcas, self.first_host)] for p in self.hosts.platforms]
        hosts = zip(
            self.hosts.names, self.hosts.pool.tolist(), range(0, len(self.hosts.names) << HCA_BITS, 1 << HCA_BITS), strict=True
        )
        return dict(self.switches) | {host + name: first + i for host, pool, first in hosts for name, i in names[pool]}

    def ports(self, node: int) -> int:
        """Ports of a node."""
        if node < self.first_host:
            return self.models[node].radix
        host, hca = divmod(node - self.first_host, 1 << HCA_BITS)
        return self.hosts.platforms[int(self.hosts.pool[host])].hcas[hca].ports

    def number(self, node: int, text: str) -> int:
        """A port as it is written: a number, or the label on the switch; 0 where there is none."""
        if text.isdecimal():
            return int(text) if len(text) < 6 else 0
        if node >= self.first_host or node < 0:
            return 0
        model = self.models[node]
        if model.id not in self._labels:
            self._labels[model.id] = {model.port_label(p): model.ib_port(p) for p in range(1, model.radix + 1)}
        return self._labels[model.id].get(text, 0)

    def known(self, name: str) -> tuple[str, list[str]]:
        """What an unknown end may have been: the part that is wrong, and the names that would be right."""
        host, slash, hca = name.partition("/")
        if not slash:
            return name, [*self.switches]
        if host not in self.hosts.row:
            return host, [*self.hosts.names]
        return hca, [h.name for h in self.hosts.platforms[self.hosts.pool[self.hosts.row[host]]].hcas]


@dataclass(frozen=True, slots=True)
class Ends:
    """Columns of [C] cables as they are written: the two ends of each."""

    node: tuple[Ints, Ints]
    port: tuple[Ints, Ints]


def read_lines(lines: Sequence[str], nodes: Nodes, at: Path) -> tuple[Ends | None, tuple[Finding, ...]]:
    """All lines, or a finding for each that is unreadable, names an unknown end, or a port that its end does not have."""
    cells = _cells(lines)
    if cells is None:
        return None, tuple(_unreadable(lines, at))
    ids = nodes.ids()
    radix = np.array([m.radix for m in nodes.models], np.int32)
    ends = []
    bad = np.zeros(len(lines), np.bool_)
    for names, texts in ((cells[0], cells[1]), (cells[2], cells[3])):
        node = np.fromiter(map(ids.get, names, repeat(-1)), np.int32, len(lines))
        port = _numbers(node, texts, nodes)
        switch = node < nodes.first_host
        most = np.where(switch, radix[np.where(switch, node, 0)], 1 << HCA_BITS)
        bad |= (node < 0) | (port < 1) | (port > most)
        for row in np.flatnonzero(~switch & (port > 1)).tolist():
            bad[row] |= port[row] > nodes.ports(int(node[row]))
        ends.append((node, port))
    if bad.any():
        found = list(zip(*cells, strict=True))
        return None, tuple(_wrong_ends(np.flatnonzero(bad).tolist(), found, ids, nodes, at))
    (a, p), (b, q) = ends
    return Ends((a, b), (p, q)), ()


def _cells(lines: Sequence[str]) -> list[Sequence[str]] | None:
    """Four columns: name, port, name, port; None where some line is no cable.

    What people write has one colon an end and one blank between them, which a look at the punctuation alone proves; only
    other texts pay for the regular expression.
    """
    text = "\n".join(lines)
    shape = text.encode("utf-8", "replace").translate(None, _NOT_PUNCTUATION)
    if shape == b"\n".join([b": :"] * len(lines)):
        cells = text.replace(":", "\n").replace(" ", "\n").split("\n")
        columns: list[Sequence[str]] = [cells[c::4] for c in range(4)]
        if all(columns) and all(
            "".join(c).isdecimal() and "" not in c and "".join(c).isascii() for c in (columns[1], columns[3])
        ):
            return columns
    found = _LINE.findall(text)
    if len(found) != len(lines) or any("\n" in line for line in lines):
        return None
    return list(zip(*found, strict=True)) or [(), (), (), ()]


def _numbers(node: Ints, texts: Sequence[str], nodes: Nodes) -> Ints:
    try:
        return np.fromiter(map(int, texts), np.int64, len(texts)).clip(0, 1 << 16).astype(np.int32)
    except (ValueError, OverflowError):  # labels such as 1/2 among them
        pairs = zip(node.tolist(), texts, strict=True)
        return np.array([nodes.number(n, text) for n, text in pairs], np.int32)


def _unreadable(lines: Sequence[str], at: Path) -> Iterable[Finding]:
    for j, line in enumerate(lines):
        if "\n" in line or not _LINE.fullmatch(line):
            shown = " ".join(line.split())[:60]
            hint = "write the two ends with a blank between them: `leaf-01:1 dgx-001/mlx5_0:1`"
            yield CABLE_UNREADABLE.finding(f"`{shown}` is no cable", (*at, j), hint=hint)


def _wrong_ends(
    rows: Iterable[int], found: Sequence[tuple[str, ...]], ids: Mapping[str, int], nodes: Nodes, at: Path
) -> Iterable[Finding]:
    hints: dict[str, str] = {}
    for j in rows:
        for name, text in (found[j][:2], found[j][2:]):
            node = ids.get(name, -1)
            if node < 0:
                part, known = nodes.known(name)
                if name not in hints and len(hints) < _HINTS:
                    hints[name] = meant(part, known, "known are")
                hint = hints.get(name, "name a switch, or an adapter as `host/hca`")
                yield CABLE_UNKNOWN_END.finding(f"nothing is called `{name}`: `{part}` is unknown", (*at, j), hint=hint)
            elif not 1 <= nodes.number(node, text) <= nodes.ports(node):
                ports = nodes.ports(node)
                has = "one port" if ports == 1 else f"ports 1 to {ports}"
                yield CABLE_PORT.finding(f"{name} has no port {text}", (*at, j), hint=f"it has {has}")


def write_lines(subnet: Subnet, hosts: Hosts) -> list[str]:
    """The cables of a subnet in this form, in the order of its columns: hosts' cables first. Unsplit switches only."""
    names, cables, ports = subnet.switches.names, subnet.cables, subnet.ports
    adapters = [[f"/{h.name}:" for h in p.hcas] for p in hosts.platforms]
    lines = []
    rows = (cables.kind, cables.lower, cables.lower_port, cables.upper, cables.upper_port)
    host, hca, pool = ports.host.tolist(), ports.hca.tolist(), hosts.pool.tolist()
    for kind, lower, lower_port, upper, upper_port in zip(*(c.tolist() for c in rows), strict=True):
        if kind == HOST_CABLE:
            end = f"{hosts.names[host[lower]]}{adapters[pool[host[lower]]][hca[lower]]}{lower_port}"
            lines.append(f"{names[upper]}:{upper_port} {end}")
        else:
            lines.append(f"{names[lower]}:{lower_port} {names[upper]}:{upper_port}")
    return lines
