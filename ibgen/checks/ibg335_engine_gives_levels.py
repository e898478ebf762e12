from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.opensm_routing import LEVELLED


@rule("IBG335", "engine-gives-levels", Severity.ERROR)
def engine_gives_levels(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """Traffic classes on a fabric whose routing engine needs the service levels itself.

    dfsssp, lash, torus-2QoS and nue with several lanes give every path the service level that keeps it free of deadlocks. A
    program that takes the level of its class instead (NCCL_IB_SL) leaves that order, and the fabric can lock up.

    Bad:
        fabrics:
          - name: compute
            control: {routing: [dfsssp]}
            qos: {classes: [{name: nccl, use: nccl, sl: 1}]}
    Good:
        fabrics: [{name: compute, qos: {classes: [{name: nccl, use: nccl, sl: 1}]}}]
    """
    for manager in targets.opensm:
        options = {o.name: o.value for o in manager.options}
        several = options.get("nue_max_num_vls", "1") not in ("1", "0x1")
        laned = next((e for e in manager.engines if e in LEVELLED or (e == "nue" and several)), None)
        if laned and manager.qos is not None:
            yield engine_gives_levels.finding(
                f"`{laned}` decides the service level of every path",
                ("fabrics", manager.fabric, "qos"),
                on="key",
                labels=[Label(("fabrics", manager.fabric, "control", "routing"), "routed by lanes")],
                hint="take the classes out, or use an engine without lanes (ftree, updn)",
            )
