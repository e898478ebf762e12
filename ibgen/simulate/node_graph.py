"""How a host looks to NCCL: what lies between its GPUs and its adapters, and the channels its graph search finds there.

Takes a `Platform` and the catalog. Gives `HostShape` (rates, GB/s) and, by `search`, `NodeGraph`: channels and their rates for
rings, trees and NVLink SHARP. The search is written out as the bounds that NCCL's exhaustive one (src/graph/search.cc) runs
into; it gives NCCL's own results for the hosts in tests/simulate, and knows no bridges and no partial NVLink meshes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ibgen.catalog import Catalog, Platform
from ibgen.catalog.tuning import TuningTable, tuning_table

PathType = Literal["PIX", "PHB", "SYS"]
Cpu = Literal["intel", "amd", "other"]

INTEL_P2P = 1.2
"""A path through an Intel root complex costs this much of the links' rate (INTEL_P2P_OVERHEAD, src/graph/topo.h)."""

BETWEEN_SOCKETS_GBS = {"intel": 10.0, "amd": 16.0, "other": 6.0}
"""Rate of a path between sockets; Skylake's figure for Intel, the slowest (src/graph/topo.h)."""

MOST_CHANNELS = 32
"""Channels one search may find: half of 64, since each may be doubled (MAXCHANNELS, src/include/device.h)."""


@dataclass(frozen=True, slots=True)
class HostShape:
    """The GPUs that share NVLink, and their way to the network. Rates in GB/s, one direction.

    A `unit` is what a channel enters and leaves by: one adapter, or several where they serve one GPU. `link_gbs` is a unit's
    line rate, `nic_gbs` what the slots let through. `nvlink_gbs`: one GPU's NVLink (or its PCIe slot, where `nvlink` is false).
    """

    gpus: int
    hosts: int  # hosts of the NVLink domain
    units: int
    link_gbs: float
    nic_gbs: float
    nvlink_gbs: float
    nvlink: bool
    nvswitch: bool
    path: PathType  # the worst of the GPUs' nearest adapters
    paths: tuple[PathType, ...]  # per GPU of one host
    shared: bool  # whether two GPUs are equally near to one adapter
    cpu: Cpu
    c2c: bool
    gdr: bool
    sm: int

    @property
    def line_gbs(self) -> float:
        """What the adapters of the shape carry on the wire."""
        return self.units * self.link_gbs

    def part(self, ranks: int) -> HostShape:
        """The same host as a group sees it that has only `ranks` of the GPUs, the others having their part of the adapters."""
        if ranks >= self.gpus:
            return self
        whole = self.units * ranks / self.gpus
        units = max(1, int(whole))
        return replace(
            self,
            gpus=ranks, units=units, link_gbs=self.link_gbs * whole / units, nic_gbs=self.nic_gbs * whole / units,
            nvswitch=self.nvswitch and ranks > 1, shared=self.shared and ranks > 1,
        )  # fmt: skip

    def without_rail(self) -> HostShape | None:
        """With one adapter of every host lost: its GPU's traffic leaves by the others. None where a host has no other."""
        return replace(self, units=self.units - self.hosts) if self.units > self.hosts else None


@dataclass(frozen=True, slots=True)
class Channels:
    """What a search found: `count` channels of `intra_gbs` inside the host and `inter_gbs` between hosts, GB/s each."""

    count: int
    intra_gbs: float
    inter_gbs: float


@dataclass(frozen=True, slots=True)
class NodeGraph:
    """The channels per algorithm. `nvls` is None without NVLink SHARP; `simple_tree`: all its traffic passes one GPU."""

    shape: HostShape
    table: TuningTable
    ring: Channels
    tree: Channels
    nvls: Channels | None
    simple_tree: bool


def host_shape(platform: Platform, catalog: Catalog, version: str, *, gdr: bool = True) -> HostShape | None:
    """None for a host without GPUs, or with a GPU the catalog lacks. `gdr` false: adapters cannot read GPU memory."""
    model = catalog.gpu(platform.gpu) if platform.gpu else None
    if not platform.gpus or model is None:
        return None
    sm = model.sm or 0
    table = tuning_table(catalog, sm, version)
    hcas = platform.by_role("compute")
    slot = catalog.pcie(model.pcie_gen) if model.pcie_gen and not model.behind_c2c else None
    slot_gbs = slot.usable_gbs(model.pcie_width) if slot else float("inf")
    nvlink = bool(model.nvlink_links or model.xgmi_gbs_bidir)
    links = model.nvlink_links * table.nvlink_link_gbs if model.nvlink_links else (model.xgmi_gbs_bidir or 0) / 2
    paths = tuple(_path(platform, g) for g in range(platform.gpus))
    path: PathType = max(paths, key=("PIX", "PHB", "SYS").index) if gdr or model.behind_c2c else "PHB"
    cpu = _cpu(platform.cpu.model)
    units, link, usable = _units(platform, catalog, slot_gbs)
    nvswitch = bool(model.nvlink_links) and (platform.gpus > 4 or platform.nvlink_domain_hosts > 1)
    return HostShape(
        gpus=platform.gpus, hosts=1, units=units if hcas else 0, link_gbs=link, nic_gbs=usable,
        nvlink_gbs=links if nvlink else min(slot_gbs, 1e6), nvlink=nvlink, nvswitch=nvswitch, path=path, paths=paths,
        shared=units < platform.gpus or _same_switch(platform), cpu=cpu, c2c=model.behind_c2c, gdr=gdr, sm=sm,
    )  # fmt: skip


def domain_shape(shape: HostShape, hosts: int) -> HostShape:
    """`hosts` hosts of one NVLink domain taken together."""
    if hosts <= 1:
        return shape
    return replace(shape, gpus=shape.gpus * hosts, units=shape.units * hosts, hosts=hosts, nvswitch=True)


