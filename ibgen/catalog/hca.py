"""Network adapters by model: the most a card can do, whatever host it sits in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fact import Fact, Gbps, Maybe


class HcaModel(Fact):
    """An adapter. `rate_gbps` is the most one port carries; `planes` counts the physical links behind one port."""

    vendor: str
    link: Literal["infiniband", "ethernet", "efa", "gvnic"] = "infiniband"
    rate_gbps: Gbps
    ports: int = Field(default=1, ge=1, le=16)
    pcie_gen: Annotated[int | None, Maybe] = Field(default=None, ge=1, le=7)
    pcie_width: int = Field(default=16, ge=1, le=32)
    planes: int = Field(default=1, ge=1, le=8)
