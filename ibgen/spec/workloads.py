"""`workloads` and `requirements`: what the cluster is for, and what it is judged by."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .fields import BY_SHAPE, MAPPING, SCALAR, Count, Name, Number, Section, Switchable, doc
from .form import Form

MOST_COUNT, MOST_PARAMETERS = 10**9, 1e18
"""Far above anything that was ever trained: beyond it a figure is a slip of the finger, and times come to infinity."""

_AT_LEAST_1 = Annotated[Count, Field(ge=1, le=MOST_COUNT)]
_FRACTION = {"ge": 0, "le": 1}


class Workload(Section):
    """A transformer and how it is spread over the GPUs."""

    name: Annotated[Name, doc("The workload", "gpt-175b", "none")]
    pool: Annotated[Name | None, doc("Where it runs; the only GPU pool unless given", "gpu", "none")] = None
    parameters: Annotated[Number, doc("Model parameters", "175e9", "none", ge=1, le=MOST_PARAMETERS)]
    layers: Annotated[_AT_LEAST_1 | None, doc("Transformer layers", 96, "none")] = None
    hidden: Annotated[_AT_LEAST_1 | None, doc("Hidden size", 12288, "none")] = None
    heads: Annotated[_AT_LEAST_1 | None, doc("Attention heads", 128, "none")] = None
    kv_heads: Annotated[_AT_LEAST_1 | None, doc("Key and value heads, where fewer than the heads", 8, "none")] = None
    sequence: Annotated[_AT_LEAST_1, doc("Tokens of a sequence", 4096, "none")] = 4096
    global_batch: Annotated[_AT_LEAST_1, doc("Sequences of a step", 1152, "none")] = 1024
    micro_batch: Annotated[_AT_LEAST_1, doc("Sequences of a micro-batch", 1, "none")] = 1
    gpus: Annotated[_AT_LEAST_1 | None, doc("GPUs used; all of the pool unless given", 1016, "none")] = None
    tensor: Annotated[_AT_LEAST_1, doc("Tensor-parallel size", 8, "none")] = 1
    pipeline: Annotated[_AT_LEAST_1, doc("Pipeline-parallel size", 8, "none")] = 1
    interleave: Annotated[_AT_LEAST_1, doc("Virtual stages of a pipeline rank", 4, "none")] = 1
    expert: Annotated[_AT_LEAST_1, doc("Expert-parallel size", 1, "none")] = 1
    context: Annotated[_AT_LEAST_1, doc("Context-parallel size", 1, "none")] = 1
    experts: Annotated[_AT_LEAST_1 | None, doc("Experts of a MoE layer", 64, "none")] = None
    moe_layers: Annotated[_AT_LEAST_1 | None, doc("Layers with experts; all of them unless given", 58, "none")] = None
    active_parameters: Annotated[
        Number | None, doc("Parameters one token passes through", "37e9", "none", ge=1, le=MOST_PARAMETERS)
    ] = None
    dispatch_bytes: Annotated[
        _AT_LEAST_1 | None, doc("Bytes of an element sent to its experts, where fewer than the others", 1, "none")
    ] = None
    top_k: Annotated[_AT_LEAST_1 | None, doc("Experts a token is sent to", 2, "none")] = None
    zero: Annotated[Count, doc("ZeRO stage", 1, "none", le=3)] = 1
    bytes_per_element: Annotated[_AT_LEAST_1, doc("Bytes of an activation or gradient element", 2, "none")] = 2
    recompute: Annotated[Switchable, doc("Full activation recomputation", False, "none")] = False
    overlap: Annotated[
        dict[
            Annotated[str, Form(r"(data|tensor|pipeline|expert|context)", "data, tensor, pipeline, expert or context")],
            Annotated[Number, Field(**_FRACTION)],
        ],
        doc("Share of each axis' communication hidden behind compute", {"data": 0.9}, "none"),
    ] = Field(default_factory=dict)


Ratio = Annotated[Number, Field(ge=0.01, le=100)]
TierRatios = dict[Annotated[str, Form(r"(leaf|spine|group)", "leaf, spine or group")], Ratio]


RatioOrTiers = Annotated[Annotated[Ratio, SCALAR] | Annotated[TierRatios, MAPPING], BY_SHAPE]
Oversubscription = Annotated[Annotated[Ratio, SCALAR] | Annotated[dict[Name, RatioOrTiers], MAPPING], BY_SHAPE]


Share = Annotated[Number, Field(ge=0, le=1)]
ShareByFabric = Annotated[Annotated[Share, SCALAR] | Annotated[dict[Name, Share], MAPPING], BY_SHAPE]
Part = Annotated[str, Field(pattern=r"^(leaf|spine|cable)$")]


class Requirements(Section):
    """What the simulation is judged by. A number means everywhere."""

    pcie_match: Annotated[
        Number | None, doc("Least share of a GPU's usable PCIe rate that its adapters carry", 0.8, "none", gt=0, le=2)
    ] = 0.8
    oversubscription: Annotated[
        Oversubscription,
        doc(
            "Most down:up bandwidth, everywhere, by fabric, or by fabric and tier",
            {"compute": 1.0, "storage": {"leaf": 2.0}},
            "none",
        ),
    ] = 1.0
    exposed_communication: Annotated[
        Number | None, doc("Largest share of a training step spent waiting for the network", 0.05, "none", **_FRACTION)
    ] = 0.05
    effective_bandwidth: Annotated[
        ShareByFabric | None,
        doc(
            "Least bisection bandwidth on the routes, as a share of line rate, everywhere or by fabric",
            {"compute": 0.6},
            "none",
        ),
    ] = None
    survive: Annotated[
        dict[Part, Annotated[Count, Field(le=1)]],
        doc("Failures after which every host must still be reached: any one leaf, spine or cable", {"leaf": 1}, "none"),
    ] = Field(default_factory=dict)
