"""`expect.json`: what the real programs must have understood. From spec, fabric and targets, never from emitted text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ibgen.compilation import Complete
from ibgen.emit import Artifact, emitter
from ibgen.targets.azure import expectation as expect_azure
from ibgen.targets.nccl import expect as expect_nccl
from ibgen.targets.opensm import expect as expect_opensm
from ibgen.targets.slurm import expect as expect_slurm
from ibgen.targets.sriov_scripts import expect as expect_functions
from ibgen.targets.ucx import expect as expect_ucx

SCHEMA = 1
"""Version of the form of this file."""


@emitter("expect")
def expect(c: Complete) -> Iterator[Artifact]:
    """Sections only for what the tree has."""
    sections: dict[str, Any] = {"schema": SCHEMA, "cluster": c.spec.cluster}
    if c.targets.opensm:
        plans = {plan.subnet: plan for plan in c.targets.partitions}
        sections["opensm"] = {m.name: expect_opensm(m, c.fabric, plans[m.name]) for m in c.targets.opensm}
    if c.targets.slurm is not None:
        sections["slurm"] = expect_slurm(c.targets.slurm)
    if c.targets.nccl:
        sections["nccl"] = [expect_nccl(p) for p in c.targets.nccl]
    if c.targets.ucx:
        sections["ucx"] = [expect_ucx(p) for p in c.targets.ucx]
    if c.targets.functions:
        sections["sriov"] = [expect_functions(s) for s in c.targets.functions]
    if c.targets.azure:
        sections["terraform"] = [expect_azure(p) for p in c.targets.azure]
    yield Artifact("expect.json", (json.dumps(sections, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode())
