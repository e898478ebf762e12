"""Collectives and training steps for a person.

Takes `PoolCollectives`, `FabricRate`s and `TrainingOutcome`s. Gives lines. Rates in GB/s as nccl-tests prints busbw.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .cells import printable, table
from .simulation import count, figure, percent, wrapped
from .style import Paint

if TYPE_CHECKING:
    from ibgen.simulate.collectives import CollectiveCurve
    from ibgen.simulate.pool_collectives import PoolCollectives
    from ibgen.simulate.results import FabricRate
    from ibgen.simulate.training import Sensitivity, TrainingOutcome, TrainingStep

SHOWN_SIZES = (1 << 10, 1 << 20, 8 << 20, 128 << 20, 1 << 30, 16 << 30)
"""Columns of the table: from where latency rules to where bandwidth does."""


def size(number: int) -> str:
    """`8 MiB`; sizes of collectives are powers of two."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if number >= 1 << power and number % (1 << power) == 0:
            return f"{number >> power:,} {unit}"
    return f"{number:,} B"


def collectives_text(
    pools: Sequence[PoolCollectives], ratings: Sequence[FabricRate], names: Sequence[str], draw: Paint
) -> list[str]:
    """busbw over a few sizes, and what the fabric holds collectives to."""
    lines: list[str] = []
    for p in pools:
        if not p.curves:
            continue
        first = p.curves[0]
        sizes = [n for n in SHOWN_SIZES if any(point.size_bytes == n for point in first.points)]
        ranks = f"{count(first.ranks, 'rank')} on {count(p.hosts, 'host')}"
        lines.append(
            "  " + draw("dim", f"busbw in GB/s, pool {printable(names[p.pool])}: {ranks} (NCCL {first.version}'s tuning model)")
        )
        rows = [["operation", *map(size, sizes), "line rate"]]
        for c in p.curves:
            busbw = {point.size_bytes: point.busbw_gbs for point in c.points}
            cells = [figure(busbw[n]) if n in busbw else "-" for n in sizes]
            line = line_rate(c)
            rows.append([c.operation, *cells, "NVLink" if line is None else figure(line)])
        head, *rest = table(rows, frozenset(range(1, len(sizes) + 2)))
        lines += ["  " + draw("dim", head), *("  " + line for line in rest)]
        held = [r for r in ratings if r.pool == p.pool]
        said = ", ".join(f"{r.operation} {figure(r.gbs)} of {figure(r.line_gbs)} ({r.pattern}, {r.model})" for r in held)
        lines += wrapped("the fabric leaves a host, GB/s:", said, hang=32) if held else []
    return lines


def line_rate(curve: CollectiveCurve) -> float | None:
    """The busbw that the adapters' line rate comes to, GB/s: of a host's adapters where ranks pass data on, of one GPU's share
    where each sends for itself; of an all-to-all, what stays inside a host takes no adapter. None inside one NVLink domain."""
    if not curve.line_gbs:
        return None
    own = curve.line_gbs * curve.nodes / curve.ranks
    if curve.operation == "alltoall" and curve.nodes > 1:
        return own * (curve.ranks - 1) / (curve.ranks - curve.ranks / curve.nodes)
    return own if curve.operation == "sendrecv" else curve.line_gbs


def training_text(
    outcomes: Sequence[TrainingOutcome],
    names: Sequence[str],
    limit: float | None,
    draw: Paint,
    rate: str = "held to the fabric",
) -> list[str]:
    """Two lines per workload, the second with its axes; what does not fit says why. `rate`: what the network gives."""
    lines: list[str] = []
    for o in outcomes:
        name = printable(names[o.row])
        if o.step is None:
            lines += [f"  {name}: {m.field}: {printable(m.message)}; {printable(m.hint)}" for m in o.misfits]
        else:
            lines += _step(name, o.step, limit)
            lines += _worse(o.step, o.sensitivity) if o.sensitivity is not None else []
    head = f"training: FLOPs at a fixed share of peak, NCCL's tuning model, {rate}"
    return ["  " + draw("dim", head), *lines] if lines else []


def _step(name: str, s: TrainingStep, limit: float | None) -> list[str]:
    axes = ", ".join(
        f"{a.axis} {percent(a.exposed_s / s.step_s)}{' (NVLink)' if a.inside else ''}" for a in s.axes if a.exposed_s
    )
    verdict = ""
    if limit is not None:
        word = "within" if s.exposed_share <= limit else "more than"
        verdict = f", {word} the {percent(limit)} that `requirements` allow"
    shape = "; layers or hidden size assumed" if s.assumed_shape else ""
    waits = f"{percent(s.exposed_share)} of the step{verdict}" + (f": {axes}" if axes else "")
    return [
        f"  {name}: {count(s.gpus, 'GPU')}, step {figure(s.step_s)} s, MFU {percent(s.mfu)}, "
        f"bubble {percent(s.bubble_s / s.step_s)}, GPUs idle {percent(s.idle_share)}{shape}",
        *wrapped("exposed communication", waits, indent=4, hang=22),
    ]


def _worse(s: TrainingStep, worse: Sensitivity) -> list[str]:
    """What the step loses where the network is worse than it should be."""

    def longer(than: TrainingStep) -> str:
        return f"{figure(1000 * (than.step_s - s.step_s))} ms longer ({percent(than.step_s / s.step_s - 1)})"

    said = f"{figure(worse.extra_us)} us more per network step: {longer(worse.more_latency)}"
    if worse.lost_rail is not None:
        said += f"; one rail of {worse.rails} lost: {longer(worse.lost_rail)}"
    return wrapped("on a worse network", said, indent=4, hang=22)
