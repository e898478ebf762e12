"""Every workload over several sizes of its job: the scaling curve of `ibgen simulate`.

Takes `Complete`. Gives `Scaling`s. The global batch stays, the number of replicas changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ibgen.compilation import Complete
from ibgen.render.simulation import Scaling
from ibgen.simulate.attached import attached, line_rates
from ibgen.simulate.training import machine, run, scaling
from ibgen.spec import Workload

MOST_POINTS = 16


def scalings(c: Complete, progress: Callable[[str], object]) -> Iterator[Scaling]:
    """Every workload that fits, on as many of its replicas as its batch divides over."""
    rates = line_rates(attached(c.targets))
    for outcome in run(c.spec, c.fabric, c.catalog, fabric_gbs=rates):
        if outcome.step is None:
            continue
        workload = c.spec.workloads[outcome.row]
        progress(f"scaling {workload.name}")
        pools = [p for p, platform in enumerate(c.fabric.hosts.platforms) if platform.gpus]
        pool = next(p for p in pools if workload.pool in (None, c.spec.pools[p].name))
        platform = c.fabric.hosts.platforms[pool]
        on = machine(platform, c.catalog, _nccl(c), domain=c.spec.pools[pool].domain, fabric_gbs=rates.get(pool))
        if on is not None:
            yield Scaling(workload.name, scaling(workload, on, sizes(workload, outcome.step.gpus, platform.gpus)))


def _nccl(c: Complete) -> str:
    from ibgen.simulate.collectives import DEFAULT_VERSION

    return c.spec.nccl.version if c.spec.nccl else DEFAULT_VERSION


def sizes(w: Workload, gpus: int, per_host: int) -> list[int]:
    """Numbers of whole hosts that hold a number of replicas which divides the batch; thinned out evenly by ratio."""
    replica = w.tensor * w.pipeline * w.context
    batches = w.global_batch // w.micro_batch
    fits = [d * replica // per_host for d in range(1, gpus // replica + 1) if batches % d == 0 and d * replica % per_host == 0]
    if len(fits) <= MOST_POINTS:
        return fits
    return sorted({fits[round(i * (len(fits) - 1) / (MOST_POINTS - 1))] for i in range(MOST_POINTS)})
