"""GUIDs for the names of a spec, from dumps of the fabric it describes.

Takes the spec's `Fabric`, the bindings so far, and dumps. Gives an `Outcome`: rows, what could not be bound and why, what
changed, where name and cable disagree, what the spec does not have. Rows that the dumps do not speak of are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ibgen.diagnostics import Span
from ibgen.fabric import Binding, Bindings, Fabric

from .accounts import conflicts, extras, tallies, unbound
from .matching import Identity, Matched
from .observed import Observed
from .outcome import CHANGED, COMPLETED, NEW, SAME, Bound, Outcome, name_of
from .rows import in_order
from .telling import findings_of
from .view import Clash, View, look

_Key = tuple[int, Identity, int]
"""(subnet, who, port of the adapter; 0 for a switch)."""
_Name = tuple[str, str, int]
"""(host, HCA, port) as the bindings name it; (switch, "", 0)."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """One node as the bearer of one name."""

    row: Binding
    how: str
    where: str
    at: Span


def bind(fabric: Fabric, bindings: Bindings | None, dumps: Sequence[Observed]) -> Outcome:
    """Binds what can be bound without guessing. `dumps` may be of several subnets, and several of one."""
    view = look(fabric, bindings, dumps)
    seen: dict[_Key, list[_Seen]] = {}
    for m in view.matched:
        for key, one in _rows(view, m):
            seen.setdefault(key, []).append(one)
    found, clashes = _one_each(seen)
    before = bindings.by_name if bindings is not None else {}
    names = [s.name for s in fabric.subnets]
    every = {(b.row.host, b.row.hca, b.row.port): b for b in (_against(one, names[k[0]], before) for k, one in found.items())}
    kept, gone = _others(every, before)
    rows = in_order([*(b.row for b in every.values()), *kept])
    bound = [every[r.host, r.hca, r.port] for r in rows if (r.host, r.hca, r.port) in every]
    missing, extra, crossed = unbound(view, rows), extras(view), conflicts(view)
    said = findings_of(view, bound, missing, gone, extra, crossed, clashes)
    counts = tallies(view, bound, missing)
    return Outcome(tuple(rows), tuple(bound), missing, tuple(gone), extra, crossed, counts, said)


def _rows(view: View, m: Matched) -> Iterator[tuple[_Key, _Seen]]:
    """A row for each bound switch, and for each planned port of a bound adapter whose GUID the dump tells."""
    o, s = m.part.observed, m.part.subnet
    hosts, switches = view.fabric.hosts, view.fabric.subnets[s].switches.names
    guid, own, image = o.nodes.guid.tolist(), o.nodes.own_guid.tolist(), o.nodes.image_guid.tolist()
    for node, who in sorted(m.who.items()):
        if isinstance(who, int):
            row = Binding(switches[who], "", 0, guid[node], own[node], image[node], 0)
            yield (s, who, 0), _Seen(row, m.how[node], "", o.span(node))
            continue
        name = hosts.platforms[hosts.pool[who[0]]].hcas[who[1]].name
        for port, far, far_port in o.cables_of[node]:
            port_guid = o.port_guids[node, port]
            if (*who, port) in m.part.places.row_of and port_guid:
                row = Binding(hosts.names[who[0]], name, port, guid[node], port_guid, image[node], 0)
                yield (s, who, port), _Seen(row, m.how[node], f"{view.name(m, far)} port {far_port}", o.span(node))


def _one_each(seen: Mapping[_Key, Sequence[_Seen]]) -> tuple[dict[_Key, _Seen], list[Clash]]:
    """One bearer per name, one name per GUID. What is left over is nobody's."""
    found: dict[_Key, _Seen] = {}
    clashes: list[Clash] = []
    for key, every in seen.items():
        if len({(one.row.node_guid, one.row.port_guid if key[2] else 0) for one in every}) > 1:
            ends = tuple((one.at, f"0x{one.row.node_guid:016x}") for one in every)
            clashes.append(Clash(name_of(every[0].row), ends, one_name=True))
        else:
            found[key] = max(every, key=lambda one: (one.row.system_image_guid != 0, one.row.port_guid != 0))
    bearers: dict[int, _Key] = {}
    ports: dict[int, _Key] = {}
    wrong: set[_Key] = set()
    for key, one in found.items():
        for table, guid in ((bearers, one.row.node_guid), (bearers, one.row.port_guid), (ports, one.row.port_guid)):
            other = table.setdefault(guid, key) if guid else key
            if (other != key) if table is ports else (_bearer(other) != _bearer(key)):
                wrong |= {key, other}
                ends = tuple((found[k].at, name_of(found[k].row)) for k in (other, key))
                clashes.append(Clash(f"0x{guid:016x}", ends, one_name=False))
                break
    return {key: one for key, one in found.items() if key not in wrong}, clashes


def _bearer(key: _Key) -> tuple[int, Identity]:
    """Whose node GUID it is: an adapter has one on all its subnets, a switch stands on one."""
    return (key[0] if isinstance(key[1], int) else -1, key[1])


def _against(one: _Seen, subnet: str, before: Mapping[_Name, Binding]) -> Bound:
    """A row beside the one that was there; what the dump does not tell of the same node is taken over."""
    row, old = one.row, before.get((one.row.host, one.row.hca, one.row.port))
    if old is None:
        return Bound(row, subnet, one.how, NEW, one.where, one.at)
    if row.node_guid == old.node_guid and (not row.hca or row.port_guid == old.port_guid):
        row = replace(
            row,
            port_guid=row.port_guid or old.port_guid,
            system_image_guid=row.system_image_guid or old.system_image_guid,
        )
        same = (row.port_guid, row.system_image_guid) == (old.port_guid, old.system_image_guid)
        return Bound(row, subnet, one.how, SAME if same else COMPLETED, one.where, one.at, old)
    return Bound(row, subnet, one.how, CHANGED, one.where, one.at, old)


def _others(bound: Mapping[_Name, Bound], before: Mapping[_Name, Binding]) -> tuple[list[Binding], list[tuple[Binding, Bound]]]:
    """The rows so far that the dumps do not speak of: kept, unless their GUID is now another name's, or another port of the
    same adapter shows that the adapter was exchanged."""
    adapter = {(b.row.host, b.row.hca): b for b in bound.values() if b.row.hca}
    bearer = {g: b for b in bound.values() for g in (b.row.node_guid, b.row.port_guid) if g}
    kept: list[Binding] = []
    gone: list[tuple[Binding, Bound]] = []
    for name, row in before.items():
        if name in bound:
            continue
        now = [bearer[g] for g in (row.node_guid, row.port_guid) if g in bearer]
        moved = next((b for b in now if (b.row.host, b.row.hca) != (row.host, row.hca)), None)
        other = adapter.get((row.host, row.hca))
        if other is not None and other.row.node_guid != row.node_guid:
            moved = moved or other
        if moved is not None:
            gone.append((row, moved))
        else:
            kept.append(row)
    return kept, gone
