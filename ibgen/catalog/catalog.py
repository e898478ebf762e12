"""The catalog a run works with: the shipped facts and the user's own rows over them.

Rows are parsed and validated when somebody asks for them, so a run pays only for the models it names.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, cast

from .fact import Fact
from .kinds import model, plural
from .shipped import Shipped, parse, shipped

if TYPE_CHECKING:
    from .cable import CableModel
    from .cloud import Cloud
    from .gpu import GpuModel
    from .hca import HcaModel
    from .pcie import PcieGen
    from .platform import Platform
    from .switch import SwitchModel


@dataclass(frozen=True, slots=True)
class Catalog:
    """Rows by kind and name. Names are exact, ids and aliases alike; `near` is for the message when there is none."""

    facts: Shipped = field(repr=False)
    own: Mapping[str, Mapping[str, Fact]] = field(default_factory=dict)
    own_texts: Sequence[str] = field(default=(), repr=False)
    _read: dict[tuple[str, str], Fact] = field(default_factory=dict, repr=False, compare=False)

    def platform(self, name: str) -> Platform | None:
        return cast("Platform | None", self.row("platforms", name))

    def switch(self, name: str) -> SwitchModel | None:
        return cast("SwitchModel | None", self.row("switches", name))

    def cable(self, name: str) -> CableModel | None:
        return cast("CableModel | None", self.row("cables", name))

    def cloud(self, name: str) -> Cloud | None:
        return cast("Cloud | None", self.row("clouds", name))

    def gpu(self, name: str) -> GpuModel | None:
        return cast("GpuModel | None", self.row("gpus", name))

    def hca(self, name: str) -> HcaModel | None:
        return cast("HcaModel | None", self.row("hcas", name))

    def pcie(self, gen: int) -> PcieGen | None:
        return cast("PcieGen | None", self.row("pcie", f"gen{gen}"))

    def cables_for(self, rate_gbps: float, length_m: float | None = None) -> tuple[CableModel, ...]:
        """Cables that carry a port of that rate over that length, the shortest reach first; kinds without a rate carry any."""
        every = (cast("CableModel", row) for row in self.rows("cables"))
        able = [c for c in every if c.rate_gbps in (None, rate_gbps) and (length_m is None or c.max_m >= length_m)]
        return tuple(sorted(able, key=lambda c: (c.max_m, c.id)))

    def row(self, kind: str, name: str) -> Fact | None:
        """Any row by kind (`platforms`, `switch`, ...) and exact name. The user's rows win over the shipped ones."""
        kind = plural(kind)
        own = self.own.get(kind, {})
        for candidate in own.values():
            if name == candidate.id or name in candidate.aliases:
                return candidate
        id = self.facts.names.get(kind, {}).get(name)
        if id is None:
            return None
        if id in own:
            return own[id]
        if (kind, id) not in self._read:
            self._read[kind, id] = model(kind).model_validate(parse(self.facts.texts[kind][id]))
        return self._read[kind, id]

    def rows(self, kind: str) -> tuple[Fact, ...]:
        """Every row of a kind, sorted by id. Costs the parsing of all of them."""
        found = (self.row(kind, id) for id in self.ids(kind))
        return tuple(row for row in found if row is not None)

    def ids(self, kind: str) -> tuple[str, ...]:
        """The ids of a kind, sorted, without aliases."""
        kind = plural(kind)
        return tuple(sorted({*self.facts.texts.get(kind, {}), *self.own.get(kind, {})}))

    def platform_ids(self) -> tuple[str, ...]:
        return self.ids("platforms")

    def switch_ids(self) -> tuple[str, ...]:
        return self.ids("switches")

    def cable_ids(self) -> tuple[str, ...]:
        return self.ids("cables")

    def cloud_ids(self) -> tuple[str, ...]:
        return self.ids("clouds")

    def near(self, kind: str, name: str, count: int = 3) -> list[str]:
        """Ids whose id or alias looks like `name`, best first, whatever its case; empty when nothing does."""
        kind = plural(kind)
        names = dict(self.facts.names.get(kind, {}))
        for id, row in self.own.get(kind, {}).items():
            names |= dict.fromkeys((id, *row.aliases), id)
        folded: dict[str, str] = {}
        for known in sorted(names):
            folded.setdefault(known.lower(), names[known])
        wanted = name.lower()
        close = difflib.get_close_matches(wanted, sorted(folded), n=4 * count, cutoff=0.6)
        # Long cloud names hide from a ratio: `nd96isr_h100` is a part of one, `h100` of many.
        inside = [known for known in sorted(folded) if len(wanted) >= 3 and wanted in known]
        return list(dict.fromkeys(folded[known] for known in [*close, *inside]))[:count]

    def digest(self) -> str:
        """sha256 over the shipped files and the user's texts in their order; file names and places do not enter."""
        sha = hashlib.sha256(self.facts.digest.encode())
        for text in self.own_texts:
            sha.update(b"\0" + text.replace("\r\n", "\n").encode())
        return sha.hexdigest()


@cache
def standard() -> Catalog:
    """The shipped facts alone. One for the whole run: a row is parsed once, when it is asked for."""
    return Catalog(shipped())
