from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets.service_levels import adaptive_levels, fabrics_of, level


@rule("IBG602", "nccl-adaptive-routing", Severity.WARNING)
def nccl_adaptive_routing(spec: ClusterSpec) -> Iterator[Finding]:
    """NCCL and the fabric do not agree on adaptive routing.

    Adaptive routing is a matter of the service level (NVIDIA/nccl-tests#199): packets on a level that the manager's mask leaves
    out take one path. NCCL_IB_ADAPTIVE_ROUTING=1 without it costs a message more for each large send and wins nothing; =0 on
    adaptive levels sends data and notification as one message, which the adapters keep in order and so on one path.

    Bad:
        fabrics:
          - name: compute
            qos: {classes: [{name: nccl, use: nccl, sl: 1}, {name: storage, use: storage, sl: 2}]}
            adaptive: {uses: [storage]}
        nccl: {pools: {gpu: {settings: {NCCL_IB_ADAPTIVE_ROUTING: {value: 1, reason: "as NVIDIA advises"}}}}}
    Good:
        fabrics:
          - name: compute
            qos: {classes: [{name: nccl, use: nccl, sl: 1}, {name: storage, use: storage, sl: 2}]}
            adaptive: {uses: [nccl]}
    """
    for name, pool in spec.nccl.pools.items() if spec.nccl else ():
        setting = pool.settings.get("NCCL_IB_ADAPTIVE_ROUTING")
        at = ("nccl", "pools", name, "settings", "NCCL_IB_ADAPTIVE_ROUTING", "value")
        for i in fabrics_of(spec, name) if setting is not None else ():
            fabric = spec.fabrics[i]
            if fabric.control.kind != "opensm":
                continue
            covered, own = adaptive_levels(fabric), level(fabric, "nccl")
            adaptive = covered is not None and own in covered
            if setting is not None and setting.value.strip() == "1" and not adaptive:
                message = f"`{fabric.name}` does not route service level {own} adaptively"
                yield nccl_adaptive_routing.finding(message, at, hint="name `nccl` under `adaptive.uses`, or take it out")
            if setting is not None and setting.value.strip() == "0" and adaptive and fabric.adaptive is not None:
                message = f"`{fabric.name}` routes service level {own} adaptively, as the spec asks"
                yield nccl_adaptive_routing.finding(message, at, hint="take it out")
