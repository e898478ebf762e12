"""How a workload lies on the GPUs: sizes of the parallel axes, micro-batches, what each GPU holds; or why it does not fit.

Takes a `Workload` of the spec and what the pool has. Gives a `Layout`, or `Misfit`s, each naming the field that is at fault.
Ranks are placed tensor first, then context, data and pipeline, as Megatron does; expert groups lie within context and data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ibgen.spec import Workload

WIDTH_PER_LAYER = 128
"""Hidden size over layers where the spec gives neither: GPT-3 (12288/96) and Llama 3 405B (16384/126) have 128 and 130."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a workload cannot run as written. `field` is the key of the workload that says so."""

    field: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A workload placed. Dense and expert parameters per GPU are apart; `assumed_shape`: layers or hidden size are a guess."""

    gpus: int
    tensor: int
    context: int
    data: int
    pipeline: int
    expert: int
    interleave: int
    micro_batches: int
    layers: float  # per pipeline rank
    moe_layers: float  # per pipeline rank
    hidden: int
    kv_hidden: float
    active_parameters: float  # that one token passes through
    dense_per_gpu: float
    expert_per_gpu: float
    assumed_shape: bool


def place(workload: Workload, available: int) -> tuple[Layout | None, tuple[Misfit, ...]]:
    """On `available` GPUs: all of them unless the workload says how many."""
    gpus = workload.gpus or available
    problems = tuple(_problems(workload, gpus, available))
    if problems:
        return None, problems
    w, model = workload, workload.tensor * workload.pipeline * workload.context
    data = gpus // model
    layers, hidden, assumed = _shape(w)
    moe = (w.moe_layers or layers) if w.experts else 0
    dense, experts = _parameters(w)
    return Layout(
        gpus=gpus, tensor=w.tensor, context=w.context, data=data, pipeline=w.pipeline, expert=w.expert,
        interleave=w.interleave, micro_batches=w.global_batch // (data * w.micro_batch), layers=layers / w.pipeline,
        moe_layers=moe / w.pipeline, hidden=hidden,
        kv_hidden=hidden * (w.kv_heads / w.heads if w.kv_heads and w.heads else 1.0),
        active_parameters=w.active_parameters or w.parameters, dense_per_gpu=dense / (w.tensor * w.pipeline),
        expert_per_gpu=experts / (w.tensor * w.pipeline * w.expert), assumed_shape=assumed,
    ), ()  # fmt: skip


def _shape(w: Workload) -> tuple[float, int, bool]:
    """(layers, hidden size, whether one of them is a guess): parameters = 12 x layers x hidden^2."""
    if w.layers and w.hidden:
        return w.layers, w.hidden, False
    if w.layers:
        return w.layers, max(1, round((w.parameters / (12 * w.layers)) ** 0.5)), True
    if w.hidden:
        return max(1, round(w.parameters / (12 * w.hidden**2))), w.hidden, True
    layers = max(1, round((w.parameters / (12 * WIDTH_PER_LAYER**2)) ** (1 / 3)))
    return layers, layers * WIDTH_PER_LAYER, True


def _parameters(w: Workload) -> tuple[float, float]:
    """(dense, expert) parameters: active = dense + expert x top_k / experts."""
    if not w.experts or not w.top_k or not w.active_parameters or w.top_k >= w.experts:
        return w.parameters, 0.0
    experts = min(w.parameters, (w.parameters - w.active_parameters) / (1 - w.top_k / w.experts))
    return w.parameters - experts, experts


def _problems(w: Workload, gpus: int, available: int) -> Iterator[Misfit]:
    if not available:
        yield Misfit("pool", "there is no active GPU to run on", "name a pool whose hosts have GPUs")
        return
    if gpus > available:
        yield Misfit("gpus", f"it asks for {gpus} GPUs, the pool has {available} active ones", f"gpus: {available}")
    model = w.tensor * w.pipeline * w.context
    if gpus % model:
        name = "gpus" if w.gpus else "tensor"
        parts = f"tensor {w.tensor} x pipeline {w.pipeline} x context {w.context} = {model}"
        lower = gpus // model * model
        hint = f"gpus: {lower}" if lower else f"{model} GPUs are the least for this layout"
        yield Misfit(name, f"{gpus} GPUs are no multiple of {parts}", hint)
    else:
        yield from _batch(w, gpus // model)
    yield from _model(w)
    yield from _experts(w, gpus // model * w.context if gpus >= model else 0)


def _batch(w: Workload, data: int) -> Iterator[Misfit]:
    step = data * w.micro_batch
    if w.global_batch % step:
        parts = f"{data} replicas x micro-batch {w.micro_batch} = {step}"
        near = max(1, round(w.global_batch / step)) * step
        yield Misfit("global_batch", f"a batch of {w.global_batch} is no multiple of {parts}", f"global_batch: {near}")
    elif w.interleave > 1 and (w.global_batch // step) % w.pipeline:
        count = w.global_batch // step
        message = f"{count} micro-batches are no multiple of pipeline {w.pipeline}, which interleaving needs"
        yield Misfit("interleave", message, f"a batch that is a multiple of {step * w.pipeline}, or interleave: 1")


def _model(w: Workload) -> Iterator[Misfit]:
    stages = w.pipeline * w.interleave
    if w.layers and w.layers % stages and w.layers < stages:
        yield Misfit("layers", f"{w.layers} layers cannot fill {stages} pipeline stages", f"pipeline: {w.layers} or less")
    if w.interleave > 1 and w.pipeline == 1:
        yield Misfit("interleave", "interleaving needs a pipeline", "interleave: 1")
    for name, value in (("hidden", w.hidden), ("heads", w.heads)):
        if value and value % w.tensor:
            yield Misfit(name, f"{name} {value} is no multiple of tensor {w.tensor}", f"tensor: a divisor of {value}")
    if w.sequence % w.context:
        yield Misfit("sequence", f"{w.sequence} tokens are no multiple of context {w.context}", "context: a divisor of it")
    if w.kv_heads and not w.heads:
        yield Misfit("kv_heads", "kv_heads says nothing without heads", "heads: 128")
    if w.kv_heads and w.heads and w.kv_heads > w.heads:
        yield Misfit("kv_heads", f"{w.kv_heads} key heads for {w.heads} heads", f"kv_heads: {w.heads} or less")


def _experts(w: Workload, replicas: int) -> Iterator[Misfit]:
    if not w.experts:
        if w.expert > 1:
            yield Misfit("expert", f"expert {w.expert} without experts", "experts: 64, top_k: 2, active_parameters: ...")
        return
    if w.experts % w.expert:
        yield Misfit("expert", f"{w.experts} experts are no multiple of expert {w.expert}", "expert: a divisor of experts")
    if replicas and replicas % w.expert:
        message = f"data x context = {replicas} is no multiple of expert {w.expert}"
        yield Misfit("expert", message, f"expert: a divisor of {replicas}")
    if not w.top_k or not w.active_parameters:
        missing = " and ".join(n for n, v in (("top_k", w.top_k), ("active_parameters", w.active_parameters)) if not v)
        yield Misfit("experts", f"a model with experts needs {missing}", "top_k: 8, active_parameters: 37e9")
        return
    if w.top_k > w.experts:
        yield Misfit("top_k", f"a token cannot go to {w.top_k} of {w.experts} experts", f"top_k: {w.experts} or less")
    if w.active_parameters > w.parameters:
        yield Misfit("active_parameters", "more parameters are active than there are", f"at most {w.parameters:g}")
    if w.layers and w.moe_layers and w.moe_layers > w.layers:
        yield Misfit("moe_layers", f"{w.moe_layers} layers with experts of {w.layers}", f"moe_layers: {w.layers} or less")
