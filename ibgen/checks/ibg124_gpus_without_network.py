from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets


@rule("IBG124", "gpus-without-network", Severity.WARNING)
def gpus_without_network(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """A pool with GPUs whose compute adapters hang on no fabric.

    NCCL would fall back to TCP over the management network, without an error.

    Bad:
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100}]
    Good:
        pools: [{name: gpu, hosts: "node-[01-04]"}]
    """
    for c in targets.classes:
        if c.platform.gpus and not c.compute and not c.missing:
            yield gpus_without_network.finding(
                f"the GPUs of `{spec.pools[c.pool].name}` are on no fabric",
                ("pools", c.pool, "name"),
                hint=f"attach it: `attach: [{{pool: {spec.pools[c.pool].name}, hcas: compute}}]`",
                facts={"hosts": len(c.hosts), "gpus_per_host": c.platform.gpus},
            )
