"""What `bind` found out: rows for the bindings, and everything that did not become one."""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.diagnostics import Finding, Span
from ibgen.fabric import Binding

SAME, NEW, CHANGED, COMPLETED = "same", "new", "changed", "completed"
"""A row against the bindings so far; `completed`: the same GUIDs, and one more that was not known."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A name with its GUIDs. `how` is one of `matching`'s words, `where` the switch port it hangs on (empty for switches)."""

    row: Binding
    subnet: str
    how: str
    state: str
    where: str
    at: Span
    before: Binding | None = None


@dataclass(frozen=True, slots=True)
class Unbound:
    """A name of a recognised subnet without GUIDs: `dgx-001/mlx5_0:1`, or a switch."""

    name: str
    subnet: str
    why: str


@dataclass(frozen=True, slots=True)
class Extra:
    """A node of a recognised subnet that is nobody of the spec."""

    description: str
    guid: int
    subnet: str
    where: str
    why: str
    at: Span


@dataclass(frozen=True, slots=True)
class Conflict:
    """A node whose name, or GUID that was bound before, disagrees with its place. `grave`: not only the port differs."""

    name: str
    subnet: str
    where: str
    planned: str  # who the plan has there
    grave: bool
    how: str  # what it was bound by
    at: Span


@dataclass(frozen=True, slots=True)
class Tally:
    """One subnet in numbers. `dumps` is empty where no dump shows it."""

    subnet: str
    dumps: tuple[str, ...]
    switches: int
    switches_bound: int
    adapters: int  # ports of adapters, planned ones left out
    adapters_bound: int
    by_place: int
    changed: int


@dataclass(frozen=True)
class Outcome:
    """`rows` are the bindings as they should be, kept ones included; `gone` those dropped, each with the name that has their
    GUID or adapter now."""

    rows: tuple[Binding, ...]
    bound: tuple[Bound, ...]
    unbound: tuple[Unbound, ...]
    gone: tuple[tuple[Binding, Bound], ...]
    extra: tuple[Extra, ...]
    conflicts: tuple[Conflict, ...]
    tallies: tuple[Tally, ...]
    findings: tuple[Finding, ...]


def name_of(row: Binding) -> str:
    """`dgx-001/mlx5_0:1`, or the name of a switch."""
    return f"{row.host}/{row.hca}:{row.port}" if row.hca else row.host
