"""Which service level each kind of traffic has: decided once per fabric, read by the manager, its partitions, NCCL and UCX.

Takes a fabric's `qos`, `adaptive` and partitions. Gives levels (0 to 15). Without `qos` everything is on level 0, OpenSM's own
choice. A class with the wanted `use` decides; else a class for `default` traffic; else level 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.spec import ClusterSpec, FabricSpec, Partition, TrafficClass, Use

LEVELS = 16
"""Service levels there are (InfiniBand Architecture Specification, volume 1, 7.6.5)."""


def class_of(fabric: FabricSpec, use: Use) -> TrafficClass | None:
    """The class that carries such traffic: the first of its kind, else the first for `default` traffic, else none."""
    classes = fabric.qos.classes if fabric.qos else ()
    own = next((c for c in classes if c.use == use), None)
    return own or next((c for c in classes if c.use == "default" and not _narrow(c)), None)


def _narrow(traffic: TrafficClass) -> bool:
    """Whether a class names its traffic, so that it is nobody's default."""
    return bool(traffic.pools or traffic.partitions or traffic.service_ids)


def level(fabric: FabricSpec, use: Use) -> int:
    """The service level of such traffic on the fabric."""
    found = class_of(fabric, use)
    return found.sl if found else 0


def partition_level(fabric: FabricSpec, partition: Partition) -> int:
    """The level of a partition's IPoIB: its own where it says one, then a class that names the partition, then IPoIB's."""
    if partition.ipoib is not None and partition.ipoib.sl is not None:
        return partition.ipoib.sl
    for traffic in fabric.qos.classes if fabric.qos else ():
        if partition.name in traffic.partitions:
            return traffic.sl
    return level(fabric, "ipoib")


def levels(fabric: FabricSpec, uses: tuple[Use, ...]) -> frozenset[int]:
    """The levels of several kinds of traffic; all sixteen for none."""
    return frozenset(level(fabric, use) for use in uses) if uses else frozenset(range(LEVELS))


def fabrics_of(spec: ClusterSpec, pool: str) -> Iterator[int]:
    """Rows of the fabrics that carry the pool's job traffic: those it is attached to with other than storage or management
    adapters."""
    for i, fabric in enumerate(spec.fabrics):
        if any(a.pool == pool and a.hcas not in ("storage", "management") for a in fabric.attach):
            yield i


def pool_level(spec: ClusterSpec, pool: str, use: Use) -> int:
    """The level a program on the pool's hosts is told: that of the first of its fabrics with traffic classes."""
    return next((level(spec.fabrics[i], use) for i in fabrics_of(spec, pool) if spec.fabrics[i].qos), 0)


def adaptive_levels(fabric: FabricSpec) -> frozenset[int] | None:
    """Levels that are routed adaptively, by `control.options` where they say so; None where nothing is known to be:
    upstream's manager has no adaptive routing, and somebody else's fabric is not ours to know."""
    control = fabric.control
    if control.kind != "opensm" or control.flavour != "nvidia" or control.options.get("ar_mode", "1").strip() == "0":
        return None
    asked = control.options.get("ar_sl_mask")
    if asked is not None:
        try:
            mask = int(asked.strip(), 0)
        except ValueError:
            return None  # another finding's matter
        return frozenset(i for i in range(LEVELS) if mask >> i & 1)
    return levels(fabric, fabric.adaptive.uses if fabric.adaptive else ())


def mask(wanted: frozenset[int]) -> str:
    """Levels as a mask of sixteen bits, as `ar_sl_mask` and the congestion control maps write it."""
    return f"0x{sum(1 << i for i in wanted):04x}"
