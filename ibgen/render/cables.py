"""The cables of a cluster, one a line, each end written as an explicit topology writes it: `leaf-01:1`, `dgx-001/mlx5_0:1`.

Takes `Fabric` and the names to keep. Gives a table, CSV or JSON.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from ibgen.fabric import ACTIVE, HOST_CABLE, PLANNED, Fabric, Subnet

from .cells import table
from .json import dumps
from .plan import TIERS

COLUMNS = ("fabric", "between", "lower", "upper", "rate_gbps", "state")


@dataclass(frozen=True, slots=True)
class CableRow:
    """One cable. `state` is that of its host port; cables between switches are active."""

    fabric: str
    between: str
    lower: str
    upper: str
    rate_gbps: float
    state: str


def cable_rows(
    fabric: Fabric, hosts: Collection[str] | None = None, switches: Collection[str] | None = None
) -> Iterator[CableRow]:
    """Every cable that touches one of the hosts or one of the switches; all of them where neither is given."""
    for subnet in fabric.subnets:
        rows = np.arange(len(subnet.cables.kind))
        if hosts is not None or switches is not None:
            rows = rows[_touches(fabric, subnet, hosts or (), switches or ())]
        yield from _rows(fabric, subnet, rows.tolist())


def _touches(
    fabric: Fabric, subnet: Subnet, hosts: Collection[str], switches: Collection[str]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    cables = subnet.cables
    wanted_hosts = np.isin(subnet.ports.host, [fabric.hosts.row[h] for h in hosts if h in fabric.hosts.row])
    wanted = np.zeros(len(subnet.switches.names), dtype=np.bool_)
    wanted[[subnet.switches.row[s] for s in switches if s in subnet.switches.row]] = True
    host = cables.kind == HOST_CABLE
    touched: np.ndarray[tuple[int], np.dtype[np.bool_]] = wanted[cables.upper]
    touched[host] |= wanted_hosts[cables.lower[host]]
    touched[~host] |= wanted[cables.lower[~host]]
    return touched


def _rows(fabric: Fabric, subnet: Subnet, rows: list[int]) -> Iterator[CableRow]:
    cables, ports, names = subnet.cables, subnet.ports, subnet.switches.names
    tier = subnet.switches.tier
    words = {ACTIVE: "active", PLANNED: "planned"}
    for r in rows:
        upper, lower = int(cables.upper[r]), int(cables.lower[r])
        top = TIERS[tier[upper]]
        to = f"{names[upper]}:{cables.upper_port[r]}"
        if cables.kind[r] == HOST_CABLE:
            host = int(ports.host[lower])
            hca = fabric.hosts.platforms[fabric.hosts.pool[host]].hcas[ports.hca[lower]].name
            state = words.get(int(ports.state[lower]), "down")
            end = f"{fabric.hosts.names[host]}/{hca}:{cables.lower_port[r]}"
            yield CableRow(subnet.name, f"host-{top}", end, to, float(cables.rate_gbps[r]), state)
        else:
            end = f"{names[lower]}:{cables.lower_port[r]}"
            yield CableRow(subnet.name, f"{TIERS[tier[lower]]}-{top}", end, to, float(cables.rate_gbps[r]), "active")


def _plain(row: CableRow) -> list[str]:
    return [row.fabric, row.between, row.lower, row.upper, f"{row.rate_gbps:g}", row.state]


def cables_table(rows: Iterator[CableRow]) -> str:
    """Aligned columns under a header."""
    return "".join(line + "\n" for line in table([list(COLUMNS), *map(_plain, rows)], frozenset({4})))


def cables_csv(rows: Iterator[CableRow]) -> str:
    """RFC 4180 with plain line feeds."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(map(_plain, rows))
    return out.getvalue()


def cables_json(rows: Iterator[CableRow]) -> str:
    """A list of objects with the same columns."""
    found = [dict(zip(COLUMNS, (r.fabric, r.between, r.lower, r.upper, r.rate_gbps, r.state), strict=True)) for r in rows]
    return dumps({"format": "ibgen-cables", "version": 1, "cables": found})
