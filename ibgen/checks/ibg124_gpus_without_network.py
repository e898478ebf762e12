from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets


@rule("IBG124", "gpus-without-network", Severity.WARNING)
def gpus_without_network(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """A pool with GPUs whose compute adapters hang on no fabric.

    NCCL would fall back to TCP over the management network, without an error.

    Bad:
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100}]
    Good:
        pools: [{name: gpu, hosts: "node-[01-04]"}]
    """
    built = {subnet.fabric for subnet in fabric.subnets}
    # what hangs on a fabric that could not be built has its finding there
    waiting = {a.pool for n, f in enumerate(spec.fabrics) if n not in built and f.topology.kind != "opaque" for a in f.attach}
    for c in targets.classes:
        if spec.pools[c.pool].name not in waiting and c.platform.gpus and not c.compute and not c.missing:
            yield gpus_without_network.finding(
                f"the GPUs of `{spec.pools[c.pool].name}` are on no fabric",
                ("pools", c.pool, "name"),
                hint=f"attach it: `attach: [{{pool: {spec.pools[c.pool].name}, hcas: compute}}]`",
                facts={"hosts": len(c.hosts), "gpus_per_host": c.platform.gpus},
            )
