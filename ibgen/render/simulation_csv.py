"""A simulation as CSV: every directed link with its load, or the cases of a sweep.

Takes `LinkLoads`, or `Sweep`s. Gives text with a header. Loads are counts of flows and exact.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .simulation import figure, model_of

if TYPE_CHECKING:
    from ibgen.simulate.failures import Sweep
    from ibgen.simulate.link_loads import LinkLoads

COLUMNS = ("from", "port", "to", "load", "tier", "subnet", "pattern", "model", "unit", "seed")
CASES = (
    "part", "bisection", "loss", "all_to_all_loss", "pairs_cut", "hosts", "max_load", "rerouted", "subnet", "pattern", "model",
    "unit", "seed", "patterns",
)  # fmt: skip
SWEEP_UNIT = (
    "bisection, losses: shares, loss of bisection; hosts: that lose adapters; max_load: flows on the fullest link, all-to-all; "
    "rerouted: destinations"
)


def loads_csv(loads: Iterable[LinkLoads]) -> str:
    """Pattern by pattern one row per directed link, idle ones too: endpoints' own links first, then switches, port by port."""
    return _csv(COLUMNS, ((*row, *_said(x)) for x in loads for row in x.rows()))


def _said(x: LinkLoads) -> tuple[object, ...]:
    return x.subnet, x.pattern, x.model, x.unit, "" if x.seed is None else x.seed


def sweep_csv(sweeps: Iterable[Sweep]) -> str:
    """One row per case, the worst first, in the order of all forms. Bisection and losses are shares, 0 to 1."""
    return _csv(CASES, (row for s in sweeps for row in _cases(s)))


def _cases(s: Sweep) -> Iterator[tuple[object, ...]]:
    for r in s.rows:
        losses = (_plain(r.ebb), _plain(r.loss), _plain(r.all_to_all_loss))
        figures = (*losses, r.cut_pairs, r.hosts, r.max_load, r.rerouted)
        yield r.part, *figures, s.subnet, "bisection", model_of(s.engine), SWEEP_UNIT, s.seed, s.patterns


def _plain(value: float) -> str:
    return figure(value).replace(",", "")


def _csv(header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
