from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec

SPREAD = 1.05
"""Rails may differ by the odd reserved port of a leaf (31 of 32 hosts is 1.03); more is a design fault."""


@rule("IBG503", "rails-unequal", Severity.WARNING)
def rails_unequal(spec: ClusterSpec, simulation: Simulation) -> Iterator[Finding]:
    """Rails with different bandwidth toward the spines.

    A ring over all rails runs at the speed of the slowest one.
    """
    for load in simulation.tiers:
        rails = [(r, ratio) for r, ratio in load.by_rail() if ratio]
        if len(rails) < 2 or load.top:
            continue
        (best, low), (worst, high) = min(rails, key=lambda x: x[1]), max(rails, key=lambda x: x[1])
        if high > low * SPREAD:
            yield rails_unequal.finding(
                f"rail {worst} carries {high:.2f}:1, rail {best} {low:.2f}:1",
                ("fabrics", load.fabric, "topology"),
                on="key",
                hint="give the leaves of every rail the same number of uplinks",
                facts={f"rail {r}": round(ratio, 4) for r, ratio in rails},
            )
