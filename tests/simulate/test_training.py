"""The training step against formulas worked out by hand from the papers, and what a user would expect of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgen import compiler
from ibgen.catalog import standard
from ibgen.diagnostics import Diagnostic
from ibgen.simulate.axes import Machine
from ibgen.simulate.training import TrainingStep, machine, scaling, sensitivity, step
from ibgen.spec import Workload

CATALOG = standard()
GPT3: dict[str, Any] = {
    "name": "gpt", "parameters": 175e9, "layers": 96, "hidden": 12288, "heads": 96, "sequence": 2048,
    "global_batch": 1536, "tensor": 8, "pipeline": 8,
}  # fmt: skip
DEEPSEEK: dict[str, Any] = {
    "name": "moe", "parameters": 671e9, "active_parameters": 37e9, "layers": 61, "moe_layers": 58, "hidden": 7168,
    "experts": 256, "top_k": 8, "expert": 64, "pipeline": 16, "global_batch": 8192, "sequence": 4096,
}  # fmt: skip


def on(platform: str = "dgx-h100") -> Machine:
    row = CATALOG.platform(platform)
    assert row is not None
    made = machine(row, CATALOG, "2.28")
    assert made is not None
    return made


def made(fields: dict[str, Any], gpus: int, platform: str = "dgx-h100", **more: Any) -> TrainingStep:
    found, misfits = step(Workload(**{**fields, **more}), on(platform), gpus)
    assert found is not None, misfits
    return found


def axis(found: TrainingStep, name: str) -> Any:
    return next(a for a in found.axes if a.axis == name)


def test_flops_are_those_of_the_papers() -> None:
    """6 P per token and 12 L h s for attention (Narayanan 2021, equation 3 without the vocabulary)."""
    found = made(GPT3, 1024)
    tokens = 1536 * 2048
    flops = 6 * 175e9 * tokens + 12 * 96 * 12288 * 2048 * tokens
    assert found.compute_s == pytest.approx(flops / (1024 * 989e12 * 0.6))
    assert found.mfu * found.step_s == pytest.approx(flops / (1024 * 989e12))
    assert made(GPT3, 1024, recompute=True).compute_s == pytest.approx(found.compute_s * 4 / 3)


def test_bytes_per_axis_are_those_of_the_formulas() -> None:
    found = made(GPT3, 1024)
    data, micro = 16, 96
    assert (found.data, found.micro_batches) == (data, micro)
    activation = 2048 * 12288 * 2
    assert axis(found, "tensor").bytes_per_gpu == pytest.approx(4 * 96 / 8 * activation * 2 * 7 / 8 * micro)
    assert axis(found, "pipeline").bytes_per_gpu == pytest.approx(2 * activation / 8 * micro)
    assert axis(found, "data").bytes_per_gpu == pytest.approx(175e9 / 64 * 2 * 2 * 15 / 16)
    assert axis(found, "tensor").inside
    assert not axis(found, "data").inside


def test_zero_3_sends_half_as_much_again() -> None:
    plain, sharded = made(GPT3, 1024, zero=1), made(GPT3, 1024, zero=3)
    assert axis(sharded, "data").bytes_per_gpu == pytest.approx(1.5 * axis(plain, "data").bytes_per_gpu)
    assert axis(made(GPT3, 1024, zero=0), "data").bytes_per_gpu == pytest.approx(axis(plain, "data").bytes_per_gpu)


def test_bubble_is_the_pipelines_and_interleaving_divides_it() -> None:
    """(p-1)/(v m) of the work (Narayanan 2021, section 2.2)."""
    flat, deep = made(GPT3, 1024), made(GPT3, 1024, interleave=4)
    assert deep.bubble_s == pytest.approx(flat.bubble_s / 4)
    assert flat.bubble_s / (flat.compute_s + axis(flat, "tensor").exposed_s) == pytest.approx(7 / 96)


def test_experts_send_each_token_to_top_k_of_them_four_times() -> None:
    found = made(DEEPSEEK, 2048)
    micro = 8192 // 128
    one = 4096 * 7168 * 2 * 8
    assert axis(found, "expert").bytes_per_gpu == pytest.approx(4 * 58 / 16 * micro * one * 63 / 64)
    light = made(DEEPSEEK, 2048, dispatch_bytes=1)
    assert axis(light, "expert").bytes_per_gpu == pytest.approx(3.5 / 4 * axis(found, "expert").bytes_per_gpu)


def test_context_ring_passes_keys_and_values_of_grouped_heads() -> None:
    long = {**GPT3, "sequence": 131072, "global_batch": 64, "context": 8, "kv_heads": 8}
    found = made(long, 1024)
    block = 2 * 131072 / 8 * 12288 * 8 / 96 * 2 / 8
    assert axis(found, "context").bytes_per_gpu == pytest.approx(7 * 2 * 96 / 8 * found.micro_batches * block)


def test_tensor_parallelism_beyond_nvlink_is_what_costs() -> None:
    near, far = made(GPT3, 1024), made(GPT3, 1024, tensor=32, pipeline=2)
    assert far.exposed_share > 3 * near.exposed_share
    assert not axis(far, "tensor").inside
    wide = made(GPT3, 1152, "gb200-nvl72", tensor=16, pipeline=8, global_batch=1152)
    assert axis(wide, "tensor").inside, "72 GPUs of a rack share NVLink"


def test_overlap_hides_no_more_than_there_is_to_hide_behind() -> None:
    none = made(GPT3, 1024, overlap={"tensor": 0, "data": 0, "pipeline": 0})
    assert all(a.exposed_s == a.total_s for a in none.axes)
    whole = made(GPT3, 1024, overlap={"tensor": 1, "data": 1, "pipeline": 1})
    assert whole.exposed_s == 0
    assert whole.idle_share == pytest.approx(whole.bubble_s / whole.step_s)
    tiny = made(GPT3, 1024, global_batch=16, overlap={"data": 1})
    assert axis(tiny, "data").exposed_s == pytest.approx(max(0.0, axis(tiny, "data").total_s - tiny.compute_s * 2 / 3))


def test_a_worse_network_never_makes_a_step_faster() -> None:
    base, _ = step(Workload(**GPT3), on(), 1024)
    found = sensitivity(Workload(**GPT3), on(), 1024)
    assert base is not None
    assert found is not None
    assert found.lost_rail is not None
    assert found.rails == 8
    assert found.more_latency.step_s > base.step_s
    assert axis(found.lost_rail, "data").total_s > axis(base, "data").total_s
    assert axis(found.lost_rail, "tensor").total_s == axis(base, "tensor").total_s


def test_scaling_at_a_fixed_batch_loses_efficiency() -> None:
    """Megatron-LM README: 175B at batch 1152 falls from 47 % MFU on few GPUs to 42 % on 4,608."""
    points = scaling(Workload(**GPT3), on(), (8, 16, 64, 100, 192))
    assert [p.nodes for p in points] == [8, 16, 64, 100, 192]
    mfu = [p.step.mfu for p in points if p.step is not None]
    assert mfu == sorted(mfu, reverse=True)
    assert points[3].step is None
    assert points[3].misfits, "100 nodes: 800 GPUs are no multiple of 64"


MISFITS = [
    ({"gpus": 2048}, "gpus", "2048"),
    ({"tensor": 7}, "tensor", "no multiple of tensor 7"),
    ({"gpus": 1000}, "gpus", "no multiple"),
    ({"global_batch": 1500}, "global_batch", "no multiple"),
    ({"pipeline": 128, "tensor": 1}, "layers", "cannot fill"),
    ({"sequence": 2047, "context": 2}, "sequence", "no multiple"),
    ({"expert": 4}, "expert", "without experts"),
    ({"experts": 8, "expert": 3, "top_k": 2, "active_parameters": 50e9}, "expert", "no multiple of expert 3"),
    ({"experts": 8}, "experts", "needs top_k and active_parameters"),
    ({"experts": 8, "top_k": 9, "active_parameters": 50e9}, "top_k", "9 of 8"),
    ({"interleave": 4, "global_batch": 1552}, "interleave", "no multiple of pipeline"),
    ({"kv_heads": 8, "heads": None}, "kv_heads", "without heads"),
]


@pytest.mark.parametrize(("change", "field", "words"), MISFITS)
def test_a_layout_that_does_not_divide_is_said_with_its_field(change: dict[str, Any], field: str, words: str) -> None:
    found, misfits = step(Workload(**{**GPT3, **change}), on(), 1024)
    assert found is None
    assert any(m.field == field and words in m.message and m.hint for m in misfits), misfits


def test_no_gpus_at_all() -> None:
    found, misfits = step(Workload(**GPT3), on(), 0)
    assert found is None
    assert [m.field for m in misfits] == ["pool"]


counts = st.integers(1, 64)


@given(
    gpus=st.integers(0, 4096), tensor=counts, pipeline=counts, context=counts, expert=counts, batch=st.integers(1, 4096),
    experts=st.one_of(st.none(), counts), layers=st.one_of(st.none(), counts), zero=st.integers(0, 3), v=st.integers(1, 4),
)  # fmt: skip
def test_any_layout_gives_a_step_or_a_reason(
    gpus: int, tensor: int, pipeline: int, context: int, expert: int, batch: int,
    experts: int | None, layers: int | None, zero: int, v: int,
) -> None:  # fmt: skip
    workload = Workload(
        name="w", parameters=7e9, active_parameters=3e9, top_k=2, layers=layers, tensor=tensor, pipeline=pipeline,
        context=context, expert=expert, experts=experts, global_batch=batch, zero=zero, interleave=v,
    )  # fmt: skip
    found, misfits = step(workload, on(), gpus)
    assert (found is None) == bool(misfits)
    if found is not None:
        assert 0 < found.mfu <= 0.6
        assert 0 <= found.exposed_share <= found.idle_share < 1


SPEC = """ibgen: 1
cluster: x
pools:
  - {{name: gpu, hosts: "n[01-16]", platform: dgx-h100, exceptions: [{{hosts: n16, state: down}}]}}
  - {{name: cpu, hosts: "c[01-02]", platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 400G}}]}}}}
