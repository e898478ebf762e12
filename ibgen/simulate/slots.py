"""The first step of the chain: a GPU's network adapters against its usable PCIe rate."""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.catalog import Catalog
from ibgen.catalog.pcie import SlotMatch, slots
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@dataclass(frozen=True, slots=True)
class PoolSlots:
    """What the slots of one pool's platform give. `matches`: per GPU, or per adapter where the GPU sits behind C2C."""

    pool: int  # row of `spec.pools`
    name: str
    matches: tuple[SlotMatch, ...]

    @property
    def worst(self) -> SlotMatch | None:
        """The slot whose ratio of adapter rate to usable PCIe rate is farthest from one."""
        return max(self.matches, key=lambda m: max(m.ratio, 1 / m.ratio if m.ratio else float("inf")), default=None)

    @property
    def usable_gbs(self) -> float:
        """Usable PCIe rate of all slots of a host, GB/s (width x NCCL's table / 80, not raw)."""
        return sum(m.usable_gbs for m in self.matches)


def pool_slots(spec: ClusterSpec, fabric: Fabric, catalog: Catalog) -> tuple[PoolSlots, ...]:
    """One entry per pool whose platform has GPUs, in the order of the spec."""
    pools = [(p, platform) for p, platform in enumerate(fabric.hosts.platforms) if platform.gpus]
    return tuple(PoolSlots(p, spec.pools[p].name, slots(platform, catalog)) for p, platform in pools)
