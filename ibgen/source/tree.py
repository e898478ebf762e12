"""What is built from one file's events.

Takes nothing. Gives `Tree`, the result, and `Frame`, a container that is still being filled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ibgen.diagnostics import Finding
from ibgen.source.places import Data


@dataclass(slots=True)
class Frame:
    """A container that is still open. `key` is the key whose value comes next."""

    node: Any
    spots: Any
    keyed: bool
    start: int
    anchor: str | None
    key: str | None = None
    key_place: int = 0  # shifted to where an entry holds it
    drop: bool = False  # the next value has no usable key
    merge: bool = False  # the next value belongs to `<<`
    merges: list[tuple[Data, int]] | None = None


@dataclass(slots=True)
class Tree:
    """What one file holds. `usable` is false where later findings would only repeat what is wrong here."""

    data: Data = None
    place: int = 0
    empty: bool = True
    usable: bool = True
    findings: list[Finding] = field(default_factory=list)
    hiding: list[tuple[int, int]] = field(default_factory=list)  # where quoted and block scalars keep `#`
