"""A simulation for programs: JSON of a fixed, versioned form, described by `schemas/simulation.schema.json`.

Takes `Simulated`. Gives text. Simulated figures have four significant digits, counts are whole; what is no finite number is
null. Link by link there is CSV.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .heat import folded
from .json import dumps, plain_path
from .simulation import Scaling, Simulated, rounded_figure
from .training_text import line_rate

if TYPE_CHECKING:
    from ibgen.simulate import ChainStep
    from ibgen.simulate.failures import FailureStudy, Sweep
    from ibgen.simulate.heat import Heat
    from ibgen.simulate.named import WorstCable
    from ibgen.simulate.pool_collectives import PoolCollectives
    from ibgen.simulate.results import FabricRate, Study
    from ibgen.simulate.training import Sensitivity, TrainingOutcome, TrainingStep

FORMAT = "ibgen-simulation"
VERSION = 1

MOST_LABELS = 128
"""Rows and columns of the heat matrix."""

HEAT_UNIT = "share of an equal part of line rate that the row's sender gets toward the column's receiver; null: nothing sent"


def simulation_json(result: Simulated) -> str:
    """The whole result."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "cluster": result.cluster,
        "exposed_communication": plain(result.exposed_limit),
        "slow": [{"part": name, "gbps": plain(gbps)} for name, gbps in result.slow],
        "studies": [_study(s, result) for s in result.studies],
        "scaling": [_scaling(s) for s in result.scaling],
        "failures": [_failure(f, result) for f in result.failures],
        "sweeps": [_sweep(s, result) for s in result.sweeps],
    }
    return dumps(document)


