"""Specs for the tests of this room, as data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ibgen.catalog import standard
from ibgen.diagnostics import Finding
from ibgen.fabric import Fabric, Subnet, resolve
from ibgen.spec import ClusterSpec

CATALOG = standard()
UFM = {
    "kind": "generic",
    "hcas": [
        {"name": "mlx5_0", "rate": "400G", "role": "management"},
        {"name": "mlx5_1", "rate": "400G", "role": "management"},
    ],
}


def pool(name: str, hosts: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "hosts": hosts, "platform": "dgx-h100"} | fields


def adapters(count: int, **fields: Any) -> dict[str, Any]:
    return {"kind": "generic", "hcas": [{"name": f"mlx5_{i}", "rate": "400G"} | fields for i in range(count)]}


def fabric(name: str = "compute", attach: list[dict[str, Any]] | None = None, **topology: Any) -> dict[str, Any]:
    tree = {"kind": "fat-tree", "leaf": {"switch": "qm9700"}, "spine": {"switch": "qm9700"}}
    return {
        "name": name,
        "control": {"kind": "opensm"},
        "topology": topology if "kind" in topology else tree | topology,
        "attach": [{"pool": "gpu"}] if attach is None else attach,
    }


def cluster(pools: list[dict[str, Any]], *fabrics: dict[str, Any]) -> ClusterSpec:
    return ClusterSpec.model_validate({"ibgen": "1", "cluster": "lab", "pools": pools, "fabrics": list(fabrics)})


def built(pools: list[dict[str, Any]], *fabrics: dict[str, Any]) -> Fabric:
    result, findings = resolve(cluster(pools, *fabrics), CATALOG)
    assert not findings, findings
    assert result is not None
    return result


def found(pools: list[dict[str, Any]], *fabrics: dict[str, Any]) -> list[Finding]:
    return list(resolve(cluster(pools, *fabrics), CATALOG)[1])


def cabling(fabric: Fabric, subnet: Subnet) -> dict[str, str]:
    """Where every adapter port is plugged in: `dgx-001/mlx5_0:1` -> `leaf-u01-r0:1`."""
    p, names = subnet.ports, fabric.hosts.names
    result = {}
    for row in range(len(p.host)):
        platform = fabric.hosts.platforms[fabric.hosts.pool[p.host[row]]]
        end = f"{names[p.host[row]]}/{platform.hcas[p.hca[row]].name}:{p.port[row]}"
        result[end] = f"{subnet.switches.names[p.leaf[row]]}:{p.leaf_port[row]}"
    return result


def switch_ends(subnet: Subnet) -> np.ndarray:
    """(switch, port) of every cable end on a switch, reserved ports that nobody uses included."""
    c, spare = subnet.cables, ~subnet.reserved.used
    up = c.kind > 0
    switch = np.concatenate([c.upper, c.lower[up], subnet.reserved.leaf[spare]])
    return np.stack([switch, np.concatenate([c.upper_port, c.lower_port[up], subnet.reserved.leaf_port[spare]])], axis=1)
