"""Rules: one file each. A rule is a decorated generator whose parameters' types say what it judges.

    @rule("IBG203", "spines-unequal", Severity.WARNING)
    def spines_unequal(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
        '''One line, then why it matters and what to do, then the two examples.

        Bad:
            ...
        Good:
            ...
        '''
        yield spines_unequal.finding("...", ("fabrics", 0, "topology", "spine", "count"))

The docstring is the page of `ibgen explain` and the rule's test. A rule runs when every pass it reads has succeeded.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from ibgen.compilation import Compilation
from ibgen.diagnostics import Code, Finding, Severity, declare

_PASSES = {
    "Document": "document", "Catalog": "catalog", "ClusterSpec": "spec", "Site": "site", "Bindings": "bindings",
    "Fabric": "fabric", "Targets": "targets", "Simulation": "simulation",
}  # fmt: skip
"""Type of a rule's parameter, as it is written -> the field of `Compilation` it is handed."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A code and the generator that finds it."""

    code: Code
    judge: Callable[..., Iterator[Finding]]
    reads: tuple[str, ...]

    @property
    def finding(self) -> Callable[..., Finding]:
        """`Code.finding`: message, path, and `label`, `labels`, `hint`, `facts`, `on`, `severity` by name."""
        return self.code.finding

    def run(self, compilation: Compilation) -> Iterable[Finding]:
        values = [getattr(compilation, name) for name in self.reads]
        return () if any(v is None for v in values) else self.judge(*values)


def rule(id: str, name: str, severity: Severity) -> Callable[[Callable[..., Iterator[Finding]]], Rule]:
    """Declares a generator as the rule `id`; its docstring is the page."""

    def wrap(judge: Callable[..., Iterator[Finding]]) -> Rule:
        reads = tuple(_PASSES[kind] for parameter, kind in judge.__annotations__.items() if parameter != "return")
        return Rule(declare(id, name, severity, judge.__doc__ or ""), judge, reads)

    return wrap


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule of this package, by id."""
    found: dict[str, Any] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found |= {r.code.id: r for r in vars(module).values() if isinstance(r, Rule)}
    return tuple(found[id] for id in sorted(found))


def run(compilation: Compilation) -> tuple[Finding, ...]:
    """What every rule finds."""
    return tuple(f for r in rules() for f in r.run(compilation))
