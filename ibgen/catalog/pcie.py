"""PCIe generations, and whether a host's NICs and slots fit each other.

`slots` takes a `Platform` and the catalog and gives one `SlotMatch` per documented slot. Rates in Gb/s, bus figures in GB/s
(1e9 byte/s per direction).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from .fact import Fact
from .platform import Hca, Platform

if TYPE_CHECKING:
    from .catalog import Catalog


class PcieGen(Fact):
    """One generation. `raw_x16_gbs` after line coding; `table` is NCCL's speed entry for one lane (src/graph/topo.cc)."""

    gen: int = Field(ge=1, le=7)
    raw_x16_gbs: float = Field(gt=0)
    table: int = Field(gt=0)

    def usable_gbs(self, width: int = 16) -> float:
        """What NCCL counts as usable: width x table / 80. 12, 24, 48, 96 GB/s for x16 of Gen3 to Gen6."""
        return width * self.table / 80

    def match(self, total_gbps: float, width: int = 16) -> float:
        """NIC rate over usable slot rate. 1.04 is one NIC of the matching generation; below 0.8 the network is too small
        for the slot, above 1.1 the slot is too small for the NIC."""
        return total_gbps / 8 / self.usable_gbs(width)


@dataclass(frozen=True, slots=True)
class SlotMatch:
    """One slot against the NICs it feeds.

    `slot` says whose slot it is. `lower_bound`: whether a small ratio means anything; a NIC slower than its own slot is no
    fault where the slot of its GPU is judged as well.
    """

    what: str
    slot: Literal["gpu", "hca"]
    gpu: int | None
    hcas: tuple[str, ...]
    total_gbps: float
    gen: int
    width: int
    usable_gbs: float
    ratio: float
    lower_bound: bool = True


def slots(platform: Platform, catalog: Catalog) -> tuple[SlotMatch, ...]:
    """Every GPU slot with its compute NICs, then every compute NIC's own slot. Slots nobody documents are left out.

    NICs under a PCIe switch that several GPUs share are divided evenly among them. GPUs behind C2C have no slot that NIC
    traffic crosses, so only the NICs' own slots are judged.
    """
    by_gpu = _gpu_slots(platform, catalog)
    judged = {name for s in by_gpu for name in s.hcas}
    own: list[SlotMatch] = []
    for hca in platform.by_role("compute"):
        generation = catalog.pcie(hca.pcie_gen) if hca.pcie_gen is not None else None
        if generation is not None:
            match = _slot("hca", hca.name, hca.gpu, (hca,), hca.total_gbps, generation, hca.pcie_width)
            own.append(replace(match, lower_bound=hca.name not in judged))
    return (*by_gpu, *own)


def _gpu_slots(platform: Platform, catalog: Catalog) -> tuple[SlotMatch, ...]:
    model = catalog.gpu(platform.gpu) if platform.gpu else None
    if model is None or model.behind_c2c or model.pcie_gen is None:
        return ()
    generation = catalog.pcie(model.pcie_gen)
    if generation is None:
        return ()
    found: list[SlotMatch] = []
    for gpu in range(platform.gpus):
        hcas = platform.hcas_of_gpu(gpu)
        if hcas:
            total = sum(h.total_gbps / _sharers(platform, h) for h in hcas)
            found.append(_slot("gpu", f"GPU {gpu}", gpu, hcas, total, generation, model.pcie_width))
    return tuple(found)


def _sharers(platform: Platform, hca: Hca) -> int:
    if hca.gpu is not None or hca.pcie_switch is None:
        return 1
    return max(1, platform.gpu_pcie_switch.count(hca.pcie_switch))


def _slot(
    slot: Literal["gpu", "hca"], what: str, gpu: int | None, hcas: tuple[Hca, ...], gbps: float, generation: PcieGen, width: int
) -> SlotMatch:
    names = tuple(h.name for h in hcas)
    usable, ratio = generation.usable_gbs(width), generation.match(gbps, width)
    return SlotMatch(what, slot, gpu, names, gbps, generation.gen, width, usable, ratio)
