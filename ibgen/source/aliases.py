"""YAML anchors, aliases and merge keys, within bounds.

Takes anchors as they are read. Gives the value an alias stands for, or why it may not be used: unknown, inside itself, or a
document that grows out of all proportion once its aliases are written out ("billion laughs").
"""

from __future__ import annotations

import difflib
from typing import Any

from ibgen.source.places import Data, Places

MAX_ALIASED = 400_000
"""Values that aliases may add. Where go-yaml, the reader of Kubernetes, starts to count them too (decode.go,
`alias_ratio_range_low`); an explicit spec of 8,192 hosts has about half as many values."""


class Anchors:
    """The anchors of one file."""

    def __init__(self, places: Places, max_depth: int) -> None:
        self.places, self.max_depth = places, max_depth
        self.values: dict[str, Data] = {}
        self.open_names: list[str] = []
        self.measures: dict[int, tuple[int, int, Data]] = {}  # holds the value: an id must not be used again
        self.added = 0

    def open(self, name: str) -> None:
        """The container named `name` begins."""
        self.open_names.append(name)

    def close(self, name: str, value: Data) -> None:
        """The value named `name` is whole. YAML lets a later anchor take the name over."""
        if name in self.open_names:
            self.open_names.remove(name)
        self.values[name] = value

    def use(self, name: str, depth: int) -> tuple[Data, str, str, bool]:
        """Value, problem, hint, and whether it would nest too deeply; a problem without a hint was told before."""
        if name in self.open_names:
            return None, f"`*{name}` stands inside the value it names", "write the value out: a spec is finite", False
        if name not in self.values:
            near = difflib.get_close_matches(name, sorted(self.values), n=1)
            hint = (
                f"did you mean `*{near[0]}`?" if near else f'mark a value with `&{name}` first, or quote the text: `"*{name}"`'
            )
            return None, f"nothing above is marked `&{name}`", hint, False
        value = self.values[name]
        size, height = self.measure(value)
        if depth + height > self.max_depth:
            return None, "", "", True
        told = self.added > MAX_ALIASED
        self.added += size
        if self.added > MAX_ALIASED:
            problem = f"written out, the aliases up to here add more than {MAX_ALIASED:,} values"
            return None, problem, "" if told else "write hosts as ranges, `dgx-[001-127]`, or use fewer aliases", False
        return value, "", "", False

    def measure(self, value: Data) -> tuple[int, int]:
        """Number of values, aliases written out, and how deeply they nest; every container is counted once."""
        if isinstance(value, str) or value is None:
            return 1, 0
        known = self.measures.get(id(value))
        if known is None:
            inner = [self.measure(v) for v in (value.values() if isinstance(value, dict) else value)]
            known = (1 + sum(size for size, _ in inner), 1 + max((height for _, height in inner), default=0), value)
            self.measures[id(value)] = known
        return known[:2]


def merge_into(node: dict[str, Any], spots: dict[str, int], value: Data, places: Places) -> bool:
    """What `<<: value` means (yaml.org/type/merge): keys `node` lacks, earlier mappings win. False: it is no mapping."""
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        if not isinstance(part, dict):
            return False
        theirs = places.mapping(part)
        for key, inner in part.items():
            if key not in node:
                node[key] = inner
                spots[key] = theirs[key]
    return True
