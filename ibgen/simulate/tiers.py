"""Down against up bandwidth of every switch, by counting its cables: oversubscription per tier and per rail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.fabric import HOST_CABLE, Subnet


@dataclass(frozen=True, slots=True)
class TierLoad:
    """One tier of one subnet. Arrays have one entry per switch of the tier, in the order of `rows`; rates in Gb/s."""

    subnet: str
    fabric: int  # row of `spec.fabrics`
    tier: int
    rows: npt.NDArray[np.intp]  # rows of Switches
    down_gbps: npt.NDArray[np.float64]
    up_gbps: npt.NDArray[np.float64]
    down_cables: npt.NDArray[np.intp]
    up_cables: npt.NDArray[np.intp]
    rail: npt.NDArray[np.int32]  # -1 where a switch serves no single rail

    @property
    def top(self) -> bool:
        """Whether nothing lies above this tier."""
        return not self.up_cables.any()

    @property
    def ratio(self) -> npt.NDArray[np.float64]:
        """Down over up bandwidth per switch; infinite where a switch with hosts has no uplink, 0 where nothing hangs on it."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.down_gbps == 0, 0.0, self.down_gbps / self.up_gbps)

    @property
    def worst(self) -> float:
        """The largest oversubscription of the tier; 0 for the top tier."""
        return 0.0 if self.top else float(self.ratio.max(initial=0.0))

    def by_rail(self) -> tuple[tuple[int, float, float], ...]:
        """(rail, down, up) in Gb/s of all its switches together, for tiers whose switches serve one rail each."""
        rails = np.unique(self.rail[self.rail >= 0]).tolist()
        return tuple((r, float(self.down_gbps[self.rail == r].sum()), float(self.up_gbps[self.rail == r].sum())) for r in rails)


def tier_loads(subnet: Subnet) -> tuple[TierLoad, ...]:
    """The tiers of a subnet, leaves first."""
    cables, switches = subnet.cables, subnet.switches
    count = len(switches.names)
    down: npt.NDArray[np.float64] = np.bincount(cables.upper, cables.rate_gbps, count).astype(np.float64)
    down_cables = np.bincount(cables.upper, minlength=count)
    between = cables.kind != HOST_CABLE
    up: npt.NDArray[np.float64] = np.bincount(cables.lower[between], cables.rate_gbps[between], count).astype(np.float64)
    up_cables = np.bincount(cables.lower[between], minlength=count)
    loads = []
    for tier in range(subnet.top + 1):
        rows = subnet.tier(tier)
        cables_here = (down_cables[rows], up_cables[rows])
        loads.append(TierLoad(subnet.name, subnet.fabric, tier, rows, down[rows], up[rows], *cables_here, switches.rail[rows]))
    return tuple(loads)
