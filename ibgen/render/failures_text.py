"""What a failure costs, for a person: before and after, and a sweep's worst cases.

Takes `FailureStudy` and `Sweep`. Gives lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ibgen.simulate.failures import NAMED

from .cells import table
from .simulation import count, extent, figure, names_of, percent, share, wrapped
from .style import Paint

if TYPE_CHECKING:
    from ibgen.simulate.failures import FailureStudy, Sweep
    from ibgen.simulate.results import PatternResult

SHOWN_CASES = 10
"""Worst cases of a sweep that are printed; JSON and CSV have all."""
SHOWN_NAMES = 8
"""Adapters that are named among those nobody reaches, with their hosts."""
SHOWN_PARTS = 5
"""Parts whose place is told."""


def failure_text(f: FailureStudy, draw: Paint, alike: str = "", parts: Sequence[tuple[str, str, str]] = ()) -> Iterator[str]:
    """The head, what is cut off, a table before against after. `alike`: for which subnets else it holds; `parts`: where each of
    (subnet, part) stands."""
    yield draw("strong", f"{f.subnet} without {', '.join(f.parts)}")
    yield from wrapped("alike", alike) if alike else ()
    for subnet, part, place in parts:
        if subnet == f.subnet and part in f.parts[:SHOWN_PARTS]:
            yield from wrapped("part", f"{part}: {place}")
    yield from wrapped("tables", f"{f.engine}; {f.method} ({f.rerouted:,} of {count(f.endpoints, 'destination')})")
    yield from wrapped("cut", _cut(f))
    yield ""
    before, after = f.before, f.after
    rows = [
        [f"{before.bisection.model}, survivors only", "before", "after", "loss"],
        [_bisection(before.bisection), *map(_share, (before.bisection, after.bisection)), percent(f.ebb_loss)],
        [
            "all-to-all, share of line rate",
            share(before.all_to_all_share),
            share(after.all_to_all_share),
            percent(f.collective_loss),
        ],
        ["all-to-all, GB/s per endpoint", figure(before.fabric_gbs), figure(after.fabric_gbs), percent(f.collective_loss)],
        ["all-to-all, flows on the fullest link", f"{before.all_to_all_max:,}", f"{after.all_to_all_max:,}", ""],
        ["rail rings, share of line rate", share(before.ring_share), share(after.ring_share), percent(f.ring_loss)],
    ]
    head, *lines = table(rows, frozenset({1, 2, 3}))
    yield "  " + draw("dim", head)
    yield from ("  " + line for line in lines)
    if f.note:
        yield from wrapped("note", f.note)


def _cut(f: FailureStudy) -> str:
    if not f.cut_pairs:
        return f"nothing: all {count(f.pairs, 'pair')} still reach each other"
    names = endpoints_of(f.cut)
    shown = ", ".join(names[:SHOWN_NAMES]) + (", ..." if len(names) > SHOWN_NAMES or len(f.cut) >= NAMED else "")
    return f"{f.cut_pairs:,} of {count(f.pairs, 'pair')}" + (f"; nobody reaches {shown}" if names else "")


def endpoints_of(names: Sequence[str]) -> list[str]:
    """Endpoints by adapter, their hosts as one list: `dgx-[001-020]/mlx5_5`."""
    by_adapter: dict[str, list[str]] = {}
    for name in names:
        host, _, adapter = name.partition("/")
        by_adapter.setdefault(adapter, []).append(host)
    return [names_of(tuple(hosts)) + (f"/{adapter}" if adapter else "") for adapter, hosts in by_adapter.items()]


def _bisection(p: PatternResult) -> str:
    seed = "" if p.seed is None else f", seed {p.seed}"
    return f"{p.name}, share of line rate ({count(p.flows, 'flow')}, {count(p.patterns, 'pattern')}{seed})"


def _share(p: PatternResult) -> str:
    return share(p.share) + ("" if p.standard_error is None else f" ± {share(p.standard_error)}")


def sweep_text(s: Sweep, draw: Paint, alike: str = "") -> Iterator[str]:
    """How the loss is spread over all cases, and the worst of them by name. `alike`: for which subnets else it holds."""
    yield draw("strong", f"{s.subnet}: {extent(s)}, {count(s.cases, 'case')}")
    yield from wrapped("alike", alike) if alike else ()
    model = "" if s.engine.startswith("equal-cost") else "static tables; "
    drawn = f"{model}{count(s.flows, 'flow')}, {count(s.patterns, 'pattern')}, seed {s.seed}"
    yield from wrapped("tables", f"{s.engine}; {s.method}")
    yield f"  whole   bisection {share(s.base)} ± {share(s.base_error)} of line rate ({drawn})"
    if s.quantiles:
        spread = ", ".join(f"{_quantile(q)} {share(value)}" for q, value in s.quantiles)
        yield f"  after   {spread}"
    yield (
        f"  cut     {count(s.disconnecting, 'case')} cut off endpoints"
        if s.disconnecting
        else "  cut     no case cuts anything off"
    )
    if not s.rows:
        return
    yield ""
    rows = [["without", "bisection", "loss", "pairs cut", "fullest link, all-to-all", "destinations re-routed"]]
    for r in s.rows[:SHOWN_CASES]:
        kept = [share(r.ebb), percent(r.loss)] if r.ebb else ["-", "-"]  # nobody is left to send
        rows.append([r.part, *kept, f"{r.cut_pairs:,}", count(r.max_load, "flow"), f"{r.rerouted:,}"])
    head, *lines = table(rows, frozenset(range(1, 6)))
    yield "  " + draw("dim", head)
    yield from ("  " + line for line in lines)
    hidden = s.cases - min(len(s.rows), SHOWN_CASES)
    if hidden > 0:
        yield f"  {count(hidden, 'case')} more, none of them worse"


def _quantile(q: float) -> str:
    return {0: "worst", 0.5: "median", 1: "best"}.get(q, f"{100 * q:g} %")
