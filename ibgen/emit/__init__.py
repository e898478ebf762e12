"""A compilation -> artifacts: one file per target, pure text, never touching the disk.

An emitter is a decorated function in a module of this package; adding a module adds the target. One that carries other
emitters' files (Terraform's user data, the README) names them in `after` and is handed their artifacts as arguments.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

from ibgen.compilation import Complete


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of the tree: its path below the root (POSIX), its bytes, its mode."""

    path: str
    content: bytes
    mode: int = 0o644


@dataclass(frozen=True, slots=True)
class Emitter:
    """A target: `run(compilation, *artifacts of each emitter in after)`."""

    name: str
    after: tuple[str, ...]
    run: Callable[..., Iterable[Artifact]]


def emitter(name: str, after: tuple[str, ...] = ()) -> Callable[[Callable[..., Iterable[Artifact]]], Emitter]:
    """Declares a function `(Complete, *tuple[Artifact, ...]) -> Iterable[Artifact]` as the emitter `name`."""
    return lambda function: Emitter(name, after, function)


@cache
def emitters() -> tuple[Emitter, ...]:
    """Every emitter of this package, in an order in which each comes after those it names."""
    found: dict[str, Emitter] = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found |= {e.name: e for e in vars(module).values() if isinstance(e, Emitter)}
    order = TopologicalSorter({name: e.after for name, e in sorted(found.items())}).static_order()
    return tuple(found[name] for name in order)


def run(compilation: Complete, progress: Callable[[str], Any] = lambda name: None) -> tuple[Artifact, ...]:
    """Every artifact of every emitter, sorted by path."""
    made: dict[str, tuple[Artifact, ...]] = {}
    for e in emitters():
        progress(e.name)
        made[e.name] = tuple(e.run(compilation, *(made[name] for name in e.after)))
    return tuple(sorted((a for group in made.values() for a in group), key=lambda a: a.path))
