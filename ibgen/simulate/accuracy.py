"""The models against public measurements, row by row.

Takes the catalog (`calibration`, `mfu`). Gives `Comparison`s: what the model says, what was measured, the error, and whether
the row counts. Nothing here is a parameter of a model: each row is computed by what the catalog holds for its platform alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.catalog import Catalog, Platform
from ibgen.catalog.calibration import Measurement, TrainingRun, measurements, training_runs
from ibgen.spec import Workload

from .collectives import DEFAULT_VERSION, collective, communicator
from .training import machine, step
from .tuning import Operation

BAND = 0.15
"""What the models aim at on clean rows."""

LARGE = 2**34
"""Size taken where a row does not say: the largest of nccl-tests' usual range."""

NODES = 16
"""Nodes taken where a row does not say."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row. `model` and `error` are None where nothing can be computed; `error` is model over measured, minus one.

    `counted`: whether the row tests the model; `why` says why not, or what else to know. `verdict`: `within`, `miss`,
    `below expected` (a degraded cluster, as it should be), `not counted`.
    """

    row: str
    case: str
    unit: str
    model: float | None
    measured: float
    error: float | None
    chosen: str
    counted: bool
    verdict: str
    why: str
    source: str


def collectives(catalog: Catalog) -> tuple[Comparison, ...]:
    """Every `calibration` row, by id; bus bandwidth in GB/s."""
    return tuple(_collective(row, catalog) for row in measurements(catalog))


def training(catalog: Catalog) -> tuple[Comparison, ...]:
    """Every `mfu` row, by id: the step's seconds where they are public, else TFLOP/s per GPU, MFU or minutes."""
    return tuple(_training(row, catalog) for row in training_runs(catalog))


def _collective(row: Measurement, catalog: Catalog) -> Comparison:
    platform = _platform(row, catalog)
    nodes = row.nodes or NODES
    case = f"{row.operation}, {row.platform or row.gpu or 'unknown GPU'}, {row.nodes or '?'} nodes"
    version = row.nccl or DEFAULT_VERSION
    s = communicator(platform, catalog, nodes, version, mnnvl=row.mnnvl) if platform is not None else None
    if s is None:
        return _compared(row.id, case, "GB/s", None, row.busbw_gbs, "", row.kind == "degraded", row.not_counted, row)
    operation: Operation = "all_reduce"
    made = collective(s, operation, row.size_bytes or LARGE, algorithm=row.algorithm)
    chosen = f"{made.algorithm} {made.protocol}"
    degraded = row.kind == "degraded"
    return _compared(row.id, case, "GB/s", made.busbw_gbs, row.busbw_gbs, chosen, degraded, row.not_counted, row)


def _platform(row: Measurement, catalog: Catalog) -> Platform | None:
    if row.platform is not None:
        return catalog.platform(row.platform)
    if row.gpu is None or row.nics is None:
        return None
    hcas = [{"name": f"mlx5_{n}", "rate_gbps": row.nic_gbps} for n in range(row.nics)]
    described = {"id": row.id, "kind": "generic", "gpu": row.gpu, "gpus": row.gpus_per_node, "hcas": hcas, "source": row.source}
    return Platform.model_validate(described)


def _training(row: TrainingRun, catalog: Catalog) -> Comparison:
    case = f"{row.model}, {row.gpus} {row.gpu}"
    on = None
    platform = catalog.platform(row.platform) if row.platform else None
    if platform is not None and row.tensor and row.pipeline:
        on = machine(platform, catalog, DEFAULT_VERSION)
    made = step(_workload(row), on, row.gpus)[0] if on is not None else None
    if row.step_s is not None:
        unit, measured, model = "s/step", row.step_s, made.step_s if made else None
    elif row.mfu is not None:
        unit, measured, model = "MFU", row.mfu, made.mfu * (4 / 3 if row.recompute else 1) if made else None
    elif row.tflops_gpu is not None:
        unit, measured, model = "TFLOP/s", row.tflops_gpu, made.tflops_per_gpu if made else None
    else:
        unit, measured, model = "min", row.minutes or 0.0, None
    chosen = f"t{row.tensor} p{row.pipeline} c{row.context}" if row.tensor else ""
    return _compared(row.id, case, unit, model, measured, chosen, False, row.not_counted, row)


def _workload(row: TrainingRun) -> Workload:
    fields = {
        "name": row.id, "parameters": row.parameters, "layers": row.layers, "hidden": row.hidden, "heads": row.heads,
        "kv_heads": row.kv_heads, "sequence": row.sequence, "global_batch": row.global_batch, "tensor": row.tensor,
        "pipeline": row.pipeline, "context": row.context, "interleave": row.interleave, "recompute": row.recompute,
    }  # fmt: skip
    return Workload.model_validate(fields)


def _compared(
    id: str, case: str, unit: str, model: float | None, measured: float, chosen: str, degraded: bool, not_counted: str,
    row: Measurement | TrainingRun,
) -> Comparison:  # fmt: skip
    error = model / measured - 1 if model is not None and measured else None
    counted = not not_counted and not degraded and error is not None
    if degraded:
        verdict = "below expected" if error is not None and error > BAND else "not told apart"
    elif not counted or error is None:
        verdict = "not counted"
    else:
        verdict = "within" if abs(error) <= BAND else "miss"
    why = "; ".join(part for part in (not_counted, row.note) if part)
    return Comparison(id, case, unit, model, measured, error, chosen, counted, verdict, why, row.source)
