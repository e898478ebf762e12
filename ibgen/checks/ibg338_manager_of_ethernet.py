from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec

WITHOUT = {"roce": "Ethernet", "efa": "AWS's own fabric"}
"""Kinds of fabrics without a subnet manager -> what they are."""


@rule("IBG338", "manager-of-ethernet", Severity.ERROR)
def manager_of_ethernet(spec: ClusterSpec) -> Iterator[Finding]:
    """A subnet manager is to run a fabric that has none.

    OpenSM and UFM program the switches of InfiniBand subnets. Ethernet switches find their own routes (BGP, ECMP) and know no
    GUIDs, partitions or service levels: with `control.kind: opensm` files would be written that nothing reads.

    Bad:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "n[1-4]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}]}}]
        fabrics:
          - name: net
            kind: roce
            control: {kind: opensm, routing: [ftree]}
            topology: {kind: fat-tree, leaf: {switch: sn5600}}
            attach: [{pool: gpu, hcas: all}]
    Good:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "n[1-4]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}]}}]
        fabrics:
          - name: net
            kind: roce
            control: {kind: provider}
            topology: {kind: fat-tree, leaf: {switch: sn5600}}
            attach: [{pool: gpu, hcas: all}]
    """
    for i, fabric in enumerate(spec.fabrics):
        if fabric.kind in WITHOUT and fabric.control.kind != "provider":
            yield manager_of_ethernet.finding(
                f"`{fabric.name}` is {WITHOUT[fabric.kind]}, which has no subnet manager: {fabric.control.kind} cannot run it",
                ("fabrics", i, "control", "kind"),
                labels=[Label(("fabrics", i, "kind"), "says what it is")],
                hint="say `control: {kind: provider}`, or `kind: infiniband` where the switches are",
            )