def _cpu(model: str) -> Cpu:
    word = model.lower()
    return "intel" if "xeon" in word or "intel" in word else "amd" if "epyc" in word or "amd" in word else "other"


def _same_switch(platform: Platform) -> bool:
    groups = platform.gpu_pcie_switch
    return any(groups.count(g) > 1 for g in groups)


def _path(platform: Platform, gpu: int) -> PathType:
    """PIX where a document pairs them, or says nothing at all of where they sit; PHB on one NUMA node; else SYS."""
    hcas = platform.by_role("compute")
    if platform.hcas_of_gpu(gpu):
        return "PIX"
    numas = {h.numa for h in hcas} - {None}
    if not numas or gpu >= len(platform.gpu_numa):
        return "PIX"
    return "PHB" if platform.gpu_numa[gpu] in numas else "SYS"


def _units(platform: Platform, catalog: Catalog, slot_gbs: float) -> tuple[int, float, float]:
    """(units, line rate of one, usable rate of one): adapters beyond one per GPU are bundled, as NCCL and its plugins do."""
    hcas = platform.by_role("compute")
    if not hcas:
        return 1, 0.0, 0.0
    slots = [catalog.pcie(h.pcie_gen) for h in hcas if h.pcie_gen is not None]
    lanes = [h.pcie_width for h in hcas if h.pcie_gen is not None]
    own = min((s.usable_gbs(w) for s, w in zip(slots, lanes, strict=True) if s is not None), default=float("inf"))
    rate = min(h.total_gbps for h in hcas) / 8
    bundle = len(hcas) // platform.gpus if len(hcas) > platform.gpus and len(hcas) % platform.gpus == 0 else 1
    return len(hcas) // bundle, rate * bundle, min(min(rate, own) * bundle, slot_gbs)


def search(shape: HostShape, table: TuningTable, *, cross_nic: bool = True) -> NodeGraph:
    """Channels between hosts. `cross_nic` false: a ring must come back to the adapter it left by (NCCL_CROSS_NIC=0)."""
    reach = _reach(shape)
    units = max(1, min(shape.units, MOST_CHANNELS))
    reach *= max(1, shape.units) / units
    hops = shape.gpus - 1 + (1 if not cross_nic and not shape.shared and shape.gpus > 1 else 0)
    share = units * hops / shape.gpus  # how often one channel rate passes a GPU's NVLink
    speed = _fastest(table.speeds_inter, reach, shape.nvlink_gbs / share if share else float("inf"))
    ring = _doubled(Channels(units, speed, speed), shape.sm)
    tree = _raised(ring, table, shape)
    simple = shape.sm >= 90 and not shape.shared
    return NodeGraph(shape, table, ring, tree, _nvls(shape, table, units, speed, reach), simple)


def search_inside(shape: HostShape, table: TuningTable) -> NodeGraph:
    """Channels of one host, or of one NVLink domain, alone."""
    best = Channels(1, min(shape.nvlink_gbs, table.speeds_intra[-1]), 0.0)
    for speed in table.speeds_intra:
        count = min(MOST_CHANNELS, int(shape.nvlink_gbs // speed))
        if count * speed > best.count * best.intra_gbs:
            best = Channels(count, speed, speed)
    nvls = None
    if shape.nvswitch and table.nvls_efficiency and shape.gpus > 1:
        count = min(MOST_CHANNELS, shape.gpus)
        nvls = Channels(count, _fastest(table.speeds_intra, shape.nvlink_gbs / (count + 1)), 0.0)
    return NodeGraph(shape, table, best, best, nvls, False)


def _reach(shape: HostShape) -> float:
    """GB/s a channel can get through one unit."""
    cost = INTEL_P2P if shape.cpu == "intel" and not shape.c2c and shape.path != "PIX" else 1.0
    rate = shape.nic_gbs
    if shape.path == "SYS":
        rate = min(rate, BETWEEN_SOCKETS_GBS[shape.cpu])
    if not shape.gdr and not shape.c2c:
        rate /= 2  # through host memory the slot's uplink carries everything twice
    return rate / cost


def _fastest(speeds: tuple[float, ...], *bounds: float) -> float:
    return next((s for s in speeds if s <= min(bounds) + 1e-6), min(speeds[-1], *bounds))


def _doubled(found: Channels, sm: int) -> Channels:
    """ncclTopoDupChannels: few fast channels become twice as many of half the rate."""
    if found.intra_gbs < 25 or (sm > 80 and found.intra_gbs < 50 and found.count > 4) or 2 * found.count > MOST_CHANNELS:
        return found
    return Channels(2 * found.count, found.intra_gbs / 2, found.inter_gbs / 2)


def _raised(ring: Channels, table: TuningTable, shape: HostShape) -> Channels:
    """A tree does not come back, so its rate inside the host is raised until it is twice that of the network."""
    intra = ring.intra_gbs
    most = shape.nvlink_gbs * shape.gpus / (ring.count * max(1, shape.gpus - 1))
    for speed in reversed(table.speeds_inter):
        if intra < speed <= most + 1e-6 and intra < 2 * ring.inter_gbs:
            intra = speed
    return Channels(ring.count, intra, ring.inter_gbs)


def _nvls(shape: HostShape, table: TuningTable, units: int, speed: float, reach: float) -> Channels | None:
    """The head of a channel carries it twice, so NVLink bears one rate more than there are channels."""
    if not (shape.nvswitch and table.nvls_efficiency and shape.gpus > 1):
        return None
    intra = _fastest(table.speeds_inter, speed, shape.nvlink_gbs / (units + 1))
    return Channels(units, intra, max(intra, _fastest(table.speeds_inter, reach, 2 * intra)))
