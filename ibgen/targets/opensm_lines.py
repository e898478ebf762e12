"""A line of opensm.conf, and the order in which lines stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

GROUPS = (
    "Port and subnet", "Partitions", "Quality of service", "Routing", "Adaptive routing", "Congestion control", "Handover",
    "Virtual functions", "Names and logs", "From control.options",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Option:
    """One line of opensm.conf: `name value`, under the heading `group`, behind a comment that says why."""

    group: str
    name: str
    value: str
    reason: str


def merged(derived: Iterable[Option], given: Iterable[Option]) -> tuple[Option, ...]:
    """Both, in the order of the groups. An option that is both derived and given stands once, as given."""
    given = tuple(given)
    theirs = {o.name for o in given}
    kept = [o for o in derived if o.name not in theirs]
    return tuple(sorted([*kept, *given], key=lambda o: GROUPS.index(o.group)))
