from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, GroupPlan
from ibgen.spec import ClusterSpec
from ibgen.targets.opensm_routing import choose, managed

LASH_SWITCHES = 264
"""Switches of the dragonfly on which lash computed 52 s (OpenSM 3.3.23, measured); dfsssp and nue took 3 to 4 s there."""

DFSSSP_ENDPOINTS = 11_664
"""Hosts of the tree on which dfsssp took 425 s and 4.3 GB; updn, ftree and minhop took 45 s and 0.8 GB (measured)."""


@rule("IBG414", "engine-too-slow", Severity.WARNING)
def engine_too_slow(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A routing engine that computes for so long that the fabric waits for it.

    Whenever a switch or a cable between switches is lost, the manager computes again, and until it is done traffic runs into
    the gap. Measured with OpenSM 3.3.23: lash 52 s for a dragonfly of 264 switches, dfsssp 425 s and 4.3 GB for 11,664 hosts.

    Bad:
        ibgen: 1
        cluster: large
        pools: [{name: cpu, hosts: "n[0001-1056]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
        fabrics:
          - name: flies
            control: {kind: opensm, routing: [lash]}
            topology: {kind: dragonfly, switch: qm8700, a: 8, p: 4, h: 4}
            attach: [{pool: cpu, hcas: all}]
    Good:
        ibgen: 1
        cluster: large
        pools: [{name: cpu, hosts: "n[0001-1056]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
        fabrics:
          - name: flies
            control: {kind: opensm, routing: [nue]}
            topology: {kind: dragonfly, switch: qm8700, a: 8, p: 4, h: 4}
            attach: [{pool: cpu, hcas: all}]
    """
    for subnet in fabric.subnets:
        control = managed(spec.fabrics[subnet.fabric].control)
        if control is None or subnet.plane != 1:
            continue
        engine, plus = choose(control, subnet).engines[0], isinstance(subnet.layout, GroupPlan) and subnet.layout.plus
        switches, endpoints = len(subnet.switches.names), len(subnet.ports.host)
        if engine == "lash" and switches >= LASH_SWITCHES:
            measured, hint = f"52 s for {LASH_SWITCHES} switches", "use dfsssp or nue"
        elif engine == "dfsssp" and endpoints >= DFSSSP_ENDPOINTS:
            measured = f"425 s and 4.3 GB for {DFSSSP_ENDPOINTS:,} hosts"
            hint = (
                "use `flavour: nvidia`, whose dfp is made for dragonfly+" if plus else "keep the subnet smaller, as planes are"
            )
        else:
            continue
        yield engine_too_slow.finding(
            f"`{engine}` computes for long on {switches:,} switches and {endpoints:,} endpoints",
            ("fabrics", subnet.fabric, "control", "routing" if control.routing else "kind"),
            label=f"measured: {measured}",
            hint=hint,
            facts={"switches": switches, "endpoints": endpoints},
        )
