"""The scripts that give virtual functions their GUIDs: what each sets, per class of hosts.

Takes `ClusterSpec`, `Fabric`, the classes. Gives `FunctionScript`s; `ibgen.targets.sriov` says how the GUIDs are laid out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ibgen.fabric import Fabric, Guids
from ibgen.hostlist import fold
from ibgen.spec import ClusterSpec

from .devices import HostClass
from .sriov import carriers, host_bits


@dataclass(frozen=True, slots=True)
class FunctionAdapter:
    """One adapter of a class: its functions' GUIDs end in `index` and the function's number."""

    device: str
    port: int
    index: int


@dataclass(frozen=True, slots=True)
class FunctionScript:
    """What `sriov/<class>.sh` does: `hosts` with the ten digits their GUIDs have in the middle."""

    name: str
    pool: int
    functions: int  # of each adapter
    adapters: tuple[FunctionAdapter, ...]
    hosts: tuple[tuple[str, str], ...]


def function_scripts(spec: ClusterSpec, fabric: Fabric, classes: Sequence[HostClass]) -> tuple[FunctionScript, ...]:
    """One per class of hosts with virtual functions on an InfiniBand fabric."""
    reached = [carriers(spec, fabric, s) for s in fabric.subnets]
    ports = {
        (int(fabric.hosts.pool[s.ports.host[r]]), int(s.ports.hca[r]), int(s.ports.port[r]))
        for s, keep in zip(fabric.subnets, reached, strict=True)
        if spec.fabrics[s.fabric].kind == "infiniband"
        for r in np.flatnonzero(keep).tolist()
    }
    bits = host_bits(fabric.hosts)
    return tuple(s for group in classes if (s := _script(spec, fabric, group, ports, bits)) is not None)


def _script(
    spec: ClusterSpec, fabric: Fabric, group: HostClass, ports: set[tuple[int, int, int]], bits: Guids
) -> FunctionScript | None:
    sriov = spec.pools[group.pool].sriov
    adapters = tuple(_adapters(group, ports))
    if sriov is None or not adapters:
        return None
    rows = [(name, int(bits[fabric.hosts.row[name]]) >> 12) for name in group.hosts]
    return FunctionScript(group.name, group.pool, sriov.vfs, adapters, tuple((name, f"{own:010x}") for name, own in rows))


def _adapters(group: HostClass, ports: set[tuple[int, int, int]]) -> Iterator[FunctionAdapter]:
    index = {hca.name: i for i, hca in enumerate(group.platform.hcas)}
    for hca, port in group.compute:
        if (group.pool, index[hca.name], port) in ports:
            yield FunctionAdapter(hca.name, port, index[hca.name])


def expect(script: FunctionScript) -> dict[str, Any]:
    """What the script must set, as plain JSON values."""
    return {
        "file": f"sriov/{script.name}.sh",
        "hosts": fold(name for name, _ in script.hosts),
        "functions": script.functions,
        "adapters": [f"{a.device}:{a.port}" for a in script.adapters],
    }
