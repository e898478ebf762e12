from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.opensm_routing import ADAPTIVE


@rule("IBG406", "adaptive-without-engine", Severity.ERROR)
def adaptive_without_engine(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """Adaptive routing is asked for, and the routing engine is a static one.

    ibdiagnet then says "AdaptiveRouting is enabled on 0 switches" (NVIDIA/nccl#883, where updn had to become ar_updn): the
    switches adapt only where an ar_ engine, or dfp, has made groups of ports for them. The same with `ar_mode 0`.

    Bad:
        fabrics: [{name: compute, control: {routing: [updn]}, adaptive: {}}]
    Good:
        fabrics: [{name: compute, control: {routing: [ar_updn]}, adaptive: {}}]
    """
    for manager in targets.opensm:
        fabric = spec.fabrics[manager.fabric]
        if fabric.adaptive is None or manager.flavour != "nvidia":
            continue
        if fabric.control.options.get("ar_mode", "1").strip() == "0":
            at = ("fabrics", manager.fabric, "control", "options", "ar_mode")
            yield adaptive_without_engine.finding("`ar_mode` 0 switches adaptive routing off", at, hint="take it out")
        if manager.engines[0] not in ADAPTIVE:
            yield adaptive_without_engine.finding(
                f"`{manager.engines[0]}` routes statically",
                ("fabrics", manager.fabric, "control", "routing", 0),
                hint=f"use ar_{manager.engines[0]}" if f"ar_{manager.engines[0]}" in ADAPTIVE else "use ar_updn",
            )
