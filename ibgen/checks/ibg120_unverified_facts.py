from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Path, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec, FatTree

_USED = ("gpu", "gpus")
"""What every plan reads of a platform, beside the adapters that are attached; prices and power are judged where printed."""

_SWITCH_USED = ("radix", "rate_gbps", "cages")


@rule("IBG120", "unverified-facts", Severity.WARNING)
def unverified_facts(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """The plan rests on catalog facts that no public document was checked for.

    The catalog says of every fact where it was read. Where it says `unverified`, compare with your own hardware
    (`ibstat`, `lspci`, the vendor's data sheet), then put the row with its source into a catalog file of your own.

    Bad:
        pools: [{name: gpu, platform: dgx-b200}]
    Good:
        pools: [{name: gpu, platform: azure/Standard_ND96isr_H200_v5}]
        fabrics: [{name: compute, topology: {leaf: {switch: qm9790}, spine: {switch: qm9790}}}]
    """
    for p, pool in enumerate(spec.pools):
        if isinstance(pool.platform, str):
            platform = fabric.hosts.platforms[p]
            roles = {platform.hcas[h].role for h in _attached(fabric, p)}
            used = (*_USED, *(f"hcas.{role}" for role in sorted(roles)))
            yield from _doubt(platform.id, platform.doubts(*used), ("pools", p, "platform"))
    for subnet in fabric.subnets:
        seen = {m.id: m for m in subnet.models if subnet.plane == 1}
        for model in seen.values():
            topology = spec.fabrics[subnet.fabric].topology
            split = ("splits",) if isinstance(topology, FatTree) and topology.leaf.split > 1 else ()
            at = ("fabrics", subnet.fabric, "topology", "leaf", "switch")
            yield from _doubt(model.id, model.doubts(*_SWITCH_USED, *split), at)


def _attached(fabric: Fabric, pool: int) -> set[int]:
    """Indices of the platform's adapters that hang on any subnet."""
    found: set[int] = set()
    for subnet in fabric.subnets:
        rows = fabric.hosts.pool[subnet.ports.host] == pool
        found |= set(np.unique(subnet.ports.hca[rows]).tolist())
    return found


def _doubt(model: str, doubts: list[str], at: Path) -> Iterator[Finding]:
    if doubts:
        yield unverified_facts.finding(
            f"`{model}`: {', '.join(doubts)} not verified",
            at,
            label="rests on unverified facts",
            hint="compare with the hardware, then state the row in a catalog file of your own with its source",
            facts={"unverified": ", ".join(doubts)},
        )
