"""A simulation as CSV: every directed link with its load, or the cases of a sweep.

Takes `LinkLoads`, or a `Sweep`. Gives text with a header. Loads are counts of flows and exact.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .simulation import figure

if TYPE_CHECKING:
    from ibgen.simulate.failures import Sweep
    from ibgen.simulate.link_loads import LinkLoads

COLUMNS = ("from", "port", "to", "load", "tier", "subnet", "pattern")
CASES = ("part", "bisection", "loss", "pairs_cut", "max_load", "rerouted", "subnet")


def loads_csv(loads: Iterable[LinkLoads]) -> str:
    """One row per directed link, idle ones too: endpoints' own links first, then switch by switch, port by port."""
    return _csv(COLUMNS, ((*row, x.subnet, x.pattern) for x in loads for row in x.rows()))


def sweep_csv(sweeps: Iterable[Sweep]) -> str:
    """One row per case that the sweep kept, worst first. Bisection and loss are shares, 0 to 1."""
    return _csv(CASES, (row for s in sweeps for row in _cases(s)))


def _cases(s: Sweep) -> Iterator[tuple[object, ...]]:
    for r in s.rows:
        yield r.part, _plain(r.ebb), _plain(r.loss), r.cut_pairs, r.max_load, r.rerouted, s.subnet


def _plain(value: float) -> str:
    return figure(value).replace(",", "")


def _csv(header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
