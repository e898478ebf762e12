from __future__ import annotations

from collections.abc import Iterator

from ibgen.catalog.pcie import SlotMatch
from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec


@rule("IBG501", "network-too-small", Severity.WARNING)
def network_too_small(spec: ClusterSpec, simulation: Simulation) -> Iterator[Finding]:
    """A GPU's network adapters carry much less than its PCIe slot.

    One adapter of a generation matches one x16 slot of the generation: NDR 400G in Gen5 is 50 GB/s against 48 usable
    (width x NCCL's table / 80; raw would be 63), a ratio of 1.04. Below `requirements.pcie_match` the GPU waits for
    the network: HDR 200G in a Gen5 x16 slot is 0.52. Where adapters name their GPUs, a GPU that none names has nothing.

    Bad:
        ibgen: 1
        cluster: lab
        pools:
          - name: gpu
            hosts: node-[01-04]
            platform: {kind: generic, gpu: H100-SXM, gpus: 1, hcas: [{name: mlx5_0, rate: 200G, pcie: 5, gpu: 0}]}
    Good:
        ibgen: 1
        cluster: lab
        pools:
          - name: gpu
            hosts: node-[01-04]
            platform: {kind: generic, gpu: H100-SXM, gpus: 1, hcas: [{name: mlx5_0, rate: 400G, pcie: 5, gpu: 0}]}
    """
    limit = spec.requirements.pcie_match
    written = "pcie_match" in spec.requirements.model_fields_set
    for s in simulation.slots:
        low = [m for m in s.matches if limit is not None and m.ratio < limit]
        bare = [m for m in low if not m.hcas]
        if bare:
            names = ", ".join(m.what for m in bare[:4]) + (f" and {len(bare) - 4} more" if len(bare) > 4 else "")
            yield network_too_small.finding(
                f"{len(bare)} of {len(s.matches)} GPUs have no adapter of their own: {names}",
                ("pools", s.pool, "platform"),
                hint="give every GPU an adapter, or leave `gpu:` out of adapters that serve them all",
                facts={"slots": f"{sum(m.usable_gbs for m in s.matches):g} GB/s usable", "adapters": _carried(s.matches)},
            )
        elif low:
            worst = min(low, key=lambda m: m.ratio)
            yield network_too_small.finding(
                f"{worst.what}: adapters carry {worst.ratio:.2f} of the slot, the spec asks for {limit:g}",
                ("pools", s.pool, "platform"),
                label=f"{len(low)} of {len(s.matches)} slots",
                labels=[Label(("requirements", "pcie_match"), "asked for here")] if written else [],
                hint="use faster or more adapters per GPU, or lower `requirements.pcie_match`",
                facts={
                    "adapters": f"{', '.join(worst.hcas)} = {worst.total_gbps:g} Gb/s = {worst.total_gbps / 8:g} GB/s",
                    "slot": f"Gen{worst.gen} x{worst.width} = {worst.usable_gbs:g} GB/s usable",
                    "ratio": round(worst.ratio, 4),
                },
            )


def _carried(matches: tuple[SlotMatch, ...]) -> str:
    return f"{sum(m.total_gbps for m in matches) / 8:g} GB/s"
