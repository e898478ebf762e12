"""Traffic of the spec's own jobs on one subnet: rank order, rail rings, pipelines, experts.

Takes `ClusterSpec`, `Fabric`, a subnet and the order of its hosts. Gives flows between endpoint rows. A GPU talks through the
adapter of its own rail; flows within a host take NVLink and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ibgen.fabric import Fabric, Subnet
from ibgen.route import Graph
from ibgen.spec import ClusterSpec, Workload

from .patterns import Flows, Rows, rail_rings, rail_trees, shuffled

MOST_FLOWS = 4_000_000


def place_of(fabric: Fabric, order: Sequence[str] = ()) -> Rows:
    """[H] every host's place in rank order: hosts that `order` names first, the others behind them as in the spec."""
    row = fabric.hosts.row
    given = [row[name] for name in dict.fromkeys(order) if name in row]
    rest = np.ones(len(fabric.hosts.names), bool)
    rest[given] = False
    place = np.empty(len(rest), np.intp)
    place[np.concatenate([np.array(given, np.intp), np.flatnonzero(rest)])] = np.arange(len(rest))
    return place


def compute_rows(subnet: Subnet, graph: Graph) -> Rows:
    """Endpoints that jobs talk through: compute adapters in service that have a rail."""
    return np.flatnonzero((graph.leaf >= 0) & subnet.ports.compute & (subnet.ports.rail >= 0))


def rings(fabric: Fabric, subnet: Subnet, rows: Rows, place: Rows) -> Flows:
    """One ring per pool and rail through the hosts in the order of their places: jobs do not span pools."""
    return rail_rings(place[subnet.ports.host[rows]], _circle(fabric, subnet, rows), rows)


def trees(fabric: Fabric, subnet: Subnet, rows: Rows, place: Rows) -> Flows:
    """NCCL's double tree per pool and rail over the hosts in the order of their places."""
    return rail_trees(place[subnet.ports.host[rows]], _circle(fabric, subnet, rows), rows)


def random_rings(fabric: Fabric, subnet: Subnet, rows: Rows, seed: int, number: int) -> Flows:
    """The same rings through the hosts in random order."""
    hosts = np.unique(subnet.ports.host[rows])
    place = np.zeros(int(hosts.max(initial=0)) + 1, np.intp)
    place[shuffled(hosts.astype(np.intp), seed, number)] = np.arange(len(hosts))
    return rings(fabric, subnet, rows, place)


def leaf_places(fabric: Fabric, subnet: Subnet, rows: Rows) -> Rows:
    """[H] places that take hosts leaf by leaf and port by port, by each one's first adapter."""
    p = subnet.ports
    order = rows[np.lexsort((rows, p.leaf_port[rows], p.leaf[rows], _rail(subnet, rows)))]
    hosts, first = np.unique(p.host[order], return_index=True)
    place = np.full(len(fabric.hosts.names), len(fabric.hosts.names), np.intp)
    place[hosts[np.argsort(first, kind="stable")]] = np.arange(len(hosts))
    return place


def _circle(fabric: Fabric, subnet: Subnet, rows: Rows) -> Rows:
    """Pool and rail."""
    rail = _rail(subnet, rows)
    return fabric.hosts.pool[subnet.ports.host[rows]].astype(np.intp) * (int(rail.max(initial=0)) + 1) + rail


def _rail(subnet: Subnet, rows: Rows) -> Rows:
    """Rails, ports of a two-port adapter apart."""
    p = subnet.ports
    return (p.rail[rows].astype(np.intp) * 64 + p.port[rows]).astype(np.intp)


def ranks(spec: ClusterSpec, fabric: Fabric, subnet: Subnet, rows: Rows, place: Rows, workload: Workload) -> Rows | None:
    """The endpoint of every rank of a workload, GPU by GPU of its pool's hosts in rank order; None without a pool here."""
    pools = [p for p, platform in enumerate(fabric.hosts.platforms) if platform.gpus]
    if workload.pool is not None:
        pools = [p for p in pools if spec.pools[p].name == workload.pool]
    if len(pools) != 1:
        return None
    p = subnet.ports
    mine = rows[fabric.hosts.pool[p.host[rows]] == pools[0]]
    if not len(mine):
        return None
    gpus = fabric.hosts.platforms[pools[0]].gpus
    mine = mine[np.lexsort((_rail(subnet, mine), place[p.host[mine]]))]
    _, first, count = np.unique(place[p.host[mine]], return_index=True, return_counts=True)
    local = np.arange(gpus)
    return np.asarray(mine[(first[:, None] + local[None, :] * count[:, None] // gpus).ravel()])


def workload_flows(
    spec: ClusterSpec, fabric: Fabric, subnet: Subnet, rows: Rows, place: Rows, workload: Workload
) -> Iterator[tuple[str, Flows]]:
    """`pipeline NAME`: activations to the next stage; `experts NAME`: all-to-all in every expert group, without PXN."""
    at = ranks(spec, fabric, subnet, rows, place, workload)
    if at is None:
        return
    w = workload
    count = min(w.gpus or len(at), len(at))
    model = w.tensor * w.pipeline * w.context
    if count < model or count % model:
        return
    rank = np.arange(count)
    if w.pipeline > 1:
        stride = count // w.pipeline
        yield f"pipeline {w.name}", _outside(subnet, at[rank[: count - stride]], at[rank[stride:]])
    if w.expert > 1 and count % (w.tensor * w.expert) == 0 and count * (w.expert - 1) <= MOST_FLOWS:
        group = rank.reshape(-1, w.expert, w.tensor).swapaxes(1, 2).reshape(-1, w.expert)
        a = np.repeat(group, w.expert, axis=1).ravel()
        b = np.tile(group, (1, w.expert)).ravel()
        yield f"experts {w.name}", _outside(subnet, at[a[a != b]], at[b[a != b]])


def _outside(subnet: Subnet, sources: Rows, destinations: Rows) -> Flows:
    host = subnet.ports.host
    keep = host[sources] != host[destinations]
    return sources[keep], destinations[keep]
