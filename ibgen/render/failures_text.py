"""What a failure costs, for a person: before and after, and a sweep's worst cases.

Takes `FailureStudy` and `Sweep`. Gives lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .cells import table
from .simulation import count, extent, figure, percent, share, wrapped
from .style import Paint

if TYPE_CHECKING:
    from ibgen.simulate.failures import FailureStudy, FewerAdapters, Sweep, SweepRow
    from ibgen.simulate.results import PatternResult

SHOWN_CASES = 10
"""Worst cases of a sweep that are printed; JSON and CSV have all."""
ORDER = "by pairs cut, then hosts hit (they lose adapters), then the larger loss; fullest link of the all-to-all, in flows"
SHOWN_PARTS = 5
"""Parts whose place is told."""


def failure_text(f: FailureStudy, draw: Paint, alike: str = "", parts: Sequence[tuple[str, str, str]] = ()) -> Iterator[str]:
    """The head, what is cut off, hosts left with fewer adapters, a table before against after. `alike`: for which subnets
    else it holds; `parts`: where each of (subnet, part) stands."""
    yield draw("strong", f"{f.subnet} without {', '.join(f.parts)}")
    yield from wrapped("alike", alike) if alike else ()
    for subnet, part, place in parts:
        if subnet == f.subnet and part in f.parts[:SHOWN_PARTS]:
            yield from wrapped("part", f"{part}: {place}")
    yield from wrapped("tables", f"{f.engine}; {f.method} ({f.rerouted:,} of {count(f.endpoints, 'destination')})")
    yield from wrapped("cut", _cut(f))
    if f.hosts.cut_count:
        yield from wrapped("hosts", f"{count(f.hosts.cut_count, 'host')} ({f.hosts.cut}) cut off: no adapter is left here")
    for fewer in f.hosts.fewer:
        yield from wrapped("hosts", _fewer(fewer))
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
    ]
    if before.ring_share is not None and after.ring_share is not None and f.ring_loss is not None:
        name = "rail rings, slowest hop of each, share of line rate"
        rows.append([name, share(before.ring_share), share(after.ring_share), percent(f.ring_loss)])
    head, *lines = table(rows, frozenset({1, 2, 3}))
    yield "  " + draw("dim", head)
    yield from ("  " + line for line in lines)
    if f.note:
        yield from wrapped("note", f.note)


def _cut(f: FailureStudy) -> str:
    if not f.cut_pairs:
        return f"nothing: all {count(f.pairs, 'pair')} still reach each other"
    said = [f"{f.cut_pairs:,} of {count(f.pairs, 'pair')}"]
    said += [f"nobody reaches {', '.join(f.cut)}"] if f.cut else []
    said += [f"{', '.join(f.apart)} reach only their own piece of the fabric"] if f.apart else []
    return "; ".join(said)


def _fewer(x: FewerAdapters) -> str:
    """What the failure costs hosts that outlive it: `33 hosts (dgx-[01-33]) run with 7 of 8 compute adapters: ...`."""
    held = f"{count(x.count, 'host')} ({x.hosts}) run{'s' * (x.count == 1)} with {x.left} of {count(x.of, f'{x.role} adapter')}"
    rates, lost = f"{figure(x.left_gbs)} of {figure(x.of_gbs)} GB/s", ", ".join(x.lost)
    if x.role != "compute":
        return f"{held}, without {lost}: {rates}"
    if not x.gpus:
        return f"{held}, without {lost}: {rates}; jobs on them stop"
    them = "it" if x.count == 1 else "them"
    head = f"{held}: {'its' if x.count == 1 else 'their'} rings have {rates}; jobs on {them} stop"
    return head + (f", and NCCL must be told to leave {lost} out" if x.left else "")


def _bisection(p: PatternResult) -> str:
    seed = "" if p.seed is None else f", seed {p.seed}"
    return f"{p.name}, share of line rate ({count(p.flows, 'flow')}, {count(p.patterns, 'pattern')}{seed})"


def _share(p: PatternResult) -> str:
    return share(p.share) + ("" if p.standard_error is None else f" ± {share(p.standard_error)}")


def sweep_text(s: Sweep, draw: Paint, alike: str = "") -> Iterator[str]:
    """How the losses are spread over all cases, and the worst of them by name. `alike`: for which subnets else it holds."""
    yield draw("strong", f"{s.subnet}: {extent(s)}, {count(s.cases, 'case')}")
    yield from wrapped("alike", alike) if alike else ()
    model = "" if s.engine.startswith("equal-cost") else "static tables; "
    drawn = f"{model}{count(s.flows, 'flow')}, {count(s.patterns, 'pattern')}, seed {s.seed}"
    yield from wrapped("tables", f"{s.engine}; {s.method}")
    whole = f"bisection {share(s.base)} ± {share(s.base_error)} of line rate ({drawn})"
    yield from wrapped("whole", f"{whole}; all-to-all: {count(s.base_max_load, 'flow')} on the fullest link")
    cut = f"{count(s.disconnecting, 'case')} cut off endpoints" if s.disconnecting else "no case cuts anything off"
    yield from wrapped("cut", cut)
    if not s.rows:
        return
    yield ""
    yield from _spread(s, draw)
    yield ""
    rows = [["without", "pairs cut", "hosts hit", "bisection loss", "all-to-all loss", "fullest link", "re-routed"]]
    rows += [_case(r) for r in s.rows[:SHOWN_CASES]]
    head, *lines = table(rows, frozenset(range(1, 7)))
    yield "  " + draw("dim", head)
    yield from ("  " + line for line in lines)
    yield from wrapped("order", ORDER)
    hidden = s.cases - min(len(s.rows), SHOWN_CASES)
    if hidden > 0:
        yield f"  {count(hidden, 'case')} more, none of them worse in this order" + _hidden(s)


def _hidden(s: Sweep) -> str:
    """The costliest case that cuts nothing, where those that cut fill the table."""
    first = next((i for i, r in enumerate(s.rows) if not r.cut_pairs), 0)
    if first < SHOWN_CASES:
        return ""
    r = s.rows[first]
    return f"; of those that cut nothing, {r.part} costs most ({percent(r.larger)})"


def _case(r: SweepRow) -> list[str]:
    none = not r.ebb and not r.loss  # nobody is left to send
    losses = ["-", "-"] if none else [percent(r.loss), percent(r.all_to_all_loss)]
    return [r.part, f"{r.cut_pairs:,}", f"{r.hosts:,}", *losses, count(r.max_load, "flow"), f"{r.rerouted:,}"]


def _spread(s: Sweep, draw: Paint) -> Iterator[str]:
    """Quantiles of the losses."""
    rows = [
        ["loss of the survivors' own flows", *(_quantile(q) for q, _, _ in s.quantiles)],
        ["bisection", *(percent(loss) for _, loss, _ in s.quantiles)],
        ["all-to-all", *(percent(loss) for _, _, loss in s.quantiles)],
    ]
    head, *lines = table(rows, frozenset(range(1, len(rows[0]))))
    yield "  " + draw("dim", head)
    yield from ("  " + line for line in lines)


def _quantile(q: float) -> str:
    return {0: "least", 0.5: "median", 1: "worst"}.get(q, f"{100 * q:g}th percentile")
