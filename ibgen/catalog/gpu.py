"""GPUs and network adapters by model: what the chip can do, whatever host it sits in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .fact import Amount, Fact, Maybe


class GpuModel(Fact):
    """A GPU. Bandwidths are GB/s (1e9 byte/s), `*_bidir` both directions together; FLOPS are dense bf16, in 1e12 per second."""

    memory_gb: Amount
    nvlink_gbs_bidir: Annotated[Amount | None, Maybe] = None
    nvlink_links: Annotated[int | None, Maybe] = Field(default=None, ge=1)
    xgmi_gbs_bidir: Annotated[Amount | None, Maybe] = None
    c2c_gbs_bidir: Annotated[Amount | None, Maybe] = None
    pcie_gen: Annotated[int | None, Maybe] = Field(default=None, ge=1, le=7)
    pcie_width: int = Field(default=16, ge=1, le=32)
    bf16_dense_tflops: Annotated[Amount | None, Maybe] = None
    sm: Annotated[int | None, Maybe] = None
    tdp_w: Annotated[Amount | None, Maybe] = None

    @property
    def behind_c2c(self) -> bool:
        """Whether the GPU reaches its NIC through the CPU's coherent link: then the NIC's own slot is what limits."""
        return self.c2c_gbs_bidir is not None
