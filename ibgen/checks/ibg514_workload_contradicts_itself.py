from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.checks.workload_words import contradictions
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG514", "workload-contradicts-itself", Severity.ERROR)
def workload_contradicts_itself(spec: ClusterSpec) -> Iterator[Finding]:
    """Numbers of a workload that cannot go together on any cluster.

    The hidden size and the heads are shared by the tensor ranks, the batch by the micro-batches; a token goes to at most as
    many experts as there are, and passes through at most all parameters. What belongs to experts needs `experts`.

    Bad:
        workloads:
          - {name: moe, pool: gpu, parameters: 20e9, active_parameters: 4e9, experts: 8, top_k: 9, global_batch: 1024}
    Good:
        workloads:
          - {name: moe, pool: gpu, parameters: 20e9, active_parameters: 4e9, experts: 8, top_k: 2, global_batch: 1024}
    """
    for row, workload in enumerate(spec.workloads):
        for m in contradictions(workload):
            written = m.field in workload.model_fields_set
            at = ("workloads", row, m.field) if written else ("workloads", row)
            yield workload_contradicts_itself.finding(f"workload {workload.name}: {m.message}", at, hint=m.hint)
