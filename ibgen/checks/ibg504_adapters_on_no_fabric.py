from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets


@rule("IBG504", "adapters-on-no-fabric", Severity.WARNING)
def adapters_on_no_fabric(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """Some compute adapters of a pool with GPUs are attached, others hang on no fabric.

    Their GPUs send through the adapters of others: collectives have that part of the host's rate, whatever the fabric carries.
    Give adapters that serve something else another role, or leave them out of the platform.

    Bad:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-04]", platform: dgx-h100}]
        fabrics:
          - name: compute
            control: {kind: opensm, flavour: nvidia, version: "5.24"}
            topology: {kind: fat-tree, rails: host, unit: 4, leaf: {switch: qm9700}}
            attach: [{pool: gpu, hcas: [mlx5_0, mlx5_3]}]
    Good:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-04]", platform: dgx-h100}]
        fabrics:
          - name: compute
            control: {kind: opensm, flavour: nvidia, version: "5.24"}
            topology: {kind: fat-tree, rails: host, unit: 4, leaf: {switch: qm9700}}
            attach: [{pool: gpu, hcas: compute}]
    """
    built = {subnet.fabric for subnet in fabric.subnets}
    if any(n not in built and f.topology.kind != "opaque" for n, f in enumerate(spec.fabrics)):
        return  # what hangs on a fabric that could not be built is not known
    told: set[int] = set()
    for c in targets.classes:
        there = {h.name for h, _ in c.compute} | set(c.missing) | set(c.platform.excluded_hcas)
        bare = [h.name for h in c.platform.by_role("compute") if h.name not in there]
        if not c.platform.gpus or not c.compute or not bare or c.pool in told:
            continue
        told.add(c.pool)
        count = len(c.platform.by_role("compute"))
        yield adapters_on_no_fabric.finding(
            f"{len(bare)} of {count} compute adapters of `{spec.pools[c.pool].name}` are on no fabric",
            ("pools", c.pool, "name"),
            hint="attach them, or give them another role",
            facts={"attached": count - len(bare), "adapters": count, "first": bare[0]},
        )
