"""The verdict of a study, above all details: does bandwidth match, what do tables cost, where do flows meet, do jobs wait.

Takes a `Study` and `Simulated`. Gives lines, about a dozen. Every figure names its pattern, model and unit; the tables further
down hold all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ibgen.checks.ibg502_slot_too_small import MOST

from .plan_text import rate, ratio
from .simulation import Simulated, count, figure, names_of, percent, share, wrapped
from .style import Paint
from .training_text import line_rate, size

if TYPE_CHECKING:
    from ibgen.simulate import ChainStep
    from ibgen.simulate.named import CableEnd, WorstCable
    from ibgen.simulate.pool_collectives import PoolCollectives
    from ibgen.simulate.results import PatternResult, RateResult, Study
    from ibgen.simulate.training import TrainingOutcome

HANG = 12
"""Columns of the word that a line begins with."""

FULL = {"pcie": MOST, "": 1.005}
"""Ratios up to which a step carries what is offered; a slot's is the rule's own (IBG502)."""

JUDGED = ("all-to-all", "permutation")
"""Patterns of the verdict beside those of the jobs."""


def verdict(s: Study, result: Simulated, draw: Paint) -> Iterator[str]:
    """The head of a subnet and what a reviewer asks first."""
    switches = "1 switch" if s.switches == 1 else f"{s.switches:,} switches"
    parts = f"{count(s.hosts, 'host')}, {count(s.endpoints, 'endpoint')}, {switches}"
    yield draw("strong", s.subnet) + f": {parts}; line rate {figure(s.line_gbs)} GB/s per endpoint and direction"
    yield from _said("alike", alike_text(s.subnet, result))
    yield from _painted(_said("bandwidth", _bandwidth(s, result)), draw)
    yield from _said("storage", _storage(s))
    yield from _said("tables", _tables(s))
    yield from _said("rates", _rates(s))
    yield from _said("adaptive", _adaptive(s))
    yield from _worst(s, result)
    if s.order is not None and s.order.loss > 0.005:
        yield from _said("rank order", f"{s.order.text} (rail rings, static tables)")
    for p in s.collectives:
        yield from _said("collectives", _collectives(p, result.pools[p.pool]))
    for o in s.training:
        yield from _said("training", _training(o, result))


def _said(head: str, text: str) -> list[str]:
    return wrapped(head, text, hang=HANG) if text else []


def _painted(lines: list[str], draw: Paint) -> list[str]:
    """The paragraph with its first words in the colour of what they say: layout is done before painting."""
    for words, style in (("does not match", "error"), ("as asked", "help"), ("matches", "help")):
        if lines and words in lines[0]:
            return [lines[0].replace(words, draw(style, words), 1), *lines[1:]]
    return lines


def alike_text(subnet: str, result: Simulated) -> str:
    """`8 subnets of one shape, compute-u01-r[0-7]: this one stands for all`; nothing where it stands alone."""
    others = dict(result.alike).get(subnet, ())
    if not others:
        return ""
    return f"{len(others) + 1:,} subnets of one shape, {names_of((subnet, *others))}: this one was studied for all"


def _bandwidth(s: Study, result: Simulated) -> str:
    """Every step by its ratio; those beyond what the spec allows with what is missing, those beyond 1:1 by name."""
    steps = [x for x in result.chain if x.subnet == s.subnet]
    if not steps:
        return ""
    if s.endpoints < 2:
        return "nothing to judge: no two endpoints are in service"
    if s.halves is not None and not s.halves.capacity_gbs:
        return "does not match: no cable joins one half of the leaves to the other"
    limits = [_limits(x, result) for x in steps]
    bad = [_short(x, most, least) for x, (most, least) in zip(steps, limits, strict=True) if _misses(x, most, least)]
    ratios = [f"{x.label} {ratio(x.ratio)}" for x in steps]
    over = [
        f"{said} ({ratio(most)} is allowed)" if most < float("inf") else said
        for x, said, (most, _) in zip(steps, ratios, limits, strict=True)
        if x.ratio > FULL.get(x.step, FULL[""])
    ]
    asked = any(said.endswith("is allowed)") for said in over)
    if s.halves is not None:
        ratios.append(f"half to half {ratio(s.halves.ratio)}")
        over += ratios[-1:] if s.halves.ratio > FULL[""] else []
    every = f"({', '.join(ratios)}; offered to capacity, counted)"
    if bad:
        return f"does not match: {'; '.join(bad)} {every}"
    if over:
        head = "as asked, though more" if asked else "no limit is set in the spec: more"
        return f"{head} is offered than carried at {', '.join(over)} {every}"
    if s.storage is not None and s.storage.ratio > FULL[""]:
        return f"matches up to the storage servers, which all clients at once outweigh {ratio(s.storage.ratio)} {every}"
    return f"matches from end to end {every}"


def _storage(s: Study) -> str:
    """Clients against servers, by the rates of their own cables."""
    x = s.storage
    if x is None:
        return ""
    sides = f"{count(x.clients, 'client port')} of {rate(8 * x.clients_gbs)} write to {count(x.servers, 'server port')} of"
    return f"{sides} {rate(8 * x.servers_gbs)}, {ratio(x.ratio)} (clients to servers, counted; managers are no servers)"


def _limits(x: ChainStep, result: Simulated) -> tuple[float, float]:
    """(at most, at least) of the ratio; without a limit nothing is amiss."""
    own = next((a for a in result.allowed if a.fabric == x.fabric and a.step == x.step), None)
    return (own.most, own.least) if own is not None else (float("inf"), 0.0)


def _misses(x: ChainStep, most: float, least: float) -> bool:
    return x.ratio > most * (1 + 1e-9) or x.ratio < least


def _short(x: ChainStep, most: float, least: float) -> str:
    if x.ratio < least:
        return f"{x.label}: adapters carry {x.ratio:.2f} of their slots, {least:g} is asked for"
    return f"{x.label}: {rate(x.offered_gbps)} offered to {rate(x.capacity_gbps)}, {ratio(most)} is allowed"


def _tables(s: Study) -> str:
    """Jobs' own traffic first, then everyone at once, then at random."""
    own = [p for p in s.patterns if p.flows and p.name.startswith(("rail rings", "pipeline ", "experts ", "shift by a group"))]
    rest = [p for name in JUDGED for p in s.patterns if p.name == name]
    if not own and not rest:
        return ""
    lost = sum(p.unrouted for p in s.patterns)
    asked = f" for {s.tables.asked}" if s.tables.asked not in ("", s.tables.engine) else ""
    said = ", ".join(_kept(p) for p in own + rest)
    ways = f"; {count(lost, 'flow')} without a way" if lost else ""
    return f"{s.tables.engine}{asked} ({s.tables.origin}), share of line rate: {said}{ways}"


