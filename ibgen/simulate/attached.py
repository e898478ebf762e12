"""What a host of each pool can send at all: the compute adapters that are attached and in service, not those of its platform.

Takes host classes. Gives GB/s by pool, and who holds a pool back. A job is as fast as its slowest host.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ibgen.catalog import Platform
from ibgen.targets import Targets
from ibgen.targets.devices import HostClass

from .rates import GBS


@dataclass(frozen=True, slots=True)
class Attached:
    """GB/s of a host's adapters: `least` of the slowest class of hosts, `whole` of the platform. `slowest` are its hosts."""

    least: float
    whole: float
    adapters: int
    of: int
    slowest: tuple[str, ...]

    @property
    def part(self) -> float:
        return self.least / self.whole if self.whole else 1.0


def attached(targets: Targets) -> dict[int, Attached]:
    """By pool, where GPUs have any compute adapter on a fabric."""
    found: dict[int, Attached] = {}
    for c in targets.classes:
        if not c.platform.gpus or not c.compute or not c.hosts:
            continue
        mine = _of_class(c)
        if c.pool not in found or mine.least < found[c.pool].least:
            found[c.pool] = mine
    return found


def line_rates(found: Mapping[int, Attached]) -> dict[int, float]:
    """GB/s per host, of pools whose hosts cannot use their whole platform."""
    return {pool: a.least for pool, a in found.items() if a.part < 1 - 1e-9}


def whole(platform: Platform) -> Attached:
    """A platform with all of its adapters."""
    count = len(platform.by_role("compute"))
    return Attached(platform.compute_gbps / GBS, platform.compute_gbps / GBS, count, count, ())


def _of_class(c: HostClass) -> Attached:
    whole = c.platform.compute_gbps / GBS
    least = sum(h.rate_gbps for h, _ in c.compute) / GBS
    return Attached(min(least, whole), whole, len({h.name for h, _ in c.compute}), len(c.platform.by_role("compute")), c.hosts)
