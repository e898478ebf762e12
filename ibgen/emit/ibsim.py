"""`sim/<subnet>.net`: the subnet as ibsim reads it, so that the real OpenSM can be run on it before a cable is pulled.

Takes the `Fabric`. Left out are endpoints that are planned or out of service: their cable is not there. Every link stands on
both sides, as ibsim asks. Speeds stop at HDR, the fastest that ibsim 0.10 knows; a link of two lanes is drawn with four of
half the speed. At 65,536 endpoints this is 400,000 lines, so everything is sorted by numpy and joined once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ibgen.compilation import Complete
from ibgen.fabric import ACTIVE, HOST_CABLE, Fabric, Subnet

from . import Artifact, emitter
from .opensm import port_names
from .opensm_files import first_lines

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


def _links(
    near_port: npt.NDArray[np.int32],
    far: npt.NDArray[np.signedinteger[Any]],
    far_port: npt.NDArray[np.int32],
    rates: npt.NDArray[np.float64],
    ids: list[str],
) -> list[str]:
    """Lines `[port] "remote id"[remote port] speed`. Both ends of a line come from small tables: formatting numbers 400,000
    times over would be most of the work."""
    limits = np.array([limit for limit, _ in reversed(SPEEDS)])
    words = [word for _, word in reversed(SPEEDS)]
    speed = np.searchsorted(limits, rates, side="right") - 1
    span = int(far_port.max(initial=0)) + 1
    heads = [f'[{p}]\t"' for p in range(int(near_port.max(initial=0)) + 1)]
    tails = [f'"[{q}] {word}' for word in words for q in range(span)]
    ends = zip(near_port.tolist(), far.tolist(), (speed * span + far_port).tolist(), strict=True)
    return [heads[p] + ids[f] + tails[t] for p, f, t in ends]


def _switch_lines(subnet: Subnet, rows: npt.NDArray[np.intp], switch_ids: list[str], adapter_of: list[str]) -> Iterator[str]:
    ports, cables, switches = subnet.ports, subnet.cables, subnet.switches
    up = np.flatnonzero(cables.kind != HOST_CABLE)
    low, high = cables.lower[up], cables.upper[up]
    near = np.concatenate([low, high, ports.leaf[rows]])
    near_port = np.concatenate([cables.lower_port[up], cables.upper_port[up], ports.leaf_port[rows]])
    far = np.concatenate([high, low, len(switch_ids) + np.arange(len(rows))])
    far_port = np.concatenate([cables.upper_port[up], cables.lower_port[up], ports.port[rows]])
    rates = np.concatenate([cables.rate_gbps[up], cables.rate_gbps[up], ports.rate_gbps[rows]])
    order = np.lexsort((near_port, near))
    lines = _links(near_port[order], far[order], far_port[order], rates[order], [*switch_ids, *adapter_of])
    bounds = np.searchsorted(near[order], np.arange(len(switch_ids) + 1)).tolist()
    table = zip(switch_ids, switches.names, switches.guid.tolist(), switches.ports.tolist(), pairwise(bounds), strict=True)
    for id, name, guid, size, (start, end) in table:
        head = f'\nswitchguid=0x{guid:016x}\nSwitch\t{size} "{id}"\t# "{name}" enhanced port 0 lid 0 lmc 0'
        yield "\n".join([head, *lines[start:end]])


def _adapter_lines(
    subnet: Subnet,
    rows: npt.NDArray[np.intp],
    first: npt.NDArray[np.intp],
    descriptions: list[str],
    switch_ids: list[str],
    port_ids: list[str],
) -> Iterator[str]:
    ports = subnet.ports
    number = ports.port[rows]
    lines = _links(number, ports.leaf[rows], ports.leaf_port[rows], ports.rate_gbps[rows], switch_ids)
    guids = (ports.port_guid[rows] - number.astype(np.uint64))[first].tolist()
    bounds = [*first.tolist(), len(rows)]
    sizes = number[np.array(bounds[1:], dtype=np.intp) - 1].tolist()
    named = (descriptions[r] for r in rows[first].tolist())
    for id, name, guid, size, (start, end) in zip(port_ids, named, guids, sizes, pairwise(bounds), strict=True):
        links = lines[start] if end == start + 1 else "\n".join(lines[start:end])
        yield f'\ncaguid=0x{guid:016x}\nCa\t{size} "{id}"\t# "{name}"\n{links}'
