from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG405", "adaptive-without-manager", Severity.ERROR)
def adaptive_without_manager(spec: ClusterSpec) -> Iterator[Finding]:
    """Adaptive routing is asked of a manager that has none, or that is not ours to ask.

    Upstream OpenSM has no adaptive routing: it answers NVIDIA's options with one line on stdout and routes statically. A
    provider's fabric is what the provider made it; UFM has its own switch for it.

    Bad:
        fabrics:
          - name: compute
            control: {flavour: upstream, version: "3.3.23", routing: [ftree]}
            adaptive: {}
    Good:
        fabrics: [{name: compute, adaptive: {}}]
    """
    for i, fabric in enumerate(spec.fabrics):
        if fabric.adaptive is None or (fabric.control.kind == "opensm" and fabric.control.flavour == "nvidia"):
            continue
        who = "upstream OpenSM" if fabric.control.kind == "opensm" else f"`control: {fabric.control.kind}`"
        hint = "use `flavour: nvidia` with ar_updn" if fabric.control.kind == "opensm" else "take it out"
        yield adaptive_without_manager.finding(
            f"{who} takes no adaptive routing from here",
            ("fabrics", i, "adaptive"),
            on="key",
            hint=f"{hint}, or take `adaptive` out" if hint != "take it out" else hint,
        )
