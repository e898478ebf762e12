"""All dumps against one spec: what the matching found, in one place, for the accounts that are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ibgen.diagnostics import Span
from ibgen.fabric import Bindings, Fabric

from .descriptions import Names, Said
from .matching import Matched, match
from .observed import SWITCH, Observed
from .parts import Known, Unrecognised, parts
from .places import places


@dataclass(frozen=True)
class View:
    """`said` is per dump and node, by the name of the dump's file."""

    fabric: Fabric
    said: dict[str, list[Said]]
    matched: tuple[Matched, ...]
    unrecognised: tuple[Unrecognised, ...]

    def name(self, m: Matched, node: int) -> str:
        """A bound node by the spec's name (`dgx-001/mlx5_0`), any other by what it calls itself."""
        who, hosts = m.who.get(node), self.fabric.hosts
        if isinstance(who, int):
            return self.fabric.subnets[m.part.subnet].switches.names[who]
        if who is not None:
            return f"{hosts.names[who[0]]}/{hosts.platforms[hosts.pool[who[0]]].hcas[who[1]].name}"
        return called(m.part.observed, node)

    def subnet(self, m: Matched) -> str:
        """The name of the subnet that a part is taken for."""
        return self.fabric.subnets[m.part.subnet].name

    def hangs(self, m: Matched, node: int) -> str:
        """Where an adapter's first cable ends: `leaf-u01 port 3`; empty where it has none."""
        cables = m.part.observed.cables_of[node]
        return f"{self.name(m, cables[0][1])} port {cables[0][2]}" if cables else ""


@dataclass(frozen=True, slots=True)
class Clash:
    """What cannot all be right: one name with several GUIDs (`one_name`), or one GUID with several names."""

    what: str
    ends: tuple[tuple[Span, str], ...]
    one_name: bool


def called(observed: Observed, node: int) -> str:
    """What a node calls itself, or its GUID where that is nothing."""
    return observed.nodes.description[node].strip() or f"0x{int(observed.nodes.guid[node]):016x}"


def look(fabric: Fabric, bindings: Bindings | None, dumps: Sequence[Observed]) -> View:
    """Matches every part of every dump with the subnet it shows."""
    there = tuple(places(s) for s in fabric.subnets)
    names, known = Names(fabric), Known.of(bindings, fabric, there)
    said: dict[str, list[Said]] = {}
    matched: list[Matched] = []
    unrecognised: list[Unrecognised] = []
    for observed in dumps:
        mine = said[observed.file] = _said(names, observed)
        for part in parts(observed, mine, known, there):
            if isinstance(part, Unrecognised):
                unrecognised.append(part)
            else:
                matched.append(match(part, mine, known.within(observed, part.subnet)))
    return View(fabric, said, tuple(matched), tuple(unrecognised))


def _said(names: Names, observed: Observed) -> list[Said]:
    pairs = zip(observed.nodes.kind.tolist(), observed.nodes.description, strict=True)
    return [names.of_switch(text) if kind == SWITCH else names.of_adapter(text) for kind, text in pairs]
