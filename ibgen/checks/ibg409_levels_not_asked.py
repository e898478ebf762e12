from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, GroupPlan
from ibgen.spec import ClusterSpec
from ibgen.targets.opensm_routing import LEVELLED, choose, managed


@rule("IBG409", "levels-not-asked", Severity.WARNING)
def levels_not_asked(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """NCCL or UCX on a dragonfly whose engine keeps free of deadlocks by service levels.

    dfsssp and lash give every path a service level, and applications must ask the manager for it, path by path (opensm(8),
    notes on DFSSSP). NCCL takes one level for everything, NCCL_IB_SL. So does UCX, and MPI over it: UCX_IB_SL is one number
    per interface, put into every address handle (uct_ib_iface in src/uct/ib/base/ib_iface.c; open-mpi/ompi#6794), and the
    manager is never asked. Open MPI's openib BTL could ask (btl_openib_ib_path_record_service_level); Open MPI 5 has no
    openib. So all of it is on one lane, where these engines leave credit loops (measured with ibdmchk on 72 and 1,056
    hosts). `nue` has none on a single lane (72 hosts). On a whole dragonfly+ they leave none there either (36 and 80 hosts);
    it is a note, for a fabric that lost cables is not whole.

    Bad:
        ibgen: 1
        cluster: lab
        pools:
          - name: gpu
            hosts: node-[01-16]
            platform: {kind: generic, gpu: A100-80G, gpus: 1, hcas: [{name: mlx5_0, rate: 200G, gpu: 0}]}
        fabrics:
          - name: flies
            control: {kind: opensm, routing: [dfsssp]}
            topology: {kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2, groups: 3}
            attach: [{pool: gpu, hcas: all}]
        nccl: {version: "2.27"}
    Good:
        ibgen: 1
        cluster: lab
        pools:
          - name: gpu
            hosts: node-[01-16]
            platform: {kind: generic, gpu: A100-80G, gpus: 1, hcas: [{name: mlx5_0, rate: 200G, gpu: 0}]}
        fabrics:
          - name: flies
            control: {kind: opensm, routing: [nue]}
            topology: {kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2, groups: 3}
            attach: [{pool: gpu, hcas: all}]
        nccl: {version: "2.27"}
    """
    if spec.nccl is None and spec.ucx is None:
        return
    gpus = np.array([bool(p.gpus) for p in fabric.hosts.platforms])
    for subnet in fabric.subnets:
        control = managed(spec.fabrics[subnet.fabric].control)
        if control is None or not isinstance(subnet.layout, GroupPlan) or subnet.plane != 1:
            continue
        if not subnet.layout.cyclic:
            continue
        engine = choose(control, subnet).engines[0]
        pools = fabric.hosts.pool[subnet.ports.host[subnet.ports.compute]]
        told = ["NCCL"] if spec.nccl is not None and gpus[pools].any() else []
        told += ["UCX"] if spec.ucx is not None and len(pools) else []
        who = f"{' and '.join(told)} {'send' if told[1:] else 'sends'}"
        if engine in LEVELLED and told:
            yield levels_not_asked.finding(
                f"`{engine}` gives each path a service level, and {who} on one",
                ("fabrics", subnet.fabric, "control", "routing" if control.routing else "kind"),
                on="key",
                hint="use `routing: [nue]`, which is free of cycles on one lane",
                severity=Severity.NOTE if subnet.layout.plus else None,
            )
