"""One connected part of a dump against one subnet of the spec: who is who.

Takes the dump, what its nodes say of themselves, what is bound already, and the plan's places. Gives for each node its place
in the spec, or none. Three kinds of evidence, in this order: what a node calls itself; a GUID that is bound already; the place
among neighbours that are bound. The last is repeated until nothing more follows from it.

Nothing is guessed. Where names and cables disagree the places are no evidence: a switch is judged by all its bound
neighbours, four fifths of which must agree, and an adapter is bound by its place only on a switch whose other cables run as
planned, and only cables that both their ends tell of are evidence. Two nodes with one claim have none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .descriptions import CERTAIN, HOST, LIKELY, UNKNOWN, Said
from .observed import ADAPTER, SWITCH, Observed
from .places import Adapter, Places

BY_NAME, BY_GUID, BY_PLACE = "name", "guid", "place"
"""How a node was bound: by what it calls itself, by a GUID bound before, by its place."""

AGREE, OF = 4, 5
"""Four of five: the share of the evidence that must speak for one answer."""
ENOUGH = 3
"""Neighbours that must agree on a switch, whatever the ports; one less where the port numbers agree too."""

Identity = int | Adapter
"""A switch as a row of Switches, an adapter as (host, HCA)."""


@dataclass(frozen=True)
class Part:
    """A connected part of a dump and the subnet it is taken for."""

    observed: Observed
    nodes: tuple[int, ...]
    subnet: int  # row of Fabric.subnets
    places: Places


@dataclass
class Matched:
    """Who is who. `rivals`: nodes that call themselves by one name, by whom they claim to be."""

    part: Part
    who: dict[int, Identity] = field(default_factory=dict)
    how: dict[int, str] = field(default_factory=dict)
    node_of: dict[Identity, int] = field(default_factory=dict)
    rivals: dict[Identity, list[int]] = field(default_factory=dict)
    vague: dict[int, list[int]] = field(default_factory=dict)  # host -> nodes that name it, but no adapter as the spec does

    def expected(self, node: int, port: int) -> tuple[Identity, int] | None:
        """Who the plan has at the other end of a port of a bound node, and at which port there."""
        who, places = self.who[node], self.part.places
        if isinstance(who, tuple):
            return places.leaf_of.get((*who, port))
        if (far := places.switch_at.get((who, port))) is not None:
            return far
        row = places.endpoint_at.get((who, port))
        return None if row is None else (places.adapters[row], places.port_of[row])

    def as_planned(self, switch: int) -> bool:
        """Whether the cables of a bound switch run as planned, as far as both their ends are known."""
        agree = against = 0
        for port, far, far_port in self.part.observed.firm_cables_of[switch]:
            if far in self.who:
                right = self.expected(switch, port) == (self.who[far], far_port)
                agree, against = agree + right, against + (not right)
        return agree >= 1 and agree * OF >= (agree + against) * AGREE

    def votes(self, switch: int) -> tuple[int, int, int, int] | None:
        """The row of Switches that the bound neighbours of a node place it at, with the votes for it, those of them that
        agree on the port as well, and all votes."""
        votes: Counter[int] = Counter()
        exact: Counter[int] = Counter()
        for port, far, far_port in self.part.observed.firm_cables_of[switch]:
            if far not in self.who or far == switch:
                continue
            expected = self.expected(far, far_port)
            row = expected[0] if expected is not None and isinstance(expected[0], int) else -1
            votes[row] += 1
            exact[row] += expected is not None and expected[1] == port
        if not votes:
            return None
        best = min(votes, key=lambda row: (-votes[row], row))
        return best, votes[best], exact[best], votes.total()


def match(part: Part, said: Sequence[Said], known: Sequence[Identity | None]) -> Matched:
    """`said` and `known` (who a node is by its GUID in the bindings so far, in this subnet) are per node of the dump."""
    m = Matched(part)
    open_nodes = [n for n in part.nodes if bool(part.observed.nodes.sound[n]) and not part.observed.nodes.aggregation[n]]
    claims = [(n, named(part, said[n])) for n in open_nodes]
    _settle(m, BY_NAME, claims)
    for n, who in claims:
        if who is not None and n not in m.who:
            m.rivals.setdefault(who, []).append(n)
    for n in part.nodes:
        if said[n].grade in (LIKELY, HOST):
            m.vague.setdefault(said[n].host, []).append(n)
    _settle(m, BY_GUID, ((n, known[n]) for n in open_nodes if n not in m.who and _may_be(part, said[n], known[n])))
    while True:
        _by_place(m, said, [n for n in open_nodes if n not in m.who])
        left = [n for n in open_nodes if n not in m.who]
        if not _settle(m, BY_NAME, ((n, _likely(m, said, n)) for n in left)):
            break
    _take_back(m)
    return m


def named(part: Part, said: Said) -> Identity | None:
    """Who a node says it is, where it says so exactly and that is one of this subnet."""
    if said.grade != CERTAIN:
        return None
    if said.switch >= 0:
        return said.switch if said.subnet == part.subnet else None
    adapter = (said.host, said.hca)
    return adapter if adapter in part.places.of_host.get(said.host, ()) else None


def _settle(m: Matched, how: str, claims: Iterable[tuple[int, Identity | None]]) -> int:
    """Binds every identity that is free and claimed once. Gives the number of nodes that were bound."""
    by_identity: dict[Identity, list[int]] = {}
    for node, identity in claims:
        if identity is not None:
            by_identity.setdefault(identity, []).append(node)
    bound = 0
    for identity, nodes in by_identity.items():
        if len(nodes) > 1 or identity in m.node_of:
            continue
        m.who[nodes[0]], m.how[nodes[0]], m.node_of[identity] = identity, how, nodes[0]
        bound += 1
    return bound


def _may_be(part: Part, said: Said, identity: Identity | None) -> bool:
    """Whether what a node calls itself allows this identity. A switch may have any foreign name, an adapter none: hosts
    write their own names there, and a name that the spec lacks is somebody else."""
    if identity is None:
        return False
    if said.grade == CERTAIN:
        return named(part, said) == identity
    if isinstance(identity, int):
        return True
    return said.grade != UNKNOWN and said.host in (-1, identity[0])


def _by_place(m: Matched, said: Sequence[Said], left: list[int]) -> None:
    kind = m.part.observed.nodes.kind
    switches = [n for n in left if kind[n] == SWITCH]
    adapters = [n for n in left if kind[n] == ADAPTER]
    while True:
        claims = [(n, _switch_here(m, n)) for n in switches if n not in m.who]
        bound = _settle(m, BY_PLACE, [(n, who) for n, who in claims if _may_be(m.part, said[n], who)])
        trusted: dict[int, bool] = {}
        found = [(n, adapter_here(m, n, trusted)) for n in adapters if n not in m.who]
        bound += _settle(m, BY_PLACE, [(n, who) for n, who in found if _may_be(m.part, said[n], who)])
        if not bound:
            return


def _switch_here(m: Matched, node: int) -> int | None:
    voted = m.votes(node)
    if voted is None:
        return None
    row, votes, exact, of = voted
    alone = exact == 1 and len(m.part.observed.cables_of[node]) == 1
    enough = exact >= ENOUGH - 1 or votes >= ENOUGH or alone
    return row if row >= 0 and enough and votes * OF >= of * AGREE else None


def adapter_here(m: Matched, node: int, trusted: dict[int, bool]) -> Adapter | None:
    """The adapter that the plan has where this one hangs; None where the switches there are no evidence, or disagree."""
    found: set[Adapter | None] = set()
    for port, switch, switch_port in m.part.observed.firm_cables_of[node]:
        if not isinstance(m.who.get(switch), int):
            continue
        if switch not in trusted:
            trusted[switch] = m.as_planned(switch)
        if trusted[switch]:
            expected = m.expected(switch, switch_port)
            fits = expected is not None and isinstance(expected[0], tuple) and expected[1] == port
            found.add(expected[0] if fits and expected is not None and isinstance(expected[0], tuple) else None)
    return found.pop() if len(found) == 1 else None


def _likely(m: Matched, said: Sequence[Said], node: int) -> Adapter | None:
    """Who a node is that names its host but not its adapter as the spec does: by the adapter's number, unless its place or
    another adapter of that host shows that they are counted otherwise; or because only one adapter of the host is left."""
    s = said[node]
    if s.grade not in (LIKELY, HOST) or adapter_here(m, node, {}) is not None:
        return None
    siblings = m.vague[s.host]
    shifted = any(said[n].grade == LIKELY and m.who.get(n, (s.host, said[n].hca)) != (s.host, said[n].hca) for n in siblings)
    own = m.part.places.of_host.get(s.host, ())
    if s.grade == LIKELY and not shifted:
        return (s.host, s.hca) if (s.host, s.hca) in own else None
    free = [a for a in own if a not in m.node_of]
    return free[0] if len(free) == 1 and [n for n in siblings if n not in m.who] == [node] else None


def _take_back(m: Matched) -> None:
    """What was bound by its place before more was known, and would not be now."""
    for node in [n for n, how in m.how.items() if how == BY_PLACE and isinstance(m.who[n], int)]:
        voted = m.votes(node)
        if voted is None or voted[0] != m.who[node] or voted[1] * OF < voted[3] * AGREE:
            hanging = [far for _, far, _ in m.part.observed.firm_cables_of[node] if m.how.get(far) == BY_PLACE]
            for n in {node, *(far for far in hanging if isinstance(m.who[far], tuple))}:
                del m.node_of[m.who[n]], m.who[n], m.how[n]
