"""Which subnet of the spec a dump shows.

Takes dumps and a spec's `Fabric`. Gives the connected parts of each dump, with the subnet that most of its names (or GUIDs
that are bound already) belong to; None where nothing matches, or several match equally.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ibgen.fabric import Bindings, Fabric

from .descriptions import CERTAIN, HOST, LIKELY, Said
from .matching import Identity, Part
from .observed import Observed
from .places import Places


@dataclass(frozen=True)
class Known:
    """Who GUIDs belong to by the bindings so far: node GUID -> (subnet, identity), once per subnet a host is on."""

    by_guid: dict[int, tuple[tuple[int, Identity], ...]]

    @classmethod
    def of(cls, bindings: Bindings | None, fabric: Fabric, places: Sequence[Places]) -> Known:
        found: dict[int, dict[tuple[int, Identity], None]] = {}
        switches = {n: (s, i) for s, subnet in enumerate(fabric.subnets) for i, n in enumerate(subnet.switches.names)}
        hca = [{h.name: i for i, h in enumerate(p.hcas)} for p in fabric.hosts.platforms]
        for row in bindings.rows if bindings is not None else ():
            if not row.hca:
                if row.host in switches:
                    found.setdefault(row.node_guid, {})[switches[row.host]] = None
                continue
            host = fabric.hosts.row.get(row.host, -1)
            index = hca[fabric.hosts.pool[host]].get(row.hca, -1) if host >= 0 else -1
            for s, there in enumerate(places):
                if (host, index, row.port) in there.row_of:
                    found.setdefault(row.node_guid, {})[s, (host, index)] = None
        return cls({guid: tuple(owners) for guid, owners in found.items()})

    def within(self, observed: Observed, subnet: int) -> list[Identity | None]:
        """Per node of a dump its identity on one subnet; None where it has none there, or two."""
        result: list[Identity | None] = []
        for guid in observed.nodes.guid.tolist():
            here = [who for s, who in self.by_guid.get(guid, ()) if s == subnet]
            result.append(here[0] if len(here) == 1 else None)
        return result


@dataclass(frozen=True)
class Unrecognised:
    """A part that is nobody's. `candidates`: subnets that match equally."""

    observed: Observed
    nodes: tuple[int, ...]
    candidates: tuple[int, ...]


def parts(observed: Observed, said: Sequence[Said], known: Known, places: Sequence[Places]) -> Iterator[Part | Unrecognised]:
    """The connected parts of a dump, in the order of their lowest GUIDs."""
    for nodes in _connected(observed):
        strong: Counter[int] = Counter()
        weak: Counter[int] = Counter()
        for node in nodes:
            _count(observed, node, said[node], known, places, strong, weak)
        ranked = (strong or weak).most_common()
        best = tuple(sorted(s for s, n in ranked if n == ranked[0][1]))
        if len(best) == 1:
            yield Part(observed, nodes, best[0], places[best[0]])
        else:
            yield Unrecognised(observed, nodes, best)


def _connected(observed: Observed) -> Iterator[tuple[int, ...]]:
    seen = [False] * len(observed.nodes.description)
    for start in range(len(seen)):
        if seen[start]:
            continue
        seen[start] = True
        reached = [start]
        for node in reached:  # grows while it is walked
            for _, far, _ in observed.cables_of[node]:
                if not seen[far]:
                    seen[far] = True
                    reached.append(far)
        yield tuple(sorted(reached))


def _count(
    observed: Observed, node: int, said: Said, known: Known, places: Sequence[Places], strong: Counter[int], weak: Counter[int]
) -> None:
    """A node's voice: for the subnet of the port it has a cable on; for the only subnet its host is on, where that is all."""
    owners = known.by_guid.get(int(observed.nodes.guid[node]), ())
    if said.grade == CERTAIN and said.switch >= 0:
        strong[said.subnet] += 1
    elif said.grade == CERTAIN:
        cabled = [port for port, _, _ in observed.cables_of[node]]
        here = [s for s, p in enumerate(places) if any((said.host, said.hca, port) in p.row_of for port in cabled)]
        for s in here:
            strong[s] += 1
        if not here:
            weak.update(s for s, p in enumerate(places) if (said.host, said.hca) in p.of_host.get(said.host, ()))
    elif len(owners) == 1:
        strong[owners[0][0]] += 1
    elif said.grade in (LIKELY, HOST):
        on = [s for s, p in enumerate(places) if said.host in p.of_host]
        if len(on) == 1:
            weak[on[0]] += 1
