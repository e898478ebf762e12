from __future__ import annotations

from collections.abc import Iterator

from ibgen import units
from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec


@rule("IBG503", "rails-unequal", Severity.WARNING)
def rails_unequal(spec: ClusterSpec, fabric: Fabric, simulation: Simulation) -> Iterator[Finding]:
    """Rails with different bandwidth toward the spines.

    A ring over all rails runs at the speed of the slowest one. Ports of managers on some rail leaves do not count here:
    only the uplinks are compared.
    """
    for load in simulation.tiers:
        rails = load.by_rail()
        if len(rails) < 2 or load.top or load.level:  # routers beside each other carry for all rails, whatever their own
            continue
        worst, best = min(rails, key=lambda x: x[2]), max(rails, key=lambda x: x[2])
        if worst[2] < best[2]:
            yield rails_unequal.finding(
                f"rail {worst[0]} has {units.gbps_text(worst[2])} toward the spines, rail {best[0]} {units.gbps_text(best[2])}",
                ("fabrics", load.fabric, "topology"),
                on="key",
                hint="give the leaves of every rail the same number of uplinks",
                facts={f"rail {r}": f"{units.gbps_text(down)} down, {units.gbps_text(up)} up" for r, down, up in rails},
            )
