"""Public measurements that the models are compared with: collective bandwidth, and training throughput.

Takes the catalog, gives `Measurement` and `TrainingRun` rows in the order of their ids. They are never parameters of a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from .fact import Amount, Fact, Maybe

if TYPE_CHECKING:
    from .catalog import Catalog

COLLECTIVES = "calibration"
TRAINING = "mfu"

Count = Annotated[int, Field(ge=1)]


class Measurement(Fact):
    """A collective's bus bandwidth. `nics` is per node; `gpu`, `nics` and `nic_gbps` stand in for a platform the catalog lacks.

    `kind`: `clean` is a healthy cluster, `degraded` a known fault that a model must call below expectation.
    `mnnvl` false: NVLink between hosts was left unused. `not_counted` says why the row cannot test the model, where it cannot.
    """

    platform: Annotated[str | None, Maybe] = None
    gpu: Annotated[str | None, Maybe] = None
    gpus_per_node: Count = 8
    nics: Annotated[Count | None, Maybe] = None
    nic_gbps: Annotated[Amount | None, Maybe] = None
    nodes: Annotated[Count | None, Maybe] = None
    gpus: Annotated[Count | None, Maybe] = None
    operation: str = "all_reduce"
    size_bytes: Annotated[Count | None, Maybe] = None
    busbw_gbs: Amount
    kind: Literal["clean", "degraded"]
    nccl: Annotated[str | None, Maybe] = None
    algorithm: Annotated[str | None, Maybe] = None
    mnnvl: bool = True
    not_counted: str = ""


class TrainingRun(Fact):
    """A training run's throughput, with as much of its layout as is public. `recompute`: full activation recomputation."""

    model: str
    gpu: str
    gpus: Count
    parameters: Annotated[Amount | None, Maybe] = None
    layers: Annotated[Count | None, Maybe] = None
    hidden: Annotated[Count | None, Maybe] = None
    heads: Annotated[Count | None, Maybe] = None
    kv_heads: Annotated[Count | None, Maybe] = None
    platform: Annotated[str | None, Maybe] = None
    tensor: Annotated[Count | None, Maybe] = None
    pipeline: Annotated[Count | None, Maybe] = None
    context: Count = 1
    interleave: Count = 1
    global_batch: Annotated[Count | None, Maybe] = None
    sequence: Annotated[Count | None, Maybe] = None
    recompute: bool = False
    step_s: Annotated[Amount | None, Maybe] = None
    tflops_gpu: Annotated[Amount | None, Maybe] = None
    mfu: Annotated[Amount | None, Maybe] = None
    minutes: Annotated[Amount | None, Maybe] = None
    not_counted: str = ""


def measurements(catalog: Catalog) -> tuple[Measurement, ...]:
    return tuple(r for r in catalog.rows(COLLECTIVES) if isinstance(r, Measurement))


def training_runs(catalog: Catalog) -> tuple[TrainingRun, ...]:
    return tuple(r for r in catalog.rows(TRAINING) if isinstance(r, TrainingRun))
