"""Every single failure of the cables or switches between the hosts and the top: the worst by name.

Takes a subnet. Gives a `Sweep`. Only the destinations whose way used the part get new ways (`reroute`), so a case costs what it
changes; where there are more parts than are worth the time, evenly chosen ones stand for all, and `method` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ibgen.fabric import HOST_CABLE, Fabric, Subnet
from ibgen.hostlist import natural_key
from ibgen.route import Removed, Routes, graph
from ibgen.spec import ClusterSpec
from ibgen.units import ordinal

from .parts import cable_name
from .patterns import bisection
from .reroute import Intact, intact, reroute
from .results import DEFAULTS, Options
from .stacked import Stack, every_before, every_share, judge, lost_share, stack
from .tables import whole_table

DRAWN = 20
WORK = 3_000_000_000
"""Table entries that a sweep may look at: 1,024 endpoints on 48 switches are swept whole, 65,536 on 5,120 by samples."""

QUANTILES = (0.0, 0.05, 0.5, 0.95, 1.0)

ANEW = ("minhop", "updn", "ftree")
"""Engines whose tables a failure by name computes anew as a whole: their counters depend on all destinations before."""

Kind = Literal["cables", "switches"]


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One part gone. `hosts`: those that lose adapters. `ebb`: bisection share of line rate of the survivors; `loss` against
    the same flows before, `all_to_all_loss` of their all-to-all; `max_load`: its flows on the fullest link."""

    part: str
    ebb: float
    loss: float
    all_to_all_loss: float
    cut_pairs: int
    hosts: int
    max_load: int
    rerouted: int

    @property
    def larger(self) -> float:
        """The larger of both losses."""
        return max(self.loss, self.all_to_all_loss)


@dataclass(frozen=True, slots=True)
class Sweep:
    """`cases` of the `possible` ones: all, or as many evenly chosen ones as take bearable time. `rows`: the worst first,
    by pairs cut, then hosts that lose adapters, then the larger loss. `quantiles`: (q, loss of bisection, loss of all-to-all)
    over the cases, each of its survivors' own flows: shares after a failure are of other flows than `base`. `base` with its
    standard error: bisection without any failure; `base_max_load`: flows on the fullest link of an all-to-all then."""

    subnet: str
    kind: str
    engine: str
    method: str
    cases: int
    possible: int
    patterns: int
    flows: int
    seed: int
    base: float
    base_error: float
    base_max_load: int
    rows: tuple[SweepRow, ...]
    quantiles: tuple[tuple[float, float, float], ...]
    disconnecting: int


def sweep(
    spec: ClusterSpec, fabric: Fabric, subnet: int, kind: Kind, options: Options = DEFAULTS, routes: Routes | None = None
) -> Sweep:
    """Cables between switches (a host's own cable cuts that host and nobody else), or switches."""
    s = fabric.subnets[subnet]
    whole, engine = whole_table(spec, s, routes, options)
    g = whole.graph
    drawn = options.patterns or DRAWN
    flows = [bisection(g.plugged, options.seed, k) for k in range(drawn)]
    made = stack(whole, flows, options.fast)
    cases = list(_cases(s, kind))
    step = max(1, -(-len(cases) * g.endpoints * g.switches // WORK))
    options.progress(f"{len(cases[::step])} failures of {s.name}")
    before = intact(graph(s))
    rows = [_row(s, made, before, name, gone, options) for name, gone in cases[::step]]
    shares = _shares(made)
    error = float(shares.std(ddof=1) / len(shares) ** 0.5) if len(shares) > 1 else 0.0
    method = "destinations whose way used the part get new ways, the others keep theirs"
    if routes is None and engine in ANEW:
        method += f"; --fail of one part computes all of {engine}'s tables anew, and its figures may differ"
    method += f"; every {ordinal(step)} of {len(cases):,} {kind}" if step > 1 else ""
    return Sweep(
        s.name, kind, engine, method, len(rows), len(cases), drawn, len(flows[0][0]), options.seed, float(shares.mean()), error,
        int(made.every.max(initial=0)), tuple(sorted(rows, key=_rank)), _quantiles(rows), sum(r.cut_pairs > 0 for r in rows),
    )  # fmt: skip


def _cases(s: Subnet, kind: Kind) -> Iterator[tuple[str, Removed]]:
    if kind == "switches":
        for row, name in enumerate(s.switches.names):
            yield name, Removed(switches=(row,))
        return
    for row in np.flatnonzero(s.cables.kind != HOST_CABLE).tolist():
        yield cable_name(s, row), Removed(cables=(row,))


def _row(s: Subnet, made: Stack, before: Intact, name: str, gone: Removed, options: Options) -> SweepRow:
    damaged = graph(s, gone)
    changed = reroute(made.routes, damaged, before)
    v = judge(made, damaged, changed, options.fast)
    every = lost_share(every_share(damaged, every_before(made, damaged, options.fast)), every_share(damaged, v.every))
    hosts = len(np.unique(s.ports.host[list(v.cut)]))
    loss, most = lost_share(v.before, v.share), int(v.every.max(initial=0))
    return SweepRow(name, v.share, loss, every, v.cut_pairs, hosts, most, len(changed.rows))


def _rank(r: SweepRow) -> tuple[object, ...]:
    """The worst first. Losses are compared by what is left of float noise, names settle what is equal."""
    return -r.cut_pairs, -r.hosts, -round(r.larger, 9), -round(min(r.loss, r.all_to_all_loss), 9), natural_key(r.part)


def _quantiles(rows: list[SweepRow]) -> tuple[tuple[float, float, float], ...]:
    if not rows:
        return ()
    both = np.array([(r.loss, r.all_to_all_loss) for r in rows])
    return tuple((q, float(np.quantile(both[:, 0], q)), float(np.quantile(both[:, 1], q))) for q in QUANTILES)


def _shares(made: Stack) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Bisection share of every pattern without a failure. [P]"""
    return made.shares.reshape(made.number, -1).mean(axis=1) if len(made.shares) else np.zeros(1)
