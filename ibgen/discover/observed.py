"""A fabric as somebody saw it: what a dump says, as arrays, before anything is matched with a spec.

GUIDs are the only identity here; descriptions are what nodes call themselves, as printed. 0 is a GUID, LID or rate that the
dump does not tell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ibgen.diagnostics import Span
from ibgen.fabric import Bools, Guids, Ints, Rates

SWITCH, ADAPTER, ROUTER = 0, 1, 2
"""Values of `Nodes.kind`."""

_AGGREGATION = re.compile(r"aggregation node", re.IGNORECASE)


@dataclass(frozen=True)
class Nodes:
    """N nodes, in order of their GUIDs."""

    kind: Ints  # [N] SWITCH, ADAPTER, ROUTER
    guid: Guids  # [N] node GUID
    image_guid: Guids  # [N] system image GUID; never a reason to merge nodes
    own_guid: Guids  # [N] port GUID of a switch's port 0
    size: Ints  # [N] ports as the node's record counts them; 0 where it has no record
    description: tuple[str, ...]  # [N] raw, blanks included
    line: Ints  # [N] its record's header, else where it is first mentioned
    sound: Bools  # [N] false where the dump gives its GUID to something else as well, or contradicts itself about it

    @cached_property
    def data_ports(self) -> Ints:
        """[N] Ports for cables: a switch of 41, 65, 81 or 129 ports has one more for its aggregation node (needs.md 4)."""
        extra = (self.kind == SWITCH) & np.isin(self.size, (41, 65, 81, 129))
        ports: Ints = (self.size - extra).astype(np.int32)
        return ports

    @cached_property
    def aggregation(self) -> Bools:
        """[N] SHARP aggregation nodes: adapters inside a switch, neither hosts nor endpoints."""
        named = np.array([bool(_AGGREGATION.search(text)) for text in self.description], np.bool_)
        inside: Bools = named & (self.kind == ADAPTER)
        return inside


@dataclass(frozen=True)
class AdapterPorts:
    """P ports of adapters and routers that have a link, sorted by node and port."""

    node: Ints  # [P] row of Nodes
    port: Ints  # [P] from 1
    guid: Guids  # [P] port GUID
    lid: Ints  # [P] 0 where none is assigned (65535 in some dumps)


@dataclass(frozen=True)
class Links:
    """L cables, each once, `a` before `b`. A loopback cable has one node at both ends."""

    a: Ints  # [L] row of Nodes
    a_port: Ints  # [L]
    b: Ints  # [L] row of Nodes
    b_port: Ints  # [L]
    a_width: Ints  # [L] lanes as the end prints them; 0 where it does not
    b_width: Ints  # [L]
    a_gbps: Rates  # [L] data rate as the end prints it; a 2x link is half of a 4x one
    b_gbps: Rates  # [L]
    one_sided: Bools  # [L] only one end mentions it
    line: Ints  # [L] the first line that mentions it

    @property
    def rate_gbps(self) -> Rates:
        """[L] The lower rate where the ends disagree, the known one where one end is silent."""
        both = np.minimum(self.a_gbps, self.b_gbps)
        rate: Rates = np.where(both > 0, both, np.maximum(self.a_gbps, self.b_gbps))
        return rate


@dataclass(frozen=True)
class Observed:
    """One dump. `partial`: something of it was cut off, blanked out or unreadable, so what is missing proves nothing."""

    file: str
    nodes: Nodes
    ports: AdapterPorts
    links: Links
    partial: bool = False

    def span(self, node: int) -> Span:
        """The line of a node."""
        return Span(self.file, int(self.nodes.line[node]))

    @cached_property
    def cables_of(self) -> list[list[tuple[int, int, int]]]:
        """Per node its links as (port, node at the other end, port there), by port; a loopback cable stands there twice."""
        return self._cables(np.ones(len(self.links.a), np.bool_))

    @cached_property
    def firm_cables_of(self) -> list[list[tuple[int, int, int]]]:
        """Those of `cables_of` that both ends tell of. Where lines are lost a record may have run into another, and one end
        alone is no evidence of where a cable runs."""
        return self._cables(~self.links.one_sided) if self.links.one_sided.any() else self.cables_of

    def _cables(self, which: Bools) -> list[list[tuple[int, int, int]]]:
        found: list[list[tuple[int, int, int]]] = [[] for _ in self.nodes.description]
        k = self.links
        ends = (column[which].tolist() for column in (k.a, k.a_port, k.b, k.b_port))
        for a, p, b, q in zip(*ends, strict=True):
            found[a].append((p, b, q))
            found[b].append((q, a, p))
        for cables in found:
            cables.sort()
        return found

    @cached_property
    def port_guids(self) -> dict[tuple[int, int], int]:
        """(node, port) of an adapter -> port GUID, 0 where the dump does not tell it."""
        keys = zip(self.ports.node.tolist(), self.ports.port.tolist(), strict=True)
        return dict(zip(keys, self.ports.guid.tolist(), strict=True))