def plain(value: Any) -> Any:
    """A value of frozen dataclasses as JSON can hold it, field by field."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    number = float(value)  # numpy's scalars too
    if not math.isfinite(number):
        return None
    return rounded_figure(number) if isinstance(value, float) or not number.is_integer() else int(number)


def _study(s: Study, result: Simulated) -> dict[str, Any]:
    return {
        "subnet": s.subnet,
        "seed": s.seed,
        "hosts": s.hosts,
        "endpoints": s.endpoints,
        "switches": s.switches,
        "line_gbs": plain(s.line_gbs),
        "subnets_alike": len(_alike(s.subnet, result)),
        "alike": _alike(s.subnet, result),
        "tables": plain(s.tables),
        "chain": [step_json(step) for step in result.chain if step.subnet == s.subnet],
        "halves": None if s.halves is None else plain(s.halves) | {"ratio": plain(s.halves.ratio)},
        "patterns": plain(s.patterns),
        "tiers": plain(s.tiers),
        "worst": [_worst(w, result) for w in s.worst],
        "rates": [plain(r) | {"background": {name: plain(part) for name, part in r.background}} for r in s.rates],
        "bounds": plain(s.bounds),
        "detours": plain(s.detours),
        "storage": None if s.storage is None else plain(s.storage) | {"ratio": plain(s.storage.ratio)},
        "rank_order": plain(s.order),
        "fabric_rates": [_rating(r, result) for r in s.ratings],
        "collectives": [_pool(p, result) for p in s.collectives],
        "training": [outcome_json(o, result.workloads) for o in s.training],
        "notes": list(s.notes),
        "heat": None if s.heat is None else _heat(s.heat),
    }


def _alike(subnet: str, result: Simulated) -> list[str]:
    """The other subnets that a result holds for."""
    return list(dict(result.alike).get(subnet, ()))


def _worst(w: WorstCable, result: Simulated) -> dict[str, Any]:
    made: dict[str, Any] = plain(replace(w, meeting=None))
    if w.meeting is None:
        return made
    at = {"path": plain_path(w.meeting.path), "line": dict(result.lines).get(w.meeting.path) or None}
    return made | {"meeting": plain(replace(w.meeting, path=())) | at}


def _heat(heat: Heat) -> dict[str, Any]:
    """The matrix by at most `MOST_LABELS` rows, each the mean of `fold` hosts or leaves, named by its first."""
    values, fold = folded(np.asarray(heat.values, dtype=np.float64), MOST_LABELS)
    return {
        "pattern": heat.pattern, "model": heat.model, "of": heat.unit, "unit": HEAT_UNIT, "fold": fold,
        "labels": list(heat.labels[::fold]), "values": plain(values.tolist()),
    }  # fmt: skip


def _failure(f: FailureStudy, result: Simulated) -> dict[str, Any]:
    places = {part: place for subnet, part, place in result.parts if subnet == f.subnet}
    made: dict[str, Any] = plain(f)
    return made | {"alike": _alike(f.subnet, result), "places": [places.get(part) for part in f.parts]}


def _sweep(s: Sweep, result: Simulated) -> dict[str, Any]:
    return plain(s) | {"quantiles": _quantiles(s.quantiles), "alike": _alike(s.subnet, result)}  # type: ignore[no-any-return]


def step_json(step: ChainStep) -> dict[str, Any]:
    """One step of the chain."""
    return {
        "step": step.step,
        "pool": step.pool or None,
        "offered_gbps": plain(step.offered_gbps),
        "capacity_gbps": plain(step.capacity_gbps),
        "ratio": plain(step.ratio),
        "cables": step.cables,
    }


def _rating(r: FabricRate, result: Simulated) -> dict[str, Any]:
    return plain(r) | {"pool": result.pools[r.pool]}  # type: ignore[no-any-return]


def _pool(p: PoolCollectives, result: Simulated) -> dict[str, Any]:
    return {
        "pool": result.pools[p.pool],
        "hosts": p.hosts,
        "settings": dict(p.settings),
        "curves": [
            {
                "operation": c.operation,
                "nodes": c.nodes,
                "ranks": c.ranks,
                "version": c.version,
                "line_gbs": plain(line_rate(c)),
                "fabric_gbs": plain(c.fabric_gbs),
                "points": [
                    {
                        "size_bytes": x.size_bytes,
                        "algorithm": x.algorithm,
                        "protocol": x.protocol,
                        "time_us": plain(x.time_us),
                        "algbw_gbs": plain(x.algbw_gbs),
                        "busbw_gbs": plain(x.busbw_gbs),
                        "limit": x.limit,
                    }
                    for x in c.points
                ],
            }
            for c in p.curves
        ],
    }


def outcome_json(o: TrainingOutcome, workloads: Sequence[str]) -> dict[str, Any]:
    """What became of one workload: its step, or why it does not fit."""
    step = None if o.step is None else _training(o.step)
    return {
        "workload": workloads[o.row],
        "step": step,
        "misfits": plain(o.misfits),
        "sensitivity": None if o.sensitivity is None else _sensitivity(o.sensitivity),
    }


def _sensitivity(s: Sensitivity) -> dict[str, Any]:
    lost = None if s.lost_rail is None else _training(s.lost_rail)
    return {
        "extra_us": plain(s.extra_us), "rails": s.rails, "more_latency": _training(s.more_latency), "lost_rail": lost
    }  # fmt: skip


def _training(s: TrainingStep) -> dict[str, Any]:
    made: dict[str, Any] = plain(s)
    shares = {"exposed_share": s.exposed_share, "idle_share": s.idle_share}
    return made | {name: plain(value) for name, value in shares.items()}


def _scaling(s: Scaling) -> dict[str, Any]:
    points = [{"nodes": p.nodes, "gpus": p.gpus, "step": _training(p.step)} for p in s.points if p.step is not None]
    return {"workload": s.workload, "points": points}


def _quantiles(quantiles: tuple[tuple[float, float, float], ...]) -> list[dict[str, Any]]:
    return [{"quantile": plain(q), "loss": plain(loss), "all_to_all_loss": plain(every)} for q, loss, every in quantiles]
