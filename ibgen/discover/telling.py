"""What `bind` has to say, as findings: one per kind and subnet where there may be thousands, each with its first places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from typing import TypeVar

from ibgen.diagnostics import Finding, Label, Severity, Span
from ibgen.fabric import Binding, is_synthetic, path_of_subnet

from .descriptions import UNNAMED
from .findings import (
    EXTRA,
    GUID_CHANGED,
    GUID_TWICE_SEEN,
    NAME_AGAINST_PLACE,
    NAME_TWICE,
    OTHER_CASE,
    SIMULATED,
    UNBOUND,
    UNNAMED_NODES,
    UNRECOGNISED,
)
from .matching import BY_GUID, BY_PLACE
from .outcome import CHANGED, Bound, Conflict, Extra, Unbound, name_of
from .parts import Unrecognised
from .view import Clash, View, called

_T = TypeVar("_T")
_SHOWN = 3  # further places that a finding points at
_EACH = 20  # findings of one kind; the rest is counted in one more


def findings_of(
    view: View,
    bound: Sequence[Bound],
    missing: Sequence[Unbound],
    gone: Sequence[tuple[Binding, Bound]],
    extra: Sequence[Extra],
    crossed: Sequence[Conflict],
    clashes: Sequence[Clash],
) -> tuple[Finding, ...]:
    """Everything, in no order: the report sorts."""
    changed = [b for b in bound if b.state == CHANGED]
    seen = {g for b in bound for g in (b.row.node_guid, b.row.port_guid)}
    return (
        *(_unrecognised(view, u) for u in view.unrecognised if any(u.observed.cables_of[n] for n in u.nodes)),
        *(_clash(c) for c in clashes),
        *_rivals(view),
        *_conflicts(crossed),
        *_each(changed, lambda b: _changed(b, seen), "names have other GUIDs"),
        *_each(gone, _gone, "rows of the bindings are dropped: their GUIDs are now on other names"),
        *_unbound(view, missing),
        *_by_subnet(extra),
        *_nameless(view),
        *_case(view),
        *_simulated(bound),
    )


def _each(things: Sequence[_T], tell: Callable[[_T], Finding], rest: str) -> Iterator[Finding]:
    for n, thing in enumerate(things):
        finding = tell(thing)
        if n == _EACH:
            yield finding.code.finding(f"{len(things) - n:,} more {rest}", finding.at, hint="`--format json` lists them all")
            return
        yield finding


def _count(things: Sized) -> str:
    return f"{len(things):,} node{'' if len(things) == 1 else 's'}"


def _unrecognised(view: View, part: Unrecognised) -> Finding:
    o = part.observed
    first = min(part.nodes, key=lambda n: int(o.nodes.line[n]))
    count = f"{_count(part.nodes)} around `{called(o, first)}`"
    if part.candidates:
        names = ", ".join(view.fabric.subnets[s].name for s in part.candidates)
        return UNRECOGNISED.finding(
            f"{count} could be of {names}: as many names of each", o.span(first), hint="bind a switch by hand"
        )
    known = ", ".join(s.name for s in view.fabric.subnets) or "none"
    hint = f"is this a dump of {known}? name the hosts (rdma-ndd) and the switches, then take it again"
    return UNRECOGNISED.finding(f"{count}, and no name or GUID among them is of the spec", o.span(first), hint=hint)


def _clash(clash: Clash) -> Finding:
    (_, first), *_, (last, other) = clash.ends
    labels = [Label(at, text) for at, text in clash.ends[:-1][:_SHOWN]]
    if clash.one_name:
        message = f"{clash.what} is {first} in one dump and {other} in another"
        return NAME_TWICE.finding(message, last, labels=labels, hint="leave the older dump out")
    hint = "read both on their hosts (`ibstat`); neither is bound"
    return GUID_TWICE_SEEN.finding(f"{clash.what} is on {first} and on {other}", last, labels=labels, hint=hint)


def _rivals(view: View) -> Iterator[Finding]:
    for m in view.matched:
        o = m.part.observed
        for who, nodes in list(m.rivals.items())[:_EACH]:
            labels = [Label(o.span(n), "so does this one") for n in nodes[:-1][:_SHOWN]]
            right = m.node_of.get(who)
            now = "neither stands at its place" if right is None else f"0x{int(o.nodes.guid[right]):016x} stands at its place"
            message = f"{len(nodes)} nodes call themselves `{called(o, nodes[-1])}`; {now}"
            yield NAME_TWICE.finding(message, o.span(nodes[-1]), labels=labels, hint="give each host its own name (rdma-ndd)")
        if len(m.rivals) > _EACH:
            yield NAME_TWICE.finding(f"{len(m.rivals) - _EACH:,} more names are carried by several nodes", Span(o.file, 0))


def _conflicts(crossed: Sequence[Conflict]) -> Iterator[Finding]:
    yield from _each([c for c in crossed if c.grave], _conflict, "nodes hang elsewhere than planned")
    slight = [c for c in crossed if not c.grave]
    for subnet in dict.fromkeys(c.subnet for c in slight):
        mine = [c for c in slight if c.subnet == subnet]
        labels = [Label(c.at, f"{c.name} is on {c.where}") for c in mine[1 : 1 + _SHOWN]]
        first = mine[0]
        message = f"{first.name} is on {first.where}, where the plan has {first.planned}"
        if len(mine) > 1:
            message = f"{len(mine):,} adapters of {subnet} are on the right leaf at another port: {message}"
        hint = "this matters to the cable plan only; they are bound by their names"
        yield NAME_AGAINST_PLACE.finding(message, first.at, labels=labels, hint=hint, severity=Severity.NOTE)


def _conflict(c: Conflict) -> Finding:
    if not c.where:
        message = f"the switch that calls itself {c.name} stands where the plan has {c.planned}"
        return NAME_AGAINST_PLACE.finding(
            message, c.at, hint="two switches with each other's name, or with each other's cables?"
        )
    message = f"{c.name} hangs on {c.where}, where the plan has {c.planned}"
    hint = "bound by its name: the host wrote it; put the cable right, or the host's name"
    if c.how == BY_GUID:
        hint = "it keeps the name it was bound to before: did the adapter move, or its cable?"
    return NAME_AGAINST_PLACE.finding(message, c.at, hint=hint)


def _changed(b: Bound, seen: set[int]) -> Finding:
    old = b.before
    assert old is not None
    gone = f"GUID 0x{old.node_guid:016x} is {'now elsewhere' if old.node_guid in seen else 'gone'}"
    where = f" on {b.where}" if b.where else ""
    by = "name unchanged" if b.how != BY_PLACE else "it has no name and stands at the same place"
    message = f"{name_of(b.row)}: {gone}, GUID 0x{b.row.node_guid:016x} is new{where}, {by}"
    return GUID_CHANGED.finding(message, b.at, hint="build again: partitions and lists still name the old one")


def _gone(pair: tuple[Binding, Bound]) -> Finding:
    row, now = pair
    if (row.host, row.hca) == (now.row.host, now.row.hca):
        message = f"{name_of(row)}: its row is dropped, for the adapter was exchanged and this port is in no dump"
    else:
        message = f"{name_of(row)}: its row is dropped, for its GUID is now on {name_of(now.row)}"
    return GUID_CHANGED.finding(message, now.at, hint="a dump in which it is seen binds it again", severity=Severity.WARNING)


def _unbound(view: View, missing: Sequence[Unbound]) -> Iterator[Finding]:
    for subnet in view.fabric.subnets:
        mine = [u for u in missing if u.subnet == subnet.name]
        if not mine:
            continue
        facts = {u.name: u.why for u in mine[:_EACH]}
        if len(mine) > _EACH:
            facts[f"{len(mine) - _EACH:,} more"] = "`--format json` lists them all"
        message = f"{len(mine):,} names of `{subnet.name}` have no GUID"
        if len(mine) == 1:
            message = f"{mine[0].name} of `{subnet.name}` has no GUID"
        hint = "name the hosts (rdma-ndd), put cables right, take another dump; rows that are there stay"
        yield UNBOUND.finding(message, path_of_subnet(subnet), facts=facts, hint=hint)


def _by_subnet(extra: Sequence[Extra]) -> Iterator[Finding]:
    for key in dict.fromkeys((e.subnet, e.at.file) for e in extra):
        mine = [e for e in extra if (e.subnet, e.at.file) == key]
        facts = {f"{e.description} (0x{e.guid:016x})": f"{e.why}{f'; on {e.where}' if e.where else ''}" for e in mine[:_EACH]}
        if len(mine) > _EACH:
            facts[f"{len(mine) - _EACH:,} more"] = "`--format json` lists them all"
        message = f"{_count(mine)} of `{key[0]}` that could not be told, or that the spec lacks"
        yield EXTRA.finding(message, mine[0].at, facts=facts, hint="add them to the spec, or correct their names")


def _nameless(view: View) -> Iterator[Finding]:
    for m in view.matched:
        o, said = m.part.observed, view.said[m.part.observed.file]
        every = [n for n in m.part.nodes if said[n].grade == UNNAMED and not o.nodes.aggregation[n]]
        if every:
            bound = sum(m.how.get(n) == BY_PLACE for n in every)
            message = (
                f"{len(every):,} nodes of `{view.subnet(m)}` have no name of their own; {bound:,} are bound by their place"
            )
            facts = {called(o, n): f"taken for {view.name(m, n)}" for n in every if n in m.who} if len(every) <= _SHOWN else {}
            yield UNNAMED_NODES.finding(message, o.span(every[0]), hint="rdma-ndd names a host's adapters", facts=facts)


def _case(view: View) -> Iterator[Finding]:
    for m in view.matched:
        o, said = m.part.observed, view.said[m.part.observed.file]
        every = [n for n in m.part.nodes if said[n].other_case]
        if every:
            message = f"{_count(every)} whose name is the spec's but for capitals, as `{called(o, every[0])}`"
            yield OTHER_CASE.finding(message, o.span(every[0]), hint="write them alike")


def _simulated(bound: Iterable[Bound]) -> Iterator[Finding]:
    every = [b for b in bound if is_synthetic(b.row.node_guid)]
    if every:
        message = f"{len(every):,} GUIDs are of ibgen's own making: the dump is of a simulation"
        yield SIMULATED.finding(message, every[0].at, hint="never install what is built from these bindings")
