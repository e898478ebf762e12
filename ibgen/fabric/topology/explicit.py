"""A fabric whose every cable is written out.

Takes an `Explicit` topology. Gives a `Subnet` whose GUID columns are still zero; units and rails of the leaves, which
nobody wrote down, are read off the cables: hosts that share leaves make a unit, a leaf with one rail serves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ibgen.catalog import Catalog, SwitchModel
from ibgen.diagnostics import Finding, Label, Path
from ibgen.hostlist import expand, natural_key
from ibgen.spec import ClusterSpec
from ibgen.spec import Explicit as Written

from ..attachments import Attachment
from ..columns import (
    CORE,
    HOST_CABLE,
    LEAF,
    LEAF_CABLE,
    SPINE,
    SPINE_CABLE,
    Cables,
    Ints,
    Ports,
    Rates,
    Reserved,
    Subnet,
    Switches,
)
from ..findings import CABLE_IMPOSSIBLE, CABLED_TWICE, HCA_UNCABLED, SWITCH_TWICE
from ..inventory import HCA_BITS, Inventory
from ..switches import switch_model
from .cable_lines import Ends, Nodes, read_lines

_TIERS = {"leaf": LEAF, "spine": SPINE, "core": CORE}
_PORT_BITS = 16


def build(
    spec: ClusterSpec, fabric: int, topology: Written, catalog: Catalog, inventory: Inventory, entries: Sequence[Attachment]
) -> tuple[Subnet | None, tuple[Finding, ...]]:
    """The subnet, or None where a switch or a cable is wrong; adapters that were left without a cable are a warning."""
    at: Path = ("fabrics", fabric, "topology")
    switches, models, findings = _switches(spec, fabric, topology, catalog, at)
    if switches is None:
        return None, findings
    nodes = Nodes(switches.row, [models[m] for m in switches.model.tolist()], inventory.hosts)
    ends, findings = read_lines(topology.cables, nodes, (*at, "cables"))
    if ends is None:
        return None, findings
    findings = tuple(_impossible(ends, nodes, at)) + tuple(_twice(ends, nodes, at))
    if findings:
        return None, findings
    ports, cables = _columns(ends, nodes, switches, models, inventory, entries)
    findings = tuple(_uncabled(spec, fabric, inventory, entries, ports))
    nothing = np.zeros(0, np.int32)
    return Subnet(
        name=spec.fabrics[fabric].name, fabric=fabric, plane=1, models=models, ports=ports,
        switches=_with_units(switches, ports), cables=cables,
        reserved=Reserved(nothing, nothing, nothing, (), np.zeros(0, np.bool_)), plan=None,
    ), findings  # fmt: skip


def _switches(
    spec: ClusterSpec, fabric: int, topology: Written, catalog: Catalog, at: Path
) -> tuple[Switches | None, tuple[SwitchModel, ...], tuple[Finding, ...]]:
    """All groups together: by tier, then by name, whatever the order in the file."""
    findings: list[Finding] = []
    rows: list[tuple[int, str, int]] = []  # tier, name, group
    group_of: dict[str, int] = {}
    models: dict[str, SwitchModel] = {}
    for g, group in enumerate(topology.switches):
        model, found = switch_model(catalog, group.switch, spec.fabrics[fabric], (*at, "switches", g, "switch"))
        findings += found
        if model is not None:
            models[group.switch] = model
        for name in expand(group.names):
            if name in group_of:
                findings.append(_named_twice(name, group_of[name], g, at))
            else:
                group_of[name] = g
                rows.append((_TIERS[group.role], name, g))
    if findings:
        return None, (), tuple(findings)
    rows.sort(key=lambda r: (r[0], natural_key(r[1])))
    distinct = tuple({m.id: m for m in models.values()}.values())
    index = {m.id: i for i, m in enumerate(distinct)}
    model_of = [index[models[topology.switches[g].switch].id] for _, _, g in rows]
    count = len(rows)
    return Switches(
        names=tuple(name for _, name, _ in rows),
        tier=np.array([tier for tier, _, _ in rows], np.int32),
        model=np.array(model_of, np.int32),
        unit=np.zeros(count, np.int32),
        rail=np.full(count, -1, np.int32),
        pod=np.zeros(count, np.int32),
        split=np.ones(count, np.int32),
        ports=np.array([distinct[m].radix for m in model_of], np.int32),
        group=np.array([g for _, _, g in rows], np.int32),
        guid=np.zeros(count, np.uint64),
        bound=np.zeros(count, np.bool_),
    ), distinct, ()  # fmt: skip


def _named_twice(name: str, first: int, again: int, at: Path) -> Finding:
    labels = [Label((*at, "switches", first, "names"), "first here")]
    message = f"two switches are called {name}"
    return SWITCH_TWICE.finding(message, (*at, "switches", again, "names"), labels=labels, hint="name each once")


def _impossible(ends: Ends, nodes: Nodes, at: Path) -> list[Finding]:
    a, b = ends.node
    findings = []
    for j in np.flatnonzero((a >= nodes.first_host) & (b >= nodes.first_host)).tolist():
        message = "a cable joins two hosts"
        findings.append(CABLE_IMPOSSIBLE.finding(message, (*at, "cables", j), hint="one end of every cable is a switch"))
    for j in np.flatnonzero((a == b) & (a < nodes.first_host)).tolist():
        message = "a cable joins a switch to itself"
        findings.append(CABLE_IMPOSSIBLE.finding(message, (*at, "cables", j), hint="leave the cable out, or correct one end"))
    return findings


def _twice(ends: Ends, nodes: Nodes, at: Path) -> list[Finding]:
    key = np.concatenate([n.astype(np.int64) << _PORT_BITS | p for n, p in zip(ends.node, ends.port, strict=True)])
    line = np.tile(np.arange(len(ends.node[0])), 2)
    order = np.lexsort((line, key))
    again = np.flatnonzero(key[order][1:] == key[order][:-1]) + 1
    findings = []
    switches = list(nodes.switches)
    for i in again.tolist():
        j, first = int(line[order[i]]), int(line[order[i - 1]])
        node, port = divmod(int(key[order[i]]), 1 << _PORT_BITS)
        if node < nodes.first_host:
            name = switches[node]
        else:
            host, hca = divmod(node - nodes.first_host, 1 << HCA_BITS)
            name = f"{nodes.hosts.names[host]}/{nodes.hosts.platforms[nodes.hosts.pool[host]].hcas[hca].name}"
        if j != first:
            labels = [Label((*at, "cables", first), "and here")]
            hint = "correct one of the two lines"
            where = (*at, "cables", j)
            findings.append(
                CABLED_TWICE.finding(f"port {port} of {name} stands in two cables", where, labels=labels, hint=hint)
            )
    return findings


def _columns(
    ends: Ends, nodes: Nodes, switches: Switches, models: tuple[SwitchModel, ...], inventory: Inventory,
    entries: Sequence[Attachment],
) -> tuple[Ports, Cables]:  # fmt: skip
    """Endpoints and cables, the ends of each cable put in order: the one nearer to the hosts is the lower."""
    (a, b), (p, q) = ends.node, ends.port
    tier = np.append(switches.tier, np.int32(-1))  # row -1: a host
    rank = [np.where(n < nodes.first_host, tier[np.where(n < nodes.first_host, n, -1)], -1) for n in (a, b)]
    swap = (rank[0] > rank[1]) | ((rank[0] == rank[1]) & (a > b))
    lower, upper = np.where(swap, b, a), np.where(swap, a, b)
    lower_port, upper_port = np.where(swap, q, p), np.where(swap, p, q)
    low, high = np.where(swap, rank[1], rank[0]), np.where(swap, rank[0], rank[1])
    kind = np.where(low < 0, HOST_CABLE, np.where((low == SPINE) & (high == CORE), SPINE_CABLE, LEAF_CABLE)).astype(np.int32)
    order = np.lexsort((lower_port, lower, kind))
    kind, lower, lower_port, upper, upper_port = (x[order] for x in (kind, lower, lower_port, upper, upper_port))
    switch_rate = np.array([models[m].rate_gbps for m in switches.model.tolist()], np.float64)
    on_host = kind == HOST_CABLE
    pair = lower[on_host] - nodes.first_host
    ports = _ports(pair, lower_port[on_host], upper[on_host], upper_port[on_host], switch_rate, inventory, entries)
    rate = switch_rate[upper].copy()
    rate[on_host] = ports.rate_gbps
    rate[~on_host] = np.minimum(rate[~on_host], switch_rate[lower[~on_host]])
    lower = np.where(on_host, np.cumsum(on_host, dtype=np.int32) - 1, lower)
    return ports, Cables(kind, lower, lower_port, upper, upper_port, rate, order.astype(np.int32))


def _ports(
    pair: Ints, port: Ints, leaf: Ints, leaf_port: Ints, switch_rate: Rates, inventory: Inventory,
    entries: Sequence[Attachment],
) -> Ports:  # fmt: skip
    """Endpoints, already in the order of host, HCA, port."""
    host, hca = np.divmod(pair, 1 << HCA_BITS)
    rate, compute, _ = inventory.adapters(host, hca)
    pool = inventory.hosts.pool[host]
    rail, attach = _rails(inventory, entries)
    port_row = np.minimum(port, rail.shape[2] - 1)
    return Ports(
        host=host, hca=hca, port=port, rail=rail[pool, hca, port_row],
        rate_gbps=np.minimum(rate, switch_rate[leaf]), compute=compute, leaf=leaf, leaf_port=leaf_port,
        state=inventory.state(host, hca), node_guid=np.zeros(len(host), np.uint64), port_guid=np.zeros(len(host), np.uint64),
        bound=np.zeros(len(host), np.bool_), attach=attach[pool, hca, port_row],
    )  # fmt: skip


def _rails(inventory: Inventory, entries: Sequence[Attachment]) -> tuple[Ints, Ints]:
    """Rail and `attach` row by (pool, HCA, port): the lane where attached, else the HCA's number within its role."""
    platforms = inventory.hosts.platforms
    most = max((len(p.hcas) for p in platforms), default=0)
    ports = max((h.ports for p in platforms for h in p.hcas), default=0) + 1
    rail = np.full((len(platforms), max(1, most), max(2, ports)), -1, np.int32)
    attach = np.full_like(rail, -1)
    attached = {e.pool for e in entries}
    for pool, platform in enumerate(platforms):
        if pool not in attached:
            for i, hca in enumerate(platform.hcas):
                rail[pool, i, :] = platform.by_role(hca.role).index(hca)
    for entry in entries:
        for i, port, lane in entry.lanes[0]:
            rail[entry.pool, i, port] = -1 if entry.reserved else lane
            attach[entry.pool, i, port] = entry.attach
    return rail, attach


