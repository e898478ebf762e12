"""One thing written twice into a list of words or numbers: hosts of a manager, engines, ports, uses.

Takes a section, gives findings. The second one says nothing new; most often another was meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from ibgen.diagnostics import Finding, Label, Path

from .findings import WRITTEN_TWICE

_ELSEWHERE = frozenset({"cables", "hcas", "table"})
"""Lists that are judged by those who read them (cables, attached adapters), or whose items may be equal (injection delays)."""


def repeated(section: BaseModel, at: Path = ()) -> Iterator[Finding]:
    """Every list of the section and of those inside it."""
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from repeated(value, (*at, name))
        elif isinstance(value, tuple) and name not in _ELSEWHERE:
            yield from _list(value, (*at, name))
        elif isinstance(value, dict):
            for key, inner in value.items():
                if isinstance(inner, BaseModel):
                    yield from repeated(inner, (*at, name, str(key)))


def _list(items: tuple[object, ...], at: Path) -> Iterator[Finding]:
    first: dict[object, int] = {}
    for n, item in enumerate(items):
        if isinstance(item, BaseModel):
            yield from repeated(item, (*at, n))
        elif (other := first.setdefault(item, n)) != n:
            message = f"`{item}` stands twice in `{at[-1]}`"
            yield WRITTEN_TWICE.finding(message, (*at, n), labels=[Label((*at, other), "first here")], hint="take one out")
