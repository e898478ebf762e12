"""What did not become a row, and why; and how much did.

Takes the `View` and the rows. Gives unbound names, nodes the spec does not have, names against places, numbers per subnet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ibgen.fabric import DOWN, PLANNED, Binding, Subnet

from .descriptions import CERTAIN, UNNAMED
from .matching import AGREE, BY_PLACE, ENOUGH, OF, Identity, Matched, adapter_here
from .observed import SWITCH
from .outcome import CHANGED, Bound, Conflict, Extra, Tally, Unbound
from .view import View, called


@dataclass
class _Index:
    """Where the parts that show one subnet have a name."""

    node_of: dict[Identity, tuple[Matched, int]] = field(default_factory=dict)
    rivals: Counter[Identity] = field(default_factory=Counter)

    @classmethod
    def of(cls, shown: Sequence[Matched]) -> _Index:
        index = cls()
        for m in shown:
            index.node_of.update((who, (m, node)) for who, node in m.node_of.items())
            index.rivals.update({who: len(nodes) for who, nodes in m.rivals.items()})
        return index


def unbound(view: View, rows: Sequence[Binding]) -> tuple[Unbound, ...]:
    """Names of the subnets that some dump shows, planned hosts left out, without a row."""
    have = {(r.host, r.hca, r.port) for r in rows}
    found: list[Unbound] = []
    for s, subnet in enumerate(view.fabric.subnets):
        shown = [m for m in view.matched if m.part.subnet == s]
        if not shown:
            continue
        index = _Index.of(shown)
        for row, name in enumerate(subnet.switches.names):
            if (name, "", 0) not in have:
                found.append(Unbound(name, subnet.name, _why_switch(index, row)))
        for row, (host, hca, port) in enumerate(endpoint_names(view, subnet)):
            if (host, hca, port) not in have and subnet.ports.state[row] != PLANNED:
                found.append(Unbound(f"{host}/{hca}:{port}", subnet.name, _why_port(view, index, subnet, row)))
    return tuple(found)


def endpoint_names(view: View, subnet: Subnet) -> Iterator[tuple[str, str, int]]:
    """(host, HCA, port) of each endpoint."""
    hosts, ports = view.fabric.hosts, subnet.ports
    hcas = [[h.name for h in p.hcas] for p in hosts.platforms]
    pools = hosts.pool.tolist()
    for host, hca, port in zip(ports.host.tolist(), ports.hca.tolist(), ports.port.tolist(), strict=True):
        yield hosts.names[host], hcas[pools[host]][hca], port


def _why_switch(index: _Index, row: int) -> str:
    if row in index.node_of:
        return "several dumps give it different GUIDs"
    if row in index.rivals:
        return f"{index.rivals[row]} switches call themselves so"
    return "no switch is called so, and too few of its neighbours are bound to tell it by its place"


def _why_port(view: View, index: _Index, subnet: Subnet, row: int) -> str:
    ports = subnet.ports
    who, port = (int(ports.host[row]), int(ports.hca[row])), int(ports.port[row])
    out = "it is out of service; " if ports.state[row] == DOWN else ""
    if who in index.node_of:
        m, node = index.node_of[who]
        if m.part.observed.port_guids.get((node, port)):
            return f"{out}its GUID is also another's, or several dumps give it different ones"
        cabled = any(p == port for p, _, _ in m.part.observed.cables_of[node])
        return f"{out}its adapter is there, but port {port} has {'no GUID in the dump' if cabled else 'no cable'}"
    if who in index.rivals:
        return f"{out}{index.rivals[who]} adapters call themselves so, and none of them stands at its place"
    leaf, leaf_port = int(ports.leaf[row]), int(ports.leaf_port[row])
    there = f"{subnet.switches.names[leaf]} port {leaf_port}"
    if leaf not in index.node_of:
        return f"{out}no adapter is called so, and its leaf {subnet.switches.names[leaf]} is not bound either"
    m, node = index.node_of[leaf]
    far = next((f for p, f, _ in m.part.observed.cables_of[node] if p == leaf_port), -1)
    return out + (f"nothing hangs at its place, {there}" if far < 0 else _why_not(view, m, far, there))


def _why_not(view: View, m: Matched, node: int, there: str) -> str:
    text = f"`{called(m.part.observed, node)}` hangs at its place, {there}"
    if node in m.who or view.said[m.part.observed.file][node].grade != UNNAMED:
        return text
    if not m.part.observed.nodes.sound[node]:
        return f"{text}, whose GUID cannot be trusted"
    return f"{text}, and no neighbour confirms that the cables there run as planned"


def extras(view: View) -> tuple[Extra, ...]:
    """Nodes of recognised subnets that are nobody of the spec; aggregation nodes are part of their switch."""
    found: list[Extra] = []
    for m in view.matched:
        o = m.part.observed
        for node in m.part.nodes:
            if node not in m.who and not o.nodes.aggregation[node]:
                where = "" if o.nodes.kind[node] == SWITCH else view.hangs(m, node)
                found.append(
                    Extra(
                        called(o, node), int(o.nodes.guid[node]), view.subnet(m), where, _stranger(view, m, node), o.span(node)
                    )
                )
    return tuple(sorted(found, key=lambda e: (e.subnet, e.at, e.guid)))


def _stranger(view: View, m: Matched, node: int) -> str:
    o, said = m.part.observed, view.said[m.part.observed.file][node]
    if not o.nodes.sound[node]:
        return "its GUID is not its own alone"
    if said.grade == CERTAIN:
        rivals = next((len(nodes) for nodes in m.rivals.values() if node in nodes), 0)
        return f"{rivals} nodes call themselves so" if rivals else f"it belongs to another subnet than {view.subnet(m)}"
    if said.grade == UNNAMED:
        return "it has no name, and its place does not tell"
    if said.host >= 0:
        return "its host is in the spec, its adapter cannot be told"
    place = adapter_here(m, node, {})
    if place is not None:
        hosts = view.fabric.hosts
        name = f"{hosts.names[place[0]]}/{hosts.platforms[hosts.pool[place[0]]].hcas[place[1]].name}"
        return f"the spec has no such name; the plan has {name} there"
    return "the spec has no such name"


def conflicts(view: View) -> tuple[Conflict, ...]:
    """Bound nodes that hang where the plan has something else."""
    found: list[Conflict] = []
    for m in view.matched:
        trusted: dict[int, bool] = {}
        for node, how in sorted(m.how.items()):
            if how != BY_PLACE:
                found += _switch_conflict(view, m, node) if isinstance(m.who[node], int) else _conflict(view, m, node, trusted)
    return tuple(found)


def _switch_conflict(view: View, m: Matched, node: int) -> Iterator[Conflict]:
    voted = m.votes(node)
    if voted is None or voted[0] == m.who[node] or voted[1] < ENOUGH or voted[1] * OF < voted[3] * AGREE:
        return
    names = view.fabric.subnets[m.part.subnet].switches.names
    planned = names[voted[0]] if voted[0] >= 0 else "nothing"
    yield Conflict(view.name(m, node), view.subnet(m), "", planned, True, m.how[node], m.part.observed.span(node))


def _conflict(view: View, m: Matched, node: int, trusted: dict[int, bool]) -> Iterator[Conflict]:
    """Judged against each cable's switch, where that is bound. Right leaf and wrong port matters to the cable plan only."""
    who, places = m.who[node], m.part.places
    if not isinstance(who, tuple):
        return
    for port, switch, switch_port in m.part.observed.firm_cables_of[node]:
        row = m.who.get(switch)
        if not isinstance(row, int):
            continue
        expected = m.expected(switch, switch_port)
        if expected == (who, port):
            continue
        other = places.endpoint_at.get((row, switch_port))
        own = places.leaf_of.get((*who, port))
        grave = own is None or own[0] != row
        planned = "nothing" if other is None else _endpoint(view, m, other)
        where = f"{view.name(m, switch)} port {switch_port}"
        at = m.part.observed.span(node)
        yield Conflict(f"{view.name(m, node)}:{port}", view.subnet(m), where, planned, grave, m.how[node], at)