def _kept(p: PatternResult) -> str:
    if p.seed is None:
        return f"{p.name} {share(p.share)}"
    drawn = f"{count(p.flows, 'flow')}, {count(p.patterns, 'pattern')}, seed {p.seed}"
    error = "" if p.standard_error is None else f" ± {share(p.standard_error)}"
    return f"{p.name} {share(p.share)}{error} ({drawn})"


def _rates(s: Study) -> str:
    """GB/s of the slowest flow and the mean, without other classes beside them."""
    alone = [r for r in s.rates if not r.background]
    if not alone:
        return ""
    said = ", ".join(f"{alone_of(r.pattern, s)} {figure(r.mean_gbs)}" + _slowest(r) for r in alone)
    return f"GB/s per flow, line rate {figure(alone[0].line_gbs)}: {said} ({alone[0].model})"


def _slowest(r: RateResult) -> str:
    return f" (slowest {figure(r.min_gbs)})" if float(f"{r.min_gbs:.4g}") < float(f"{r.mean_gbs:.4g}") else ""


def _adaptive(s: Study) -> str:
    """The pairs that leave something to win; a declared figure is marked as one."""
    open_ = [b for b in s.bounds if b.fluid > b.static + 5e-4]
    if not open_:
        return ""
    said = "; ".join(
        f"{alone_of(b.pattern, s)} between {share(b.static)} (static) and {share(b.fluid)} (fluid bound)"
        + ("" if b.declared is None else f", {share(b.declared)} declared")
        for b in open_
    )
    return said if open_[0].active else f"if it were: {said}"


