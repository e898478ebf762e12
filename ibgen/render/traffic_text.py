"""Traffic patterns on tables, for a person: the table of `simulate` and `plan`, the paragraph of `build`.

Takes `PatternResult`s, and `Simulation` where it was summed up. Gives lines. A share never stands without its pattern, model,
and, where it is random, seed, number of patterns and standard error.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .cells import printable, table
from .simulation import WIDTH, count, names_of, percent, share, wrapped
from .style import Paint

if TYPE_CHECKING:
    from ibgen.simulate import Simulation
    from ibgen.simulate.results import PatternResult


SHORT = 40
"""Letters of a remark that still stands beside its figures."""


def pattern_table(patterns: Sequence[PatternResult], draw: Paint) -> list[str]:
    """A row per pattern under the model they share, a table per model, long remarks below it; nothing without patterns."""
    made: list[str] = []
    for model in dict.fromkeys(p.model for p in patterns):
        mine = [p for p in patterns if p.model == model]
        rows = [["pattern", "share of line rate", "s.e.", "fullest link", "flows", "patterns", "seed", ""], *map(_row, mine)]
        head, *lines = table(rows, frozenset(range(1, 7)))
        made += ["  " + draw("dim", printable(f"traffic: {model}")), "  " + draw("dim", head), *("  " + line for line in lines)]
        for p in mine:
            made += wrapped(f"{p.name}:", p.note, hang=len(p.name) + 2) if len(p.note) > SHORT else []
    return made


def _row(p: PatternResult) -> list[str]:
    error = "-" if p.standard_error is None else share(p.standard_error)
    seed = "-" if p.seed is None else str(p.seed)
    lost = f"{count(p.unrouted, 'flow')} without a way" if p.unrouted else ""
    remark = "; ".join(x for x in (lost, p.note if len(p.note) <= SHORT else "") if x)
    figures = [share(p.share), error, count(p.max_load, "flow"), f"{p.flows:,}", f"{p.patterns:,}", seed]
    return [printable(p.name), *figures, printable(remark)]


def summary_lines(simulation: Simulation, workloads: Sequence[str], opaque: Sequence[str] = ()) -> Iterator[str]:
    """What `build` says of bandwidth: two paragraphs per subnet (alike ones together), one per workload. `opaque`: fabrics of
    which the links are the provider's own."""
    for text in _summary(simulation, workloads, opaque):
        yield from textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _summary(simulation: Simulation, workloads: Sequence[str], opaque: Sequence[str]) -> Iterator[str]:
    others = {name: t.subnet for t in simulation.traffic for name in t.alike}
    for name in dict.fromkeys(step.subnet for step in simulation.steps):
        if name in others:
            continue
        t = next((t for t in simulation.traffic if t.subnet == name), None)
        shown = printable(names_of((name, *t.alike)) if t is not None else name)
        ratios = ", ".join(f"{x.label} {_ratio(x.ratio)}" for x in simulation.steps if x.subnet == name)
        yield f"{shown}: offered to capacity {ratios} (counted)"
        if t is not None and t.patterns:
            yield f"{shown}: {', '.join(map(_brief, t.patterns))} of line rate ({t.model})"
        else:
            yield f"{shown}: traffic on its tables: ibgen simulate"
    yield from (f"{printable(name)}: its links are the provider's own: nothing to simulate" for name in opaque)
    for o in simulation.training:
        if o.step is not None:
            exposed = f"{percent(o.step.exposed_share)} of a step waits for communication"
            yield f"{printable(workloads[o.row])}: MFU {percent(o.step.mfu)}, {exposed} (NCCL's tuning model at line rate)"


def _ratio(value: float) -> str:
    return f"{value:.2f}:1" if value != float("inf") else "no uplink"


def _brief(p: PatternResult) -> str:
    random = "" if p.seed is None else f", {count(p.patterns, 'pattern')}, seed {p.seed}"
    error = "" if p.standard_error is None else f" ± {share(p.standard_error)}"
    return f"{printable(p.name)} {share(p.share)}{error} ({count(p.flows, 'flow')}{random})"
