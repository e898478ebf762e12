"""Down against up bandwidth of every switch, by counting its cables: oversubscription per tier and per rail.

Takes a `Subnet`. Gives `TierLoad`s. A cable between switches of one tier (local and global ones of a dragonfly, global ones
of a dragonfly+, two leaves joined by hand) has no lower end: it counts as upward at both.
"""

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
    level_cables: npt.NDArray[np.intp]  # of the upward ones those to switches of the same tier

    @property
    def top(self) -> bool:
        """Whether nothing lies above this tier, nor beside it."""
        return not self.up_cables.any()

    @property
    def level(self) -> bool:
        """Whether all that counts as upward leads to switches of the same tier."""
        return not self.top and bool((self.up_cables == self.level_cables).all())

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
    between = np.flatnonzero(cables.kind != HOST_CABLE)
    level = between[switches.tier[cables.lower[between]] == switches.tier[cables.upper[between]]]
    below = np.ones(len(cables.kind), dtype=bool)
    below[level] = False
    ends = np.concatenate([cables.lower[between], cables.upper[level]])
    rates = np.concatenate([cables.rate_gbps[between], cables.rate_gbps[level]])
    up: npt.NDArray[np.float64] = np.bincount(ends, rates, count).astype(np.float64)
    down: npt.NDArray[np.float64] = np.bincount(cables.upper[below], cables.rate_gbps[below], count).astype(np.float64)
    down_cables, up_cables = np.bincount(cables.upper[below], minlength=count), np.bincount(ends, minlength=count)
    level_cables = np.bincount(np.concatenate([cables.lower[level], cables.upper[level]]), minlength=count)
    loads = []
    for tier in range(subnet.top + 1):
        rows = subnet.tier(tier)
        here = (down[rows], up[rows], down_cables[rows], up_cables[rows], switches.rail[rows], level_cables[rows])
        loads.append(TierLoad(subnet.name, subnet.fabric, tier, rows, *here))
    return tuple(loads)
