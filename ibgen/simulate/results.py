"""What a study says of one subnet, as values: each names its pattern, its model and its unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .engines import TablesOf
from .halves import Halves
from .heat import Heat
from .link_tiers import TierLinks
from .loads import Estimate, Loads
from .named import WorstCable
from .order import OrderAdvice
from .patterns import Rows
from .pool_collectives import PoolCollectives
from .storage import StorageSides
from .training import TrainingOutcome


def _silent(step: str) -> None:
    del step


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked. `patterns`: random patterns per estimate, 0: by size; `order`: hosts in rank order, (): the spec's;
    `worst` cables are named with `flows` flows each; `exact`: the engine entry by entry where the closed form would do;
    `fast`: compiled kernels, None: where installed and it pays."""

    seed: int = 1
    patterns: int = 0
    order: tuple[str, ...] = ()
    worst: int = 5
    flows: int = 8
    exact: bool = False
    fast: bool | None = None
    collectives: bool = True
    progress: Callable[[str], object] = _silent


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class PatternResult:
    """`share`: mean over flows of 1 / (largest load on the way), a share of line rate; for all-to-all the share that the
    fullest link leaves. `standard_error`, `seed`: None where nothing is random. `max_load`: flows on the fullest link of all
    patterns. `unrouted`: flows without a way, over all patterns."""

    name: str
    model: str
    flows: int
    patterns: int
    seed: int | None
    share: float
    standard_error: float | None
    max_load: int
    unrouted: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class RateResult:
    """Max-min fair rates of one pattern, GB/s. `background`: (traffic class, share of every link it holds)."""

    pattern: str
    min_gbs: float
    mean_gbs: float
    line_gbs: float
    flows: int
    background: tuple[tuple[str, float], ...]
    model: str
    number: int
    seed: int | None


@dataclass(frozen=True, slots=True)
class BoundsResult:
    """Adaptive routing under one pattern: shares of line rate. `efficiency` is a parameter with its `source`, no result;
    `declared` what it makes of the fluid, or the static share where that is more."""

    pattern: str
    static: float
    fluid: float
    efficiency: float | None
    declared: float | None
    source: str
    active: bool
    model: str


@dataclass(frozen=True, slots=True)
class DetourResult:
    """One pattern between groups, by the ways that are allowed: shares of line rate that every flow gets at once. `minimal`:
    straight; `group`: Valiant's, by a random other group; `router`: by a random router of it, None where groups count as one
    node; `best`: a split of them all that was found, `bound`: what no split passes."""

    pattern: str
    static: float
    minimal: float
    group: float
    router: float | None
    best: float
    bound: float
    model: str


@dataclass(frozen=True, slots=True)
class FabricRate:
    """What the fabric gives a pool's hosts, GB/s per host and direction, and so the collectives. `operation`: `ring` (all but)
    or `alltoall`."""

    pool: int
    operation: str
    share: float
    gbs: float
    line_gbs: float
    pattern: str
    model: str


@dataclass(frozen=True)
class Study:
    """One subnet."""

    subnet: str
    fabric: int
    seed: int
    endpoints: int
    hosts: int
    switches: int
    line_gbs: float
    tables: TablesOf
    patterns: tuple[PatternResult, ...]
    tiers: tuple[TierLinks, ...]
    worst: tuple[WorstCable, ...]
    rates: tuple[RateResult, ...]
    bounds: tuple[BoundsResult, ...]
    order: OrderAdvice | None
    ratings: tuple[FabricRate, ...]
    collectives: tuple[PoolCollectives, ...]
    training: tuple[TrainingOutcome, ...]
    notes: tuple[str, ...]
    heat: Heat | None
    halves: Halves | None = None
    detours: DetourResult | None = None  # None where no groups are joined to each other
    storage: StorageSides | None = None  # None where nothing writes to storage


def estimated(e: Estimate, model: str, note: str = "") -> PatternResult:
    """An estimate over random patterns."""
    error = e.standard_error if e.patterns > 1 else None  # one draw says nothing of its spread
    return PatternResult(
        e.pattern, model, e.flows, e.patterns, e.seed, e.mean, error, e.max_load, e.unrouted, note
    )  # fmt: skip


def counted(name: str, model: str, loads: Loads, note: str = "", sources: Rows | None = None) -> PatternResult:
    """A single pattern in which nothing is random. `sources`: of the flows, where senders have several: the share is then of
    their own part of the line."""
    share = loads.efficiency
    if sources is not None and len(sources):
        own = np.maximum(loads.injected[sources], 1)
        share = float(np.where(loads.arrived, np.minimum(own / loads.largest, 1.0), 0.0).mean())
    return PatternResult(name, model, len(loads.largest), 1, None, share, None, loads.max, loads.unrouted, note)
