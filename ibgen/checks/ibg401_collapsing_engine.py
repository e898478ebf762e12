from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG401", "collapsing-engine", Severity.WARNING)
def collapsing_engine(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """minhop or updn on a regular three-tier tree.

    Both count port loads greedily in LID order, so that every spine picks the same core for the far leaves: most
    upper cables stay idle. `ftree` is even there (measured with OpenSM 3.3.23 on 1,296 and 3,456 hosts).

    Bad:
        fabrics: [{name: compute, control: {routing: [updn]}, topology: {tiers: 3, spine: {count: ~}}}]
    Good:
        fabrics: [{name: compute, control: {routing: [ftree]}, topology: {tiers: 3, spine: {count: ~}}}]
    """
    for subnet in fabric.subnets:
        routing = spec.fabrics[subnet.fabric].control.routing
        if subnet.top == 2 and routing and routing[0] in ("minhop", "updn") and subnet.plane == 1:
            yield collapsing_engine.finding(
                f"`{routing[0]}` leaves most upper cables of a three-tier tree idle",
                ("fabrics", subnet.fabric, "control", "routing", 0),
                hint="use ftree, or ar_updn with NVIDIA's manager",
            )
