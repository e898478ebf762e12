from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

MOST_ADAPTERS = 32
"""NCCL reads at most 32 names of `NCCL_IB_HCA` (user guide, and its source)."""


@rule("IBG631", "too-many-adapters", Severity.ERROR)
def too_many_adapters(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """More compute adapters on a host than NCCL can be told.

    NCCL drops the thirty-third name and everything after it without a word.
    """
    if spec.nccl is None:
        return
    for c in targets.classes:
        if len(c.compute) > MOST_ADAPTERS and c.compute[0][0].link == "infiniband":
            yield too_many_adapters.finding(
                f"{len(c.compute)} compute adapters on the hosts of `{c.name}`; NCCL reads {MOST_ADAPTERS}",
                ("pools", c.pool, "platform"),
                hint="give some of them the role storage or management",
                facts={"adapters": len(c.compute), "limit": MOST_ADAPTERS},
            )
