"""Graphs for the tests of this room: trees planned by ibgen, damaged ones, dragonflies; and their ibsim net files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ibgen.catalog import standard
from ibgen.fabric import Subnet, resolve
from ibgen.route import Graph, Removed, graph
from ibgen.spec import ClusterSpec

CATALOG = standard()


def tree(
    hosts: int, unit: int, downlinks: int, *, adapters: int = 1, ports: int = 1, missing: str = "", rails: str = "host",
    switch: str = "qm8700", **topology: Any,
) -> Subnet:  # fmt: skip
    """A planned fat tree: `hosts` hosts of `adapters` HCAs, `downlinks` of them on a leaf, `missing` ones planned only."""
    hca = [{"name": f"mlx5_{i}", "rate": "200G", "ports": ports} for i in range(adapters)]
    pool: dict[str, Any] = {"name": "gpu", "hosts": f"n[0001-{hosts:04d}]", "platform": {"kind": "generic", "hcas": hca}}
    if missing:
        pool["exceptions"] = [{"hosts": missing, "state": "planned"}]
    leaf = {"switch": switch, "downlinks": downlinks} | topology.pop("leaf", {})
    shape = {"kind": "fat-tree", "rails": rails, "unit": unit, "leaf": leaf, "spine": {"switch": switch}} | topology
    fabric = {
        "name": "ib", "control": {"kind": "opensm"}, "topology": shape, "attach": [{"pool": "gpu", "hcas": "all"}],
    }  # fmt: skip
    spec = ClusterSpec.model_validate({"ibgen": "1", "cluster": "lab", "pools": [pool], "fabrics": [fabric]})
    built, findings = resolve(spec, CATALOG)
    assert not [f for f in findings if f.severity == "error"], findings
    assert built is not None
    return built.subnets[0]


def wired(links: list[tuple[int, int]], hosts: list[int], seed: int = 0) -> Graph:
    """A graph from switch pairs and hosts per switch, ports taken in order (hosts first), with GUIDs like real ones: every
    byte of them varies."""
    count = len(hosts)
    used = list(hosts)
    ends = []
    for a, b in links:
        used[a] += 1
        p = used[a]
        used[b] += 1
        ends.append((a, p, b, used[b]))
    width = max(used) + 1
    peer, endpoint = np.full((count, width), -1, np.int32), np.full((count, width), -1, np.int32)
    peer_port = np.zeros((count, width), np.int32)
    for a, p, b, q in ends:
        peer[a, p], peer_port[a, p], peer[b, q], peer_port[b, q] = b, q, a, p
    leaf = np.repeat(np.arange(count, dtype=np.int32), hosts)
    port = np.concatenate([np.arange(1, h + 1, dtype=np.int32) for h in hosts])
    endpoint[leaf, port] = np.arange(len(leaf))
    draw = np.random.default_rng(seed)
    guids = np.unique(draw.integers(1 << 44, 1 << 60, 4 * (count + len(leaf)), np.uint64) & ~np.uint64(0xF))
    guids = draw.permutation(guids)
    node = guids[count : count + len(leaf)]
    names = tuple(f"sw-{i:04d}" for i in range(count))
    one = np.ones(len(leaf), np.int32)
    return Graph(
        names, guids[:count], np.zeros(count, np.int32), peer, peer_port, endpoint, leaf, port, node, node + np.uint64(1), one
    )


def pgft(hosts: int, leaves: int, spines: int, pods: int = 1, cores: int = 0, parallel: tuple[int, int] = (1, 1)) -> Graph:
    """PGFT(hosts, leaves, pods; 1, spines, cores; 1, *parallel): leaves and spines per pod, cores for each of its spines."""
    first, second = pods * leaves, pods * (leaves + spines)
    links = []
    for d in range(pods):
        for leaf in range(d * leaves, (d + 1) * leaves):
            links += [(leaf, first + d * spines + s) for s in range(spines) for _ in range(parallel[0])]
        for s in range(spines):
            links += [(first + d * spines + s, second + s * cores + c) for c in range(cores) for _ in range(parallel[1])]
    total = second + spines * cores
    g = wired(links, [hosts] * first + [0] * (total - first))
    tier = np.repeat(np.arange(3, dtype=np.int32), [first, second - first, total - second])
    return replace(g, tier=tier)


def dragonfly(hosts: int, routers: int, globals_: int, groups: int, seed: int = 0) -> Graph:
    """Groups of `routers` fully meshed switches; global link k of a group leads to group k + 1 further on (Kim 2008)."""
    links = []
    for g in range(groups):
        links += [(g * routers + a, g * routers + b) for a in range(routers) for b in range(a + 1, routers)]
    for i in range(groups):
        for j in range(i + 1, groups):
            near, far = j - i - 1, (i - j - 1) % groups
            links.append((i * routers + near // globals_, j * routers + far // globals_))
    return wired(links, [hosts] * (routers * groups), seed)


def damaged(subnet: Subnet, cables: int, switches: int, endpoints: int = 0, seed: int = 1) -> Graph:
    """The subnet without some cables between switches, some spines and some endpoints, drawn by `seed`."""
    draw = np.random.default_rng(seed)
    links, spines = np.flatnonzero(subnet.cables.kind > 0), np.flatnonzero(subnet.switches.tier > 0)
    gone = Removed(
        tuple(draw.choice(spines, switches, replace=False).tolist()),
        tuple(draw.choice(links, cables, replace=False).tolist()),
        tuple(draw.choice(len(subnet.ports.leaf), endpoints, replace=False).tolist()),
    )
    return graph(subnet, gone)


def net(g: Graph) -> str:
    """The graph as an ibsim net file: nodes in row order, adapters by node GUID (port p has the GUID of its node + p)."""
    return "\n".join([*_switches(g), *_adapters(g)]) + "\n"


def _switches(g: Graph) -> Iterator[str]:
    for s in np.flatnonzero(g.linked).tolist():
        yield f'switchguid=0x{g.guid[s]:016x}\nSwitch\t{g.width - 1} "{g.names[s]}"\t# "{g.names[s]}" base port 0 lid 0 lmc 0'
        for p in range(1, g.width):
            if g.peer[s, p] >= 0:
                yield f'[{p}]\t"{g.names[g.peer[s, p]]}"[{g.peer_port[s, p]}] s=7'
            elif (e := int(g.endpoint[s, p])) >= 0:
                yield f'[{p}]\t"h-{g.node_guid[e]:x}"[{g.port[e]}] s=7'
        yield ""


def _adapters(g: Graph) -> Iterator[str]:
    nodes: dict[int, list[int]] = {}
    for e in g.plugged.tolist():
        nodes.setdefault(int(g.node_guid[e]), []).append(e)
    for guid, rows in nodes.items():
        yield f'caguid=0x{guid:016x}\nCa\t{max(int(g.port[e]) for e in rows)} "h-{guid:x}"\t# "h-{guid:x}"'
        yield from (f'[{g.port[e]}]\t"{g.names[g.leaf[e]]}"[{g.leaf_port[e]}] s=7' for e in rows)
        yield ""