def _with_units(switches: Switches, ports: Ports) -> Switches:
    """Units: leaves that share a host, numbered in the order of the leaves. Rails: where a leaf's endpoints have one."""
    keep = ports.rail >= 0
    host, leaf, rail = ports.host[keep], ports.leaf[keep], ports.rail[keep]
    count = len(switches.names)
    if not len(host):
        return switches
    label = np.arange(count, dtype=np.int32)
    index = np.unique(host, return_inverse=True)[1]
    while True:
        of_host = np.full(int(index.max()) + 1, count, np.int32)
        np.minimum.at(of_host, index, label[leaf])
        spread = label.copy()
        np.minimum.at(spread, leaf, of_host[index])
        if (spread == label).all():
            break
        label = spread
    serving = np.unique(leaf)
    unit = np.zeros(count, np.int32)
    unit[serving] = np.unique(label[serving], return_inverse=True)[1] + 1
    first, last = np.full(count, 1 << 30, np.int32), np.full(count, -1, np.int32)
    np.minimum.at(first, leaf, rail)
    np.maximum.at(last, leaf, rail)
    rails = np.where((first == last) & (rail.max() > 0), last, -1).astype(np.int32)
    return replace(switches, unit=unit, rail=rails)


def _uncabled(
    spec: ClusterSpec, fabric: int, inventory: Inventory, entries: Sequence[Attachment], ports: Ports
) -> list[Finding]:
    """Attached adapters that no cable reaches, one finding per `attach` entry."""
    cabled = (ports.host.astype(np.int64) << HCA_BITS | ports.hca) << _PORT_BITS | ports.port
    findings = []
    for entry in entries:
        rows = inventory.rows[entry.pool]
        triples = np.array(entry.lanes[0], np.int64).reshape(-1, 3)
        host = np.repeat(np.arange(rows.start, rows.stop, dtype=np.int64), len(triples))
        wanted = (host << HCA_BITS | np.tile(triples[:, 0], len(rows))) << _PORT_BITS | np.tile(triples[:, 1], len(rows))
        missing = np.flatnonzero(~np.isin(wanted, cabled))
        if not len(missing):
            continue
        hcas = inventory.hosts.platforms[entry.pool].hcas
        names = [f"{inventory.hosts.names[host[i]]}/{hcas[triples[i % len(triples), 0]].name}" for i in missing[:3].tolist()]
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        verb = "has" if len(missing) == 1 else "have"
        message = f"{', '.join(names)}{more} {verb} no cable in fabric `{spec.fabrics[fabric].name}`"
        at: Path = ("fabrics", fabric, "attach", entry.attach)
        labels = [Label(("fabrics", fabric, "topology", "cables"), "no line names them")]
        hint = "add the missing cables, or attach fewer adapters"
        findings.append(
            HCA_UNCABLED.finding(message, at, labels=labels, hint=hint, facts={"adapters without a cable": len(missing)})
        )
    return findings
