from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.checks.workload_words import gpus_of, impossible
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG513", "workload-without-gpus", Severity.ERROR)
def workload_without_gpus(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A workload in a pool without GPUs, or one that asks for more GPUs than its pool will ever have.

    Hosts that are planned or out of service count here: this is not about a host that failed.

    Bad:
        workloads:
          - {name: gpt, pool: gpu, parameters: 20e9, layers: 44, hidden: 6144, tensor: 8, gpus: 4096, global_batch: 4096}
    Good:
        workloads:
          - {name: gpt, pool: gpu, parameters: 20e9, layers: 44, hidden: 6144, tensor: 8, gpus: 32, global_batch: 4096}
    """
    counts = gpus_of(spec, fabric)
    has = ", ".join(f"`{name}` has {count}" for name, count in counts.items()) or "no pool has any"
    for row, workload in enumerate(spec.workloads):
        field = impossible(spec, fabric, row)
        if not field:
            continue
        at = ("workloads", row, field) if getattr(workload, field) is not None else ("workloads", row)
        if field == "gpus":
            message = f"workload {workload.name} asks for {workload.gpus} GPUs"
        else:
            message = (
                f"workload {workload.name} runs on GPUs, and {f'`{workload.pool}` has' if workload.pool else 'there are'} none"
            )
        yield workload_without_gpus.finding(message, at, label="more than there are", hint=f"GPUs: {has}")