fabrics: []
workloads:
  - {workload}
{requirements}
"""


def diagnostics(tmp_path: Path, workload: str, requirements: str = "") -> list[Diagnostic]:
    path = tmp_path / "x.yaml"
    path.write_text(SPEC.format(workload=workload, requirements=requirements))
    return [d for d in compiler.compile(compiler.Input(path))[1].diagnostics if d.code.id in ("IBG511", "IBG512", "IBG513")]


def test_misfit_points_at_the_field_that_says_it(tmp_path: Path) -> None:
    found = diagnostics(tmp_path, "{name: w, parameters: 7e9,\n     gpus: 128}")
    assert [d.code.id for d in found] == ["IBG511"]
    assert found[0].span.line == 9
    assert "the pool has 120 active" in found[0].message, "a host that is down trains nothing"


def test_a_pool_without_gpus_is_a_finding(tmp_path: Path) -> None:
    found = diagnostics(tmp_path, "{name: w, parameters: 7e9, pool: cpu}")
    assert [(d.code.id, d.span.line) for d in found] == [("IBG513", 8)]


def test_exposed_communication_points_at_the_line_that_asks(tmp_path: Path) -> None:
    workload = "{name: w, parameters: 20e9, tensor: 40, global_batch: 3}"
    asked = diagnostics(tmp_path, workload, "requirements: {exposed_communication: 0.02}")
    assert [(d.code.id, d.span.line) for d in asked] == [("IBG512", 9)]
    assert any(name.startswith("tensor") for name, _ in asked[0].facts)
    default = diagnostics(tmp_path, workload)
    assert [(d.code.id, d.span.line) for d in default] == [("IBG512", 8)]
    assert not diagnostics(tmp_path, workload, "requirements: {exposed_communication: 1}")
