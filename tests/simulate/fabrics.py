"""Subnets for the tests of this room: full and tapered trees, dragonflies, rail-aligned trees."""

from __future__ import annotations

from functools import cache

import numpy as np

from ibgen import catalog, source, spec
from ibgen.fabric import Fabric, Subnet, resolve
from ibgen.route import Routes, compute, graph
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets, decide

ROW = "{{id: r{n}, fabric: infiniband, generation: HDR, radix: {n}, rate_gbps: 200, cages: {n}}}"


@cache
def loaded(text: str, *radixes: int) -> tuple[ClusterSpec, Fabric, Targets, catalog.Catalog]:
    """A spec with switches `r<radix>` for it; it must be free of errors of shape."""
    document, found = source.parse(text, "x")
    cluster, more = spec.load(document)
    assert cluster is not None, (found, more)
    rows = ", ".join(ROW.format(n=n) for n in sorted(set(radixes)))
    facts, _ = catalog.load((("own.yaml", f"switches: [{rows}]\n"),)) if radixes else catalog.load()
    fabric, findings = resolve(cluster, facts)
    assert fabric is not None
    assert fabric.subnets, [f.message for f in findings]
    targets, _ = decide(cluster, fabric, facts)
    return cluster, fabric, targets, facts


def spec_of(hosts: int, topology: str, *, control: str = "{kind: opensm, routing: [ftree]}", more: str = "") -> str:
    """One endpoint per host on one fabric `f`."""
    return (
        f"ibgen: 1\ncluster: x\npools: [{{name: n, hosts: 'n[00001-{hosts:05}]', platform: {{kind: generic,"
        f" hcas: [{{name: mlx5_0, rate: 200G}}]}}}}]\nfabrics: [{{name: f, control: {control},"
        f" attach: [{{pool: n}}], topology: {topology}}}]\n{more}"
    )


def tree_spec(leaves: int, down: int, up: int, spines: int, tiers: int = 2, pod: int = 0) -> tuple[str, int]:
    """(spec, radix of its switches)."""
    radix = max(down + up, leaves * up // spines if tiers == 2 else 2 * down)
    extra = f"tiers: {tiers}, " + (f"pod: {pod}, " if pod else "")
    counts = f", count: {spines}" if tiers == 2 else ""
    topology = (
        f"{{kind: fat-tree, rails: host, unit: {down}, {extra}leaf: {{switch: r{radix}, downlinks: {down}, uplinks: {up}}},"
        f" spine: {{switch: r{radix}{counts}}}}}"
    )
    return spec_of(leaves * down, topology), radix


def tree(leaves: int, down: int, up: int, spines: int, tiers: int = 2, pod: int = 0) -> Subnet:
    """A fat tree with one endpoint per host: `leaves` leaves of `down` hosts and `up` uplinks."""
    text, radix = tree_spec(leaves, down, up, spines, tiers, pod)
    return loaded(text, radix)[1].subnets[0]


@cache
def tables(*shape: int, engine: str = "dmodk") -> Routes:
    return compute(graph(tree(*shape)), engine)


def rows(routes: Routes) -> np.ndarray:
    """Endpoints leaf by leaf, port by port: the order in which D-mod-k numbers them."""
    return routes.graph.by_leaf[0]
