from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric, Subnet
from ibgen.route import NotRouted, Routes, compute, graph, mainland, verify
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.opensm import Manager
from ibgen.targets.opensm_expect import PROJECTED

SWITCHES, ENDPOINTS = 200, 2000
"""Subnets up to this size are judged here (a few tenths of a second); larger ones by `ibgen prove`."""

REBUILT = frozenset({"minhop", "updn", "ftree"})
"""Engines whose tables ibgen computes as OpenSM does, entry by entry."""


@rule("IBG610", "routes-of-written-cables", Severity.ERROR)
def routes_of_written_cables(spec: ClusterSpec, fabric: Fabric, targets: Targets) -> Iterator[Finding]:
    """Cables written out by hand that the routing engine cannot serve: it refuses them, leaves hosts apart, or can lock up.

    OpenSM says so at most in its log and exits 0. ftree wants hosts on the lowest tier only and cables between neighbouring
    tiers, and lets the next engine route what is otherwise. updn starts from the switches whose `role` is the highest: where
    that is not the real top there are pairs of hosts without a way. minhop closes credit loops where switches form rings.
    The tables are computed here as OpenSM computes them, and walked.

    Bad:
        ibgen: 1
        cluster: lab
        pools: [{name: cpu, hosts: "n[1-5]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
        fabrics:
          - name: ring
            control: {kind: opensm, routing: [minhop]}
            attach: [{pool: cpu, hcas: all}]
            topology:
              kind: explicit
              switches: [{names: "s-[1-5]", switch: qm8700, role: leaf}]
              cables: ["s-1:39 s-2:40", "s-2:39 s-3:40", "s-3:39 s-4:40", "s-4:39 s-5:40", "s-5:39 s-1:40",
                       "s-1:1 n1/mlx5_0:1", "s-2:1 n2/mlx5_0:1", "s-3:1 n3/mlx5_0:1", "s-4:1 n4/mlx5_0:1", "s-5:1 n5/mlx5_0:1"]
    Good:
        ibgen: 1
        cluster: lab
        pools: [{name: cpu, hosts: "n[1-5]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
        fabrics:
          - name: ring
            control: {kind: opensm, routing: [auto]}
            attach: [{pool: cpu, hcas: all}]
            topology:
              kind: explicit
              switches: [{names: "s-[1-5]", switch: qm8700, role: leaf}]
              cables: ["s-1:39 s-2:40", "s-2:39 s-3:40", "s-3:39 s-4:40", "s-4:39 s-5:40", "s-5:39 s-1:40",
                       "s-1:1 n1/mlx5_0:1", "s-2:1 n2/mlx5_0:1", "s-3:1 n3/mlx5_0:1", "s-4:1 n4/mlx5_0:1", "s-5:1 n5/mlx5_0:1"]
    """
    for manager in targets.opensm:
        subnet = fabric.subnets[manager.subnet]
        small = len(subnet.switches.names) <= SWITCHES and len(subnet.ports.host) <= ENDPOINTS
        if not subnet.planned and small and len(subnet.switches.names) > 1 and len(subnet.ports.host):
            yield from _judge(manager, subnet, spec)


def _judge(manager: Manager, subnet: Subnet, spec: ClusterSpec) -> Iterator[Finding]:
    at = ("fabrics", manager.fabric, "control", "routing" if spec.fabrics[manager.fabric].control.routing else "kind")
    wired = graph(subnet)
    if mainland(wired) is not wired:
        return  # no engine can help: `islands` says where cables are missing
    routes, used = None, ""
    for engine in (*manager.engines, "minhop"):
        used = PROJECTED.get(engine, engine)
        if used not in REBUILT:
            return
        try:
            routes = _routes(manager, subnet, used)
            break
        except NotRouted as e:
            message = f"`{engine}` does not route `{subnet.name}`: {e}"
            hint = "use updn, or leave `routing` out" if engine != "updn" else "give the top switches a `role` of their own"
            yield routes_of_written_cables.finding(message, at, on="key", hint=hint)
    if routes is None:
        return
    found = verify(routes)
    if found.dead_ends or found.astray or found.loops:
        leaf = subnet.switches.names[found.dead_end_cases[0][1]] if found.dead_end_cases else subnet.switches.names[0]
        roots = ", ".join(subnet.switches.names[r] for r in manager.roots[:3].tolist())
        yield routes_of_written_cables.finding(
            f"`{used}` leaves {found.dead_ends + found.loops} of {found.pairs} ways open, one ends at {leaf}",
            ("fabrics", manager.fabric, "topology", "switches"),
            hint=f"are these the top switches: {roots}? Their `role` says so" if roots else "join them by cables",
        )
    if any(found.credit_loops):
        yield routes_of_written_cables.finding(
            f"`{used}` leaves a credit loop on these cables: under load they stand still",
            at,
            on="key",
            hint="use updn, or leave `routing` out" if used == "minhop" else "use nue, which needs one lane only",
        )


def _routes(manager: Manager, subnet: Subnet, engine: str) -> Routes:
    wired = graph(subnet)
    if engine == "minhop":
        return compute(wired, engine)
    compute_ports = manager.compute.tolist() if engine == "ftree" and len(manager.compute) else None
    return compute(wired, engine, roots=manager.roots.tolist() or None, compute_ports=compute_ports)
