"""What `ibgen simulate` answers with, gathered; and how its figures are written.

Takes studies, failures and sweeps of the subnets, the chain, workloads. Gives `Simulated`, which `simulation_text`,
`simulation_json`, `simulation_csv` and `plots` write down, all of it or (`only`) some patterns.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ibgen import hostlist
from ibgen.diagnostics import Path
from ibgen.simulate import ChainStep

from .cells import printable

if TYPE_CHECKING:
    from ibgen.simulate.failures import FailureStudy, Sweep
    from ibgen.simulate.study import Study
    from ibgen.simulate.training import ScalingPoint

DIGITS = 4
"""Significant digits of a simulated figure (DESIGN section 8). Counts are whole."""

WIDTH = 100
"""Columns of running text."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """One workload over several sizes of the job, at the same global batch."""

    workload: str
    points: tuple[ScalingPoint, ...]


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the spec allows of one step of a fabric's chain: offered over capacity at most, and at least."""

    fabric: int  # row of spec.fabrics
    step: str
    most: float
    least: float = 0.0


@dataclass(frozen=True, slots=True)
class Simulated:
    """Everything that was asked for. `pools` and `workloads` are names by row of the spec."""

    cluster: str
    pools: tuple[str, ...]
    workloads: tuple[str, ...]
    exposed_limit: float | None  # requirements.exposed_communication: share of a step, 0 to 1
    chain: tuple[ChainStep, ...] = ()
    studies: tuple[Study, ...] = ()
    scaling: tuple[Scaling, ...] = ()
    failures: tuple[FailureStudy, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    slow: tuple[tuple[str, float], ...] = ()  # parts below their rate, Gb/s
    alike: tuple[tuple[str, tuple[str, ...]], ...] = ()  # subnet studied, and the others of its shape that it stands for
    allowed: tuple[Allowed, ...] = ()
    parts: tuple[tuple[str, str, str], ...] = ()  # subnet, part that failed there, where it stands
    lines: tuple[tuple[Path, str], ...] = ()  # spec paths of worst cables, and where they stand: `superpod.yaml:44`


def figure(value: float) -> str:
    """At most four significant digits, never an exponent: `0.6631`, `33.14`, `1,234`."""
    if not math.isfinite(value):
        return "-"
    rounded = rounded_figure(value)
    if rounded == 0:
        return "0"
    places = max(0, DIGITS - 1 - math.floor(math.log10(abs(rounded))))
    text = f"{rounded:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rounded_figure(value: float) -> float:
    """The value with four significant digits."""
    return float(f"{value:.{DIGITS}g}")


def share(value: float) -> str:
    """A share from 0 to 1 with four decimals: `0.6631`, `1.0000`."""
    return f"{value:.4f}" if math.isfinite(value) else "-"


def percent(value: float) -> str:
    """A share as a percentage: `12.3 %`."""
    return f"{100 * value:.1f} %" if math.isfinite(value) else "-"


def count(n: int, word: str) -> str:
    """`1 flow`, `1,020 flows`."""
    return f"{n:,} {word}" + ("" if n == 1 else "s")


def model_of(engine: str) -> str:
    """The model of a sweep: static tables of an engine; on Ethernet, where there are none, what stands for the engine."""
    return engine if engine.startswith("equal-cost") else f"static tables, {engine}"


def names_of(names: tuple[str, ...]) -> str:
    """Subnet names as a host list where they are such names."""
    try:
        return hostlist.fold(names)
    except hostlist.HostlistError:
        return ", ".join(names)


def wrapped(head: str, text: str, indent: int = 2, hang: int = 8) -> list[str]:
    """A paragraph behind its word, further lines set under its first letter."""
    first = " " * indent + f"{head:<{hang}}"
    lines = textwrap.wrap(printable(text), WIDTH - len(first), break_long_words=False, break_on_hyphens=False) or [""]
    return [first + lines[0], *(" " * len(first) + line for line in lines[1:])]


def patterns_of(studies: Iterable[Study]) -> tuple[str, ...]:
    """The names of all patterns there are results for, in the order they are printed."""
    return tuple(dict.fromkeys(p.name for s in studies for p in s.patterns))


def matching(asked: str, names: Sequence[str]) -> tuple[str, ...]:
    """The patterns that a word of the command line means: a whole name, or how names begin (`ring`, `experts`)."""
    word = _slug(asked)
    exact = tuple(name for name in names if _slug(name) == word)
    return exact or tuple(name for name in names if word and _slug(name).startswith(word))


def shown(value: Any) -> Any:
    """A result with every text in it fit for a terminal, whatever names a spec holds."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, tuple):
        return tuple(shown(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: shown(getattr(value, f.name)) for f in fields(value)})
    return value


def only(study: Study, names: Sequence[str]) -> Study:
    """The study without the results of other patterns."""
    kept = set(names)
    return replace(
        study,
        patterns=tuple(x for x in study.patterns if x.name in kept),
        tiers=tuple(x for x in study.tiers if x.pattern in kept),
        worst=tuple(x for x in study.worst if x.pattern in kept),
        rates=tuple(x for x in study.rates if x.pattern in kept),
        bounds=tuple(x for x in study.bounds if x.pattern in kept),
        detours=study.detours if study.detours is not None and study.detours.pattern in kept else None,
    )


def _slug(name: str) -> str:
    return "-".join(name.lower().replace(",", " ").replace("-", " ").split())


def extent(s: Sweep) -> str:
    """What a sweep tried, as a title."""
    if s.cases == s.possible:
        return f"every single failure of its {s.kind}"
    return f"{s.cases:,} of the {s.possible:,} single failures of its {s.kind}"
