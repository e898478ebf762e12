"""The cables of a cluster, one a line, each end written as an explicit topology writes it: `leaf-01:1`, `dgx-001/mlx5_0:1`.

Takes `Fabric` and the names to keep. Gives a table, CSV or JSON.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.fabric import ACTIVE, HOST_CABLE, PLANNED, Fabric, Subnet

from .cells import table
from .json import dumps
from .plan import TIERS

_STATES = {ACTIVE: "active", PLANNED: "planned"}
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
        yield from _rows(fabric, subnet, rows)


def _touches(fabric: Fabric, subnet: Subnet, hosts: Collection[str], switches: Collection[str]) -> npt.NDArray[np.bool_]:
    cables = subnet.cables
    wanted_hosts = np.isin(subnet.ports.host, [fabric.hosts.row[h] for h in hosts if h in fabric.hosts.row])
    wanted = np.zeros(len(subnet.switches.names), dtype=np.bool_)
    wanted[[subnet.switches.row[s] for s in switches if s in subnet.switches.row]] = True
    host = cables.kind == HOST_CABLE
    touched: npt.NDArray[np.bool_] = wanted[cables.upper]
    touched[host] |= wanted_hosts[cables.lower[host]]
    touched[~host] |= wanted[cables.lower[~host]]
    return touched


def _rows(fabric: Fabric, subnet: Subnet, rows: npt.NDArray[np.intp]) -> Iterator[CableRow]:
    cables, names = subnet.cables, subnet.switches.names
    tiers = [TIERS[t] for t in subnet.switches.tier.tolist()]
    columns = (cables.kind, cables.lower, cables.lower_port, cables.upper, cables.upper_port, cables.rate_gbps)
    for kind, lower, lower_port, upper, upper_port, rate in zip(*(c[rows].tolist() for c in columns), strict=True):
        if kind == HOST_CABLE:
            below, (end, state) = "host", _host_end(fabric, subnet, lower)
        else:
            below, end, state = tiers[lower], names[lower], "active"
        between = f"{below}-{tiers[upper]}"
        yield CableRow(subnet.name, between, f"{end}:{lower_port}", f"{names[upper]}:{upper_port}", rate, state)


def _host_end(fabric: Fabric, subnet: Subnet, port: int) -> tuple[str, str]:
    """`dgx-001/mlx5_0`, and the state of that port."""
    host = int(subnet.ports.host[port])
    hca = fabric.hosts.platforms[fabric.hosts.pool[host]].hcas[subnet.ports.hca[port]].name
    return f"{fabric.hosts.names[host]}/{hca}", _STATES.get(int(subnet.ports.state[port]), "down")


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
