"""Hosts that a failure leaves with fewer adapters, and those it cuts off: survivors' flows tell nothing of either.

Takes a fabric and the endpoints that are lost, subnet by subnet. Gives `LostHosts`: a host's adapters are counted over all
subnets of its fabric, for its jobs use them all. Names are host lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.fabric import Fabric, Subnet
from ibgen.hostlist import fold
from ibgen.route import graph

from .named import endpoint_names
from .patterns import Rows
from .rates import GBS

_Losses = tuple[tuple[str, ...], int, int, float, float]
"""Names of what is lost, adapters left, of how many, GB/s left, of how many."""


@dataclass(frozen=True, slots=True)
class FewerAdapters:
    """Hosts that lose the same adapters of one role. `lost`: adapters, or `adapter:port` where other ports of it are left.
    `left` of `of` adapters and GB/s of a host and direction, over all subnets of the fabric; `gpus`: whether they have any."""

    hosts: str
    count: int
    role: str
    gpus: bool
    lost: tuple[str, ...]
    left: int
    of: int
    left_gbs: float
    of_gbs: float


@dataclass(frozen=True, slots=True)
class LostHosts:
    """`fewer`: in the order of the spec. `cut`: hosts without any adapter that is left in the fabric, `cut_count` of them."""

    fewer: tuple[FewerAdapters, ...]
    cut: str
    cut_count: int


@dataclass(frozen=True)
class _Ports:
    """Endpoints of all subnets of a fabric that are in service without the failure, sorted by host. [N]"""

    host: Rows
    hca: Rows
    port: Rows
    gbs: npt.NDArray[np.float64]
    left: npt.NDArray[np.bool_]

    def of(self, host: int) -> Iterable[int]:
        return range(*np.searchsorted(self.host, [host, host + 1]).tolist())


def endpoints_folded(fabric: Fabric, subnet: Subnet, rows: Iterable[int]) -> tuple[str, ...]:
    """All endpoints, the hosts of each adapter as one list: `dgx-[01-33]/mlx5_4`."""
    by_adapter: dict[str, list[str]] = {}
    for name in endpoint_names(fabric, subnet, iter(rows)):
        host, _, adapter = name.partition("/")
        by_adapter.setdefault(adapter, []).append(host)
    return tuple(f"{fold(hosts)}/{adapter}" for adapter, hosts in by_adapter.items())


def lost_hosts(fabric: Fabric, lost: Mapping[int, Iterable[int]], here: Iterable[int]) -> LostHosts:
    """`lost`: endpoints by subnet. Told of are the hosts that lose one in a subnet of `here`; all are of one fabric."""
    rows = list(here)
    ports = _ports(fabric, fabric.subnets[rows[0]].fabric, lost)
    hit = sorted({int(fabric.subnets[row].ports.host[e]) for row in rows for e in lost.get(row, ())})
    cut = [host for host in hit if not any(ports.left[e] for e in ports.of(host))]
    groups: dict[tuple[str, bool, _Losses], list[int]] = {}
    for host in sorted(set(hit) - set(cut)):
        gpus = fabric.hosts.platforms[fabric.hosts.pool[host]].gpus > 0
        for role, losses in _by_role(fabric, ports, host):
            groups.setdefault((role, gpus, losses), []).append(host)
    names = fabric.hosts.names
    fewer = tuple(
        FewerAdapters(fold(names[h] for h in hosts), len(hosts), role, gpus, *losses)
        for (role, gpus, losses), hosts in groups.items()
    )
    return LostHosts(fewer, fold(names[h] for h in cut), len(cut))


def _ports(fabric: Fabric, number: int, lost: Mapping[int, Iterable[int]]) -> _Ports:
    parts = []
    for row, s in enumerate(fabric.subnets):
        if s.fabric != number:
            continue
        left = np.ones(len(s.ports.host), bool)
        left[list(lost.get(row, ()))] = False
        there, p = graph(s).plugged, s.ports
        parts.append((p.host[there], p.hca[there], p.port[there], p.rate_gbps[there] / GBS, left[there]))
    host, hca, port, gbs, left = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((port, hca, host))
    whole = (host[order].astype(np.intp), hca[order].astype(np.intp), port[order].astype(np.intp))
    return _Ports(*whole, gbs[order], left[order])


def _by_role(fabric: Fabric, ports: _Ports, host: int) -> Iterable[tuple[str, _Losses]]:
    """What one host loses, role by role: compute first."""
    hcas = fabric.hosts.platforms[fabric.hosts.pool[host]].hcas
    mine = list(ports.of(host))
    for role in sorted({hcas[ports.hca[e]].role for e in mine}, key=lambda r: (r != "compute", r)):
        of = [e for e in mine if hcas[ports.hca[e]].role == role]
        left = [e for e in of if ports.left[e]]
        if len(left) == len(of):
            continue
        alive = {int(ports.hca[e]) for e in left}
        gone = [(int(ports.hca[e]), int(ports.port[e])) for e in of if not ports.left[e]]
        names = dict.fromkeys(hcas[h].name + (f":{port}" if h in alive else "") for h, port in gone)
        rates = (float(ports.gbs[left].sum()), float(ports.gbs[of].sum()))
        yield role, (tuple(names), len(alive), len({int(ports.hca[e]) for e in of}), *rates)
