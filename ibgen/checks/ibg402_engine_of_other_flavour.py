from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec

NVIDIA_ONLY = frozenset({"ar_updn", "ar_ftree", "ar_dor", "dfp", "dfp2"})
"""Engines of NVIDIA's manager; upstream 3.3.23 logs `cannot find or setup routing engine` and falls to minhop."""


@rule("IBG402", "engine-of-other-flavour", Severity.ERROR)
def engine_of_other_flavour(spec: ClusterSpec) -> Iterator[Finding]:
    """A routing engine that the chosen OpenSM does not have.

    Upstream OpenSM answers `ar_updn` with one line in its log and routes with minhop instead (NVIDIA/nccl#883).

    Bad:
        fabrics: [{name: compute, control: {flavour: upstream, version: "3.3.23", routing: [ar_updn]}}]
    Good:
        fabrics: [{name: compute, control: {flavour: nvidia, routing: [ar_updn]}}]
    """
    for i, fabric in enumerate(spec.fabrics):
        if fabric.control.kind != "opensm" or fabric.control.flavour != "upstream":
            continue
        for n, engine in enumerate(fabric.control.routing):
            if engine in NVIDIA_ONLY:
                yield engine_of_other_flavour.finding(
                    f"upstream OpenSM has no `{engine}`",
                    ("fabrics", i, "control", "routing", n),
                    hint="use ftree or updn, or `flavour: nvidia`",
                )
