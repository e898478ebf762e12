from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.checks.workload_words import contradictions, impossible
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec


@rule("IBG511", "workload-does-not-fit", Severity.WARNING)
def workload_does_not_fit(spec: ClusterSpec, fabric: Fabric, simulation: Simulation) -> Iterator[Finding]:
    """A workload that cannot run as it is written on the hosts that are in service.

    The GPUs must be a multiple of tensor x pipeline x context, the batch a multiple of replicas x micro-batch, the experts of
    expert, and as many GPUs must be in service as are asked for. A launcher refuses such a layout after the nodes are booked;
    nothing is simulated for it here. Change the field that is marked, or the GPU count. Hosts that are `down` or `planned` do
    not count, so a host that fails may cause this too; the cluster's files are right all the same.

    Bad:
        workloads:
          - {name: gpt, pool: gpu, parameters: 20e9, layers: 44, hidden: 6144, tensor: 8, pipeline: 3}
    Good:
        workloads:
          - {name: gpt, pool: gpu, parameters: 20e9, layers: 44, hidden: 6144, tensor: 8, pipeline: 4}
    """
    for outcome in simulation.training:
        workload = spec.workloads[outcome.row]
        if impossible(spec, fabric, outcome.row):
            continue  # an error of its own, whatever is in service
        said = {m.field for m in contradictions(workload)}
        for m in outcome.misfits:
            if m.field in said:
                continue
            written = m.field in workload.model_fields_set
            at = ("workloads", outcome.row, m.field) if written else ("workloads", outcome.row)
            yield workload_does_not_fit.finding(f"workload {workload.name}: {m.message}", at, hint=m.hint)