def _worst(s: Study, result: Simulated) -> Iterator[str]:
    """The fullest cable: where it lies, why flows meet there, what would part them."""
    if not s.worst:
        quiet = [p.name for p in s.patterns if p.name in ("permutation", "rail rings") and p.patterns and p.max_load <= 1]
        if any(t.pattern in quiet for t in s.tiers):
            yield from _said("worst cable", f"none: under {' and '.join(quiet)} no cable carries two flows")
        return
    w = s.worst[0]
    each = f" on {figure(w.capacity_gbs)} GB/s, {figure(w.capacity_gbs / w.load)} each" if w.load else ""
    text = f"{end(w.start, ' on the box')} -> {end(w.end, ' on the box')}: {count(w.load, 'flow')}{each}; {drawn(w, s)}"
    yield from _said("worst cable", text)
    if w.meeting is not None:
        at = dict(result.lines).get(w.meeting.path, "")
        yield from _said("  where", w.meeting.place + (f"; {at}" if at else ""))
        yield from _said("  why", w.meeting.why)
        yield from _said("  help", w.meeting.help)


def drawn(w: WorstCable, s: Study) -> str:
    """The pattern; of a random one that only the first draw is meant, and what the fullest link of all draws carries."""
    p = _random(w.pattern, s)
    if p is None:
        return w.pattern
    rest = f" (fullest link of all {p.patterns:,}: {count(p.max_load, 'flow')})" if p.patterns > 1 else ""
    return f"{w.pattern}, pattern 0 of seed {s.seed} alone{rest}"


def alone_of(pattern: str, s: Study) -> str:
    """`permutation (pattern 0 alone)`, where others were drawn besides; `rail rings`, in which nothing is random."""
    p = _random(pattern, s)
    return pattern if p is None or p.patterns < 2 else f"{pattern} (pattern 0 alone)"


def _random(pattern: str, s: Study) -> PatternResult | None:
    return next((p for p in s.patterns if p.name == pattern and p.seed is not None), None)


def end(e: CableEnd, where: str = "") -> str:
    """`leaf-01 port 37 (19/1)`, the port as the manager numbers it and as the box is labelled; an adapter by its name."""
    return f"{e.name} port {e.port} ({e.label}{where})" if e.label else e.name


def _collectives(p: PoolCollectives, pool: str) -> str:
    """The largest size there is, against line rate."""
    said = []
    for c in p.curves:
        if c.operation in ("all_reduce", "alltoall") and c.points:
            line = line_rate(c)
            said.append(f"{c.operation} {figure(c.points[-1].busbw_gbs)}" + ("" if line is None else f" of {figure(line)}"))
    if not said:
        return ""
    first = p.curves[0]
    at = size(first.points[-1].size_bytes) if first.points else ""
    return f"{pool}: busbw {', '.join(said)} GB/s at {at}, {count(first.ranks, 'rank')} (NCCL {first.version}'s tuning model)"


def _training(o: TrainingOutcome, result: Simulated) -> str:
    name = result.workloads[o.row]
    if o.step is None:
        return f"{name} does not fit: " + "; ".join(m.message for m in o.misfits)
    s, limit = o.step, result.exposed_limit
    judged = ""
    if limit is not None:
        judged = f", {'within' if s.exposed_share <= limit else 'more than'} the {percent(limit)} allowed"
    return f"{name} on {count(s.gpus, 'GPU')}: {percent(s.exposed_share)} of a step waits{judged}; MFU {percent(s.mfu)}"
