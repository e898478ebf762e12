"""Why there are more leaves than the hosts alone would take: said beside the findings about counts that do not suffice.

Takes the shape, the placement and the highest unit that holds a host. Gives findings with labels on what added the leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ibgen.diagnostics import Finding, Label, Path

from .shape import Shape


def with_causes(
    findings: Iterable[Finding], shape: Shape, units: int, filled: int, given: int | None, at: Path
) -> tuple[Finding, ...]:
    """`units`: to build; `filled`: the last one with a host; `given`: `unit` as the spec has it; `at`: the topology's path."""
    labels = tuple(_causes(shape, units, filled, given, at))
    if not labels:
        return tuple(findings)
    said = "; ".join(label.message for label in labels)
    return tuple(replace(f, labels=f.labels + labels, hint=f"{said}; or {f.hint}" if f.hint else said) for f in findings)


def _causes(shape: Shape, units: int, filled: int, given: int | None, at: Path) -> Iterator[Label]:
    if units > filled > 0:
        more = (units - filled) * shape.leaves_per_unit
        message = f"unit {units} holds nothing but reserved ports and adds {more} leaves: leave a host slot free"
        yield Label((*at, "reserve"), message, on="key")
    if given and given > shape.places:
        message = f"{given} slots of a unit are more than the {shape.places} of a leaf, so a unit takes {shape.parts}"
        message += f" leaves{' per rail' if shape.aligned else ''}"
        yield Label((*at, "unit"), f"{message}: make it {shape.places}")
