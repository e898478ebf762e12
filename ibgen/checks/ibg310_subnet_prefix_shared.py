from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec


@rule("IBG310", "subnet-prefix-shared", Severity.ERROR)
def subnet_prefix_shared(spec: ClusterSpec, built: Fabric) -> Iterator[Finding]:
    """Two InfiniBand fabrics with one subnet prefix.

    Libraries tell subnets apart by the prefix: two fabrics on the default look like one, and connections are tried
    across them (openucx/ucx#605; needs K31). A fabric with several planes takes one prefix per plane, a rail-only
    one per rail and unit, counted up from its own.

    Bad:
        fabrics:
          - name: storage
            control: {kind: opensm, hosts: [ufm-01], subnet_prefix: "0xfec0000000000001"}
            topology: {kind: fat-tree, rails: host, leaf: {switch: qm9700}}
            attach: [{pool: gpu, hcas: storage}]
    Good:
        fabrics:
          - name: storage
            control: {kind: opensm, flavour: nvidia, hosts: [node-01], subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, rails: host, prefix: st, leaf: {switch: qm9700}}
            attach: [{pool: gpu, hcas: storage}]
    """
    first: dict[int, int] = {}
    for i, fabric in enumerate(spec.fabrics):
        if fabric.kind != "infiniband" or fabric.control.kind == "provider":
            continue
        planes = max(1, len(built.of(i)))
        for prefix in range(fabric.control.subnet_prefix, fabric.control.subnet_prefix + planes):
            if prefix in first and first[prefix] != i:
                other = first[prefix]
                yield subnet_prefix_shared.finding(
                    f"`{fabric.name}` and `{spec.fabrics[other].name}` share the subnet prefix 0x{prefix:016x}",
                    ("fabrics", i, "control", "subnet_prefix"),
                    labels=[Label(("fabrics", other, "control", "subnet_prefix"), "the same here")],
                    hint="give every fabric its own `control.subnet_prefix`",
                )
                break
            first[prefix] = i
