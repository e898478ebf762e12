from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec


@rule("IBG512", "exposed-communication", Severity.WARNING)
def exposed_communication(spec: ClusterSpec, simulation: Simulation) -> Iterator[Finding]:
    """A training step that waits for communication longer than the spec allows.

    `requirements.exposed_communication` is the largest share of a step that may pass while no GPU computes because data is
    on its way; 0.05 unless given. What compute hides does not count, nor does the pipeline's bubble. The facts say which axis
    waits: tensor and expert parallelism want NVLink (keep them within a host or NVLink domain), data parallelism a larger
    batch or a faster network, or more `overlap` where the framework gives it. The model: NCCL's choice of algorithm at the
    adapters' line rate, compute at a fixed share of dense bf16 peak (docs/accuracy.md says how good it is).

    Bad:
        requirements: {exposed_communication: 0.05}
        workloads:
          - {name: gpt, pool: gpu, parameters: 20e9, layers: 44, hidden: 6144, tensor: 32, global_batch: 64}
    Good:
        requirements: {exposed_communication: 0.05}
        workloads:
          - {name: gpt, pool: gpu, parameters: 20e9, layers: 44, hidden: 6144, tensor: 2, pipeline: 4, global_batch: 1024}
    """
    limit = spec.requirements.exposed_communication
    if limit is None:
        return
    asked: Path = ("requirements", "exposed_communication")
    written = "exposed_communication" in spec.requirements.model_fields_set
    for outcome in simulation.training:
        step = outcome.step
        if step is None or step.exposed_share <= limit:
            continue
        here: Path = ("workloads", outcome.row)
        worst = max(step.axes, key=lambda a: a.exposed_s)
        facts = {
            f"{a.axis} {a.size}": f"{a.exposed_s:.3g} s exposed of {a.total_s:.3g} s, {a.bytes_per_gpu / 1e9:.3g} GB per GPU, "
            + ("NVLink" if a.inside else "network")
            for a in step.axes
        }
        yield exposed_communication.finding(
            f"workload {step.workload} waits for communication {step.exposed_share:.1%} of a step, more than {limit:.1%},"
            " even at line rate",
            asked if written else here,
            label=f"{step.workload}: {step.exposed_share:.1%}",
            labels=[Label(here, f"most by the {worst.axis} axis")] if written else [],
            hint=f"shrink the {worst.axis} axis, hide more of it (`overlap: {{{worst.axis}: ...}}`), or allow more",
            facts={
                **facts,
                "step": f"{step.step_s:.4g} s on {step.gpus} GPUs, {step.compute_s:.4g} s of it computing",
                "model": "NCCL tuning model at line rate",
            },
        )
