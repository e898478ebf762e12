"""`sim/<subnet>.net`: the subnet as ibsim reads it, so that the real OpenSM can be run on it before a cable is pulled.

Takes the `Fabric`. Left out are endpoints that are planned or out of service: their cable is not there. Every link stands on
both sides, as ibsim asks. Speeds stop at HDR, the fastest that ibsim 0.10 knows; a link of two lanes is drawn with four of
half the speed. At 65,536 endpoints this is 400,000 lines, so everything is sorted by numpy and joined once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ibgen.compilation import Complete
from ibgen.fabric import ACTIVE, HOST_CABLE, Fabric, Subnet

from . import Artifact, emitter
from .opensm import first_lines, port_names

SPEEDS = ((200, "s=7 e=7"), (100, "s=7 e=3"), (56, "s=7 e=1"), (40, "s=7"), (20, "s=3"), (0, "s=1"))
"""Gb/s of a 4x link and ibsim's bitmasks of enabled speeds: s = SDR 1, DDR 2, QDR 4; e = FDR 1, EDR 2, HDR 4."""

LONGEST_ID = 64
"""Characters that ibsim keeps of a node's id (its NODEIDLEN)."""


@emitter("ibsim")
def ibsim(c: Complete) -> Iterator[Artifact]:
    """One net file per InfiniBand subnet whose links are known."""
    for subnet in c.fabric.subnets:
        if c.spec.fabrics[subnet.fabric].kind == "infiniband":
            yield Artifact(f"sim/{subnet.name}.net", net(c.spec.cluster, c.fabric, subnet).encode())


def net(cluster: str, fabric: Fabric, subnet: Subnet) -> str:
    """The net file of one subnet."""
    ports, rows = subnet.ports, np.flatnonzero(subnet.ports.state == ACTIVE)
    first, node_of = _adapters(subnet, rows)
    descriptions = port_names(fabric, subnet)
    switch_ids = [_id(name, guid) for name, guid in zip(subnet.switches.names, subnet.switches.guid.tolist(), strict=True)]
    port_ids = _port_ids(subnet, descriptions, rows, first)
    synthetic = not (ports.bound[rows].all() and subnet.switches.bound.all())
    lines = first_lines(cluster, bool(synthetic))
    lines += _switch_lines(subnet, rows, switch_ids, [port_ids[n] for n in node_of.tolist()])
    lines += _adapter_lines(subnet, rows, first, descriptions, switch_ids, port_ids)
    return "\n".join(lines) + "\n"


def _adapters(subnet: Subnet, rows: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Where in `rows` each simulated adapter starts, and the adapter of each row.

    ibsim gives port p of an adapter the GUID base + p. So ports of one adapter share a node there only where their GUIDs follow
    one another; otherwise each is a node of its own, and partitions meet the GUIDs they name.
    """
    ports = subnet.ports
    base = ports.port_guid[rows] - ports.port[rows].astype(np.uint64)
    keys = (ports.host[rows], ports.hca[rows], base)
    change = np.zeros(len(rows), dtype=bool)
    change[:1] = True
    for key in keys:
        change[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(change), np.cumsum(change) - 1


def _port_ids(subnet: Subnet, descriptions: list[str], rows: npt.NDArray[np.intp], first: npt.NDArray[np.intp]) -> list[str]:
    """An id per adapter: `dgx-001/mlx5_0`; with the port behind it where an adapter had to be taken apart."""
    taken = [descriptions[r].replace(" ", "/") for r in rows[first].tolist()]
    twice = {name for name, after in pairwise(taken) if name == after}
    numbers = subnet.ports.port[rows[first]].tolist()
    names = [f"{name}.{port}" if name in twice else name for name, port in zip(taken, numbers, strict=True)] if twice else taken
    return [_id(name, guid) for name, guid in zip(names, subnet.ports.port_guid[rows[first]].tolist(), strict=True)]


def _id(name: str, guid: int) -> str:
    return name if len(name) < LONGEST_ID else f"guid-{guid:016x}"


def _speed(rates: npt.NDArray[np.float64]) -> list[str]:
    limits = np.array([limit for limit, _ in reversed(SPEEDS)])
    words = [word for _, word in reversed(SPEEDS)]
    return [words[i] for i in (np.searchsorted(limits, rates, side="right") - 1).tolist()]


def _switch_lines(subnet: Subnet, rows: npt.NDArray[np.intp], switch_ids: list[str], adapter_of: list[str]) -> Iterator[str]:
    ports, cables, switches = subnet.ports, subnet.cables, subnet.switches
    up = np.flatnonzero(cables.kind != HOST_CABLE)
    low, high = cables.lower[up], cables.upper[up]
    near = np.concatenate([low, high, ports.leaf[rows]])
    near_port = np.concatenate([cables.lower_port[up], cables.upper_port[up], ports.leaf_port[rows]])
    far = np.concatenate([high, low, len(switch_ids) + np.arange(len(rows))])
    far_port = np.concatenate([cables.upper_port[up], cables.lower_port[up], ports.port[rows]])
    speed = _speed(np.concatenate([cables.rate_gbps[up], cables.rate_gbps[up], ports.rate_gbps[rows]]))
    ids = [*switch_ids, *adapter_of]
    order = np.lexsort((near_port, near))
    links = [
        f'[{p}]\t"{ids[f]}"[{q}] {speed[i]}'
        for p, f, q, i in zip(
            near_port[order].tolist(), far[order].tolist(), far_port[order].tolist(), order.tolist(), strict=True
        )
    ]
    bounds = np.searchsorted(near[order], np.arange(len(switch_ids) + 1)).tolist()
    sizes = switches.ports.tolist()
    for s, (id, guid) in enumerate(zip(switch_ids, switches.guid.tolist(), strict=True)):
        yield f'\nswitchguid=0x{guid:016x}\nSwitch\t{sizes[s]} "{id}"\t# "{switches.names[s]}" enhanced port 0 lid 0 lmc 0'
        yield from links[bounds[s] : bounds[s + 1]]


def _adapter_lines(
    subnet: Subnet,
    rows: npt.NDArray[np.intp],
    first: npt.NDArray[np.intp],
    descriptions: list[str],
    switch_ids: list[str],
    port_ids: list[str],
) -> Iterator[str]:
    ports = subnet.ports
    numbers, guids = ports.port[rows].tolist(), ports.port_guid[rows].tolist()
    leaves, leaf_ports = ports.leaf[rows].tolist(), ports.leaf_port[rows].tolist()
    speed, order = _speed(ports.rate_gbps[rows]), rows.tolist()
    ends = [*first[1:].tolist(), len(rows)]
    for id, start, end in zip(port_ids, first.tolist(), ends, strict=True):
        yield (
            f'\ncaguid=0x{guids[start] - numbers[start]:016x}\nCa\t{numbers[end - 1]} "{id}"\t# "{descriptions[order[start]]}"'
        )
        for i in range(start, end):
            yield f'[{numbers[i]}]\t"{switch_ids[leaves[i]]}"[{leaf_ports[i]}] {speed[i]}'
