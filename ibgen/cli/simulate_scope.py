"""What an invocation of `ibgen simulate` speaks of: which subnets, which of them are one shape, which parts are gone.

Takes `Complete` and the options' texts. Gives `Scope`s, one per thing to simulate. Names that mean nothing are `Refused`.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from ibgen.checks.asked import asked_ratio
from ibgen.checks.ibg502_slot_too_small import MOST
from ibgen.cli.exits import Refused
from ibgen.compilation import Complete
from ibgen.diagnostics import Path
from ibgen.render.simulation import Allowed
from ibgen.route import Removed
from ibgen.simulate.alike import alike
from ibgen.simulate.bundles import part_place
from ibgen.simulate.failures import merged
from ibgen.simulate.parts import Part, find_parts


@dataclass(frozen=True, slots=True)
class Scope:
    """One subnet that is simulated, the rows of those it stands for (itself first), and its parts out of service."""

    row: int
    rows: tuple[int, ...]
    parts: tuple[Part, ...] = ()

    @property
    def gone(self) -> Removed | None:
        return merged(self.parts) if self.parts else None


def scopes(c: Complete, fabric: str | None, fail: Sequence[str]) -> tuple[Scope, ...]:
    """Of every fabric the subnets that differ in shape, or in what has failed of them."""
    chosen = _chosen(c, fabric)
    parts = _found(c, fail, chosen)
    if not parts:
        return tuple(Scope(group[0], group) for group in alike(c.fabric, chosen))
    found: list[Scope] = []
    for group in alike(c.fabric, chosen):
        by_damage: dict[Removed, list[int]] = {}
        for row in group:
            mine = [p for p in parts if p.subnet == row]
            if mine:
                by_damage.setdefault(merged(mine), []).append(row)
        for rows in by_damage.values():
            found.append(Scope(rows[0], tuple(rows), tuple(p for p in parts if p.subnet == rows[0])))
    return tuple(found)


def _chosen(c: Complete, name: str | None) -> tuple[int, ...]:
    """Rows of the subnets that are simulated: all, or what `--fabric` names."""
    subnets = c.fabric.subnets
    if not subnets:
        raise Refused(
            "no fabric of this spec has links that could be simulated",
            "the links of an opaque fabric are the provider's own; `ibgen check` judges what is known of its hosts",
        )
    fabrics = c.spec.fabrics
    rows = tuple(row for row, s in enumerate(subnets) if name in (None, s.name))
    rows = rows or tuple(row for row, s in enumerate(subnets) if fabrics[s.fabric].name == name)
    if rows:
        return rows
    if any(f.name == name and f.topology.kind != "opaque" for f in fabrics):
        raise Refused(f"`{name}` could not be planned", "`ibgen check` says what is wrong with it")
    if any(f.name == name for f in fabrics):
        raise Refused(f"the links of `{name}` are the provider's own", "simulate a fabric with switches")
    known = list(dict.fromkeys(n for s in subnets for n in (fabrics[s.fabric].name, s.name)))
    near = difflib.get_close_matches(str(name), known, n=1) or known[:1]
    raise Refused(f"the spec has no fabric `{name}`", f"did you mean {near[0]}?")


def _found(c: Complete, texts: Sequence[str], chosen: tuple[int, ...]) -> tuple[Part, ...]:
    """The parts that `--fail` names; all that are unknown are refused at once, each with its own suggestion."""
    if not texts:
        return ()
    parts, unknown = find_parts(c.fabric, texts, chosen)
    if unknown:
        said = [u.message + (f" (did you mean {' or '.join(u.near)}?)" if u.near else "") for u in unknown]
        raise Refused("; ".join(said), "`ibgen show cables` lists what there is")
    return parts


def allowed(c: Complete) -> tuple[Allowed, ...]:
    """What the spec asks of the steps of the chain: the limits that `ibgen check` holds them to."""
    least = c.spec.requirements.pcie_match or 0.0
    made = []
    for row in range(len(c.spec.fabrics)):
        made += [Allowed(row, "pcie", MOST, least), Allowed(row, "hca-leaf", 1.0)]
        made += [
            Allowed(row, step, asked_ratio(c.spec, row, tier)[0])
            for step, tier in (("leaf-spine", "leaf"), ("spine-core", "spine"), ("global", "group"))
        ]
    return tuple(made)


def line_of(c: Complete, path: Path) -> str:
    """`superpod.yaml:44`; empty where no file is meant."""
    at = c.document.span(path)
    return f"{at.file}:{at.line}" if at.line else ""


def place_of(c: Complete, part: Part) -> str:
    """Where a part stands, in the words of the spec: `unit 1, rail 3 (dgx-[001-032]); superpod.yaml:37`."""
    words, path = part_place(c.fabric, c.fabric.subnets[part.subnet], part.removed)
    return "; ".join(text for text in (words if words != part.name else "", line_of(c, path)) if text)