def _endpoint(view: View, m: Matched, row: int) -> str:
    hosts, (host, hca) = view.fabric.hosts, m.part.places.adapters[row]
    return f"{hosts.names[host]}/{hosts.platforms[hosts.pool[host]].hcas[hca].name}:{m.part.places.port_of[row]}"


def tallies(view: View, bound: Sequence[Bound], missing: Sequence[Unbound]) -> tuple[Tally, ...]:
    """The subnets in the order of the spec."""
    found: list[Tally] = []
    for s, subnet in enumerate(view.fabric.subnets):
        dumps = dict.fromkeys(m.part.observed.file for m in view.matched if m.part.subnet == s)
        mine = [b for b in bound if b.subnet == subnet.name]
        lacking = [u for u in missing if u.subnet == subnet.name]
        adapters = int((subnet.ports.state != PLANNED).sum())
        switches = len(subnet.switches.names)
        found.append(
            Tally(
                subnet=subnet.name,
                dumps=tuple(dumps),
                switches=switches,
                switches_bound=switches - sum("/" not in u.name for u in lacking) if dumps else 0,
                adapters=adapters,
                adapters_bound=adapters - sum("/" in u.name for u in lacking) if dumps else 0,
                by_place=sum(b.how == BY_PLACE for b in mine),
                changed=sum(b.state == CHANGED for b in mine),
            )
        )
    return tuple(found)
