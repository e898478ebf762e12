"""What OpenSM must make of a subnet: the section `opensm/<subnet>` of expect.json, from spec and fabric, never from text.

P_Key tables are folded: one entry per set of hosts whose adapters have the same tables, so a cluster of 65,536 endpoints and
one of 32 take the same few lines.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ibgen.fabric import ACTIVE, Fabric, Subnet
from ibgen.hostlist import fold

from .partitions import BOTH, DEFAULT_PKEY, FULL, PartitionPlan

if TYPE_CHECKING:
    from .opensm import Manager

PROJECTED = {"ar_updn": "updn", "ar_ftree": "ftree", "ar_dor": "dor", "dfp": "dfsssp", "dfp2": "dfsssp"}
"""NVIDIA's adaptive engines and the static ones of upstream that route the same shapes."""

FULL_BIT = 0x8000


def expect(manager: Manager, fabric: Fabric, plan: PartitionPlan) -> dict[str, Any]:
    """Plain JSON values. `pkeys` of an endpoint are with their membership bit; endpoints out of service do not appear."""
    subnet = fabric.subnets[manager.subnet]
    active = subnet.ports.state == ACTIVE
    # the one that runs: the master, or who stands in while the master's port is out of service
    runs = next((h for h in manager.hosts if active[h.row]), None)
    files = runs or manager.master
    return {
        "flavour": manager.flavour,
        "engine": manager.engines[0],
        "upstream_engine": _upstream(manager.engines, subnet, active),
        "manager": {"host": runs.host, "hca": runs.hca, "port": runs.port} if runs else None,
        "conf": f"{files.host}/opensm.conf" if files else "opensm.conf",
        "managers": [{"host": h.host, "hca": h.hca, "port": h.port, "priority": h.priority} for h in manager.hosts],
        "qos": _qos(manager),
        "lids": dict(zip(subnet.switches.names, manager.files.switch_lids.tolist(), strict=False)),
        "synthetic": manager.synthetic,
        "switches": len(subnet.switches.names),
        "endpoints": int(active.sum()),
        "roots": fold(subnet.switches.names[r] for r in manager.roots.tolist()) if len(manager.roots) else "",
        "compute": len(manager.compute),
        "functions": sum(p.functions for p in plan.partitions),
        "tables": _tables(fabric, subnet, active, _pkeys(subnet, plan, runs.row if runs else -1)),
    }


def _upstream(engines: tuple[str, ...], subnet: Subnet, active: npt.NDArray[np.bool_]) -> str:
    """The engine of upstream that routes. ftree refuses a tree with compute ports on fewer than two leaves (measured), as a
    fabric may be while most of it is still planned: the next engine routes until it has grown."""
    leaves = len(np.unique(subnet.ports.leaf[active & subnet.ports.compute]))
    upstream = [PROJECTED.get(engine, engine) for engine in engines]
    able = [e for e in upstream if e != "ftree" or leaves > 1]
    return able[0] if able else "minhop"


def _qos(manager: Manager) -> dict[str, Any] | None:
    """The tables of every port; None where OpenSM is to leave them alone."""
    if manager.qos is None:
        return None
    lanes = manager.qos.lanes
    return {
        "sl2vl": list(lanes.sl2vl),
        "high": [list(pair) for pair in lanes.high],
        "low": [list(pair) for pair in lanes.low],
        "max_op_vls": lanes.max_op_vls,
    }


def _pkeys(subnet: Subnet, plan: PartitionPlan, master: int) -> list[tuple[int, ...]]:
    """Per port its P_Keys, ascending by the low 15 bits. Every port is in the default partition, the manager's own as full."""
    count = len(subnet.ports.host)
    rows = [np.arange(count, dtype=np.int64)]
    keys = [np.full(count, DEFAULT_PKEY, dtype=np.int64)]
    for partition in plan.partitions:
        own = partition.membership >= FULL
        value = np.where(own, partition.pkey | FULL_BIT, partition.pkey)
        twice = partition.rows[partition.membership == BOTH].astype(np.int64)
        rows.append(twice)
        keys.append(np.full(len(twice), partition.pkey, dtype=np.int64))
        if partition.pkey == DEFAULT_PKEY:
            keys[0][partition.rows] = value
        else:
            rows.append(partition.rows.astype(np.int64))
            keys.append(value.astype(np.int64))
    if master >= 0:
        keys[0][master] = DEFAULT_PKEY | FULL_BIT
    row, key = np.concatenate(rows), np.concatenate(keys)
    order = np.lexsort((key, key & 0x7FFF, row))
    row, values = row[order], key[order].tolist()
    starts = np.searchsorted(row, np.arange(count + 1)).tolist()
    return [tuple(values[a:b]) for a, b in pairwise(starts)]


def _tables(
    fabric: Fabric, subnet: Subnet, active: npt.NDArray[np.bool_], pkeys: list[tuple[int, ...]]
) -> list[dict[str, Any]]:
    ports = subnet.ports
    number: dict[tuple[int, ...], int] = {}
    rows = np.flatnonzero(active)
    table = [number.setdefault(pkeys[r], len(number)) for r in rows.tolist()]
    hosts = ports.host[rows].tolist()
    per_host: dict[int, list[tuple[int, int, int]]] = {}
    for host, hca, port, t in zip(hosts, ports.hca[rows].tolist(), ports.port[rows].tolist(), table, strict=True):
        per_host.setdefault(host, []).append((hca, port, t))
    alike: dict[tuple[int, tuple[tuple[int, int, int], ...]], list[int]] = {}
    for host, found in per_host.items():
        alike.setdefault((int(fabric.hosts.pool[host]), tuple(found)), []).append(host)
    values = list(number)
    entries = []
    for (pool, shape), members in alike.items():
        hcas = fabric.hosts.platforms[pool].hcas
        names = fold(fabric.hosts.names[h] for h in members)
        for t in dict.fromkeys(t for _, _, t in shape):
            adapters = [f"{hcas[hca].name}:{port}" for hca, port, own in shape if own == t]
            entries.append({"hosts": names, "hcas": adapters, "pkeys": [f"0x{k:04x}" for k in values[t]]})
    return entries
