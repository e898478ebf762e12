"""PCIe generations, and whether a host's NICs and slots fit each other.

`slots` takes a `Platform` and the catalog and gives one `SlotMatch` per GPU or unpaired NIC. Rates in Gb/s, bus figures in GB/s
(1e9 byte/s per direction).
"""

from __future__ import annotations

from dataclasses import dataclass
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
    """What stands between a GPU and the fabric, against the NICs it feeds.

    `slot` says whose slot `gen`, `width` and `usable_gbs` describe. `gpu` is None where a NIC is judged by itself.
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


def slots(platform: Platform, catalog: Catalog) -> tuple[SlotMatch, ...]:
    """One match per GPU with documented NICs, then one per compute NIC that no GPU is paired with. Where some GPUs have NICs of
    their own, one without has a match of nothing.

    A GPU is judged by its own slot or by its NICs' slots, whichever fits worse: an NDR card in a Gen4 slot beside a Gen5 GPU is
    a slot too small, an HDR card beside it a network too small. Behind C2C only the NICs' slots exist. NICs under a PCIe switch
    that several GPUs share are divided evenly among them. Slots that nobody documents are left out.
    """
    found = [s for gpu in range(platform.gpus) if (s := _of_gpu(platform, gpu, catalog)) is not None]
    if found:
        found += [s for gpu in range(platform.gpus) if (s := _bare(platform, gpu, catalog)) is not None]
    judged = {name for s in found for name in s.hcas}
    alone = (h for h in platform.by_role("compute") if h.name not in judged)
    return (*found, *(s for h in alone if (s := _own(h.name, None, (h,), h.total_gbps, catalog)) is not None))


def _of_gpu(platform: Platform, gpu: int, catalog: Catalog) -> SlotMatch | None:
    hcas = platform.hcas_of_gpu(gpu)
    if not hcas:
        return None
    total = sum(h.total_gbps / _sharers(platform, h) for h in hcas)
    what = f"GPU {gpu}"
    both = [_own(what, gpu, hcas, total, catalog, sum(1 / _sharers(platform, h) for h in hcas) / len(hcas))]
    model = catalog.gpu(platform.gpu) if platform.gpu else None
    generation = catalog.pcie(model.pcie_gen) if model is not None and model.pcie_gen is not None else None
    if model is not None and generation is not None and not model.behind_c2c:
        names, usable = tuple(h.name for h in hcas), generation.usable_gbs(model.pcie_width)
        both.insert(0, SlotMatch(what, "gpu", gpu, names, total, generation.gen, model.pcie_width, usable, total / 8 / usable))
    return max((s for s in both if s is not None), key=lambda s: max(s.ratio, 1 / s.ratio), default=None)


def _bare(platform: Platform, gpu: int, catalog: Catalog) -> SlotMatch | None:
    """The slot of a GPU that no NIC is paired with."""
    model = catalog.gpu(platform.gpu) if platform.gpu else None
    generation = catalog.pcie(model.pcie_gen) if model is not None and model.pcie_gen is not None else None
    if platform.hcas_of_gpu(gpu) or model is None or generation is None or model.behind_c2c:
        return None
    usable = generation.usable_gbs(model.pcie_width)
    return SlotMatch(f"GPU {gpu}", "gpu", gpu, (), 0.0, generation.gen, model.pcie_width, usable, 0.0)


def _own(
    what: str, gpu: int | None, hcas: tuple[Hca, ...], total_gbps: float, catalog: Catalog, share: float = 1.0
) -> SlotMatch | None:
    """The NICs' own slots together; `share` is the part of them that one GPU has."""
    known = [(h, g) for h in hcas if h.pcie_gen is not None and (g := catalog.pcie(h.pcie_gen)) is not None]
    if len(known) < len(hcas):
        return None
    usable = sum(generation.usable_gbs(hca.pcie_width) for hca, generation in known) * share
    hca, generation = min(known, key=lambda pair: pair[1].usable_gbs(pair[0].pcie_width))
    names = tuple(h.name for h in hcas)
    ratio = total_gbps / 8 / usable
    return SlotMatch(what, "hca", gpu, names, total_gbps, generation.gen, hca.pcie_width, usable, ratio)


def _sharers(platform: Platform, hca: Hca) -> int:
    if hca.gpu is not None or hca.pcie_switch is None:
        return 1
    return max(1, platform.gpu_pcie_switch.count(hca.pcie_switch))
