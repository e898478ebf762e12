"""`sim/<subnet>.net`: the subnet as ibsim reads it, so that the real OpenSM can be run on it before a cable is pulled.

Takes the `Fabric`. Left out are endpoints that are planned or out of service: their cable is not there. Every link stands on
both sides, as ibsim asks. Speeds stop at HDR, the fastest that ibsim 0.10 knows; a link of two lanes is drawn with four of
half the speed. At 65,536 endpoints this is 600,000 lines, so everything is sorted by numpy and joined once.
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
from .lines import Words, either, hexadecimal, joined, numbers, words
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
            yield Artifact(f"sim/{subnet.name}.net", net(c.spec.cluster, c.fabric, subnet))


def net(cluster: str, fabric: Fabric, subnet: Subnet) -> bytes:
    """The net file of one subnet."""
    ports, rows = subnet.ports, np.flatnonzero(subnet.ports.state == ACTIVE)
    first, node_of = _adapters(subnet, rows)
    descriptions = port_names(fabric, subnet)
    switch_ids = [_id(name, guid) for name, guid in zip(subnet.switches.names, subnet.switches.guid.tolist(), strict=True)]
    port_ids = _port_ids(subnet, descriptions, rows, first)
    synthetic = not (ports.bound[rows].all() and subnet.switches.bound.all())
    adapter_ids = words(port_ids)
    text = ["\n".join(first_lines(cluster, bool(synthetic))).encode()]
    text += _switch_lines(subnet, rows, switch_ids, adapter_ids[node_of])
    text += [_adapter_lines(subnet, rows, first, words(descriptions[r] for r in rows[first].tolist()), switch_ids, adapter_ids)]
    return b"".join((*text, b"\n"))


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
    ids: Words,
) -> tuple[Words | bytes, ...]:
    """Columns of lines `[port] "remote id"[remote port] speed`, each after a line break."""
    limits = np.array([limit for limit, _ in reversed(SPEEDS)])
    speeds = words(word for _, word in reversed(SPEEDS))
    speed = speeds[np.searchsorted(limits, rates, side="right") - 1]
    return b"\n[", numbers(near_port), b']\t"', ids[far], b'"[', numbers(far_port), b"] ", speed


def _switch_lines(subnet: Subnet, rows: npt.NDArray[np.intp], switch_ids: list[str], adapter_of: Words) -> Iterator[bytes]:
    """Per switch a head and a line per link, each line after its break."""
    ports, cables, switches = subnet.ports, subnet.cables, subnet.switches
    up = np.flatnonzero(cables.kind != HOST_CABLE)
    low, high = cables.lower[up], cables.upper[up]
    near = np.concatenate([low, high, ports.leaf[rows]])
    near_port = np.concatenate([cables.lower_port[up], cables.upper_port[up], ports.leaf_port[rows]])
    far = np.concatenate([high, low, len(switch_ids) + np.arange(len(rows))])
    far_port = np.concatenate([cables.upper_port[up], cables.lower_port[up], ports.port[rows]])
    rates = np.concatenate([cables.rate_gbps[up], cables.rate_gbps[up], ports.rate_gbps[rows]])
    order = np.lexsort((near_port, near))
    ids = np.concatenate([words(switch_ids), adapter_of])
    text = joined(*_links(near_port[order], far[order], far_port[order], rates[order], ids))
    breaks = np.append(np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")), len(text))
    bounds = breaks[np.searchsorted(near[order], np.arange(len(switch_ids) + 1))].tolist()
    table = zip(switch_ids, switches.names, switches.guid.tolist(), switches.ports.tolist(), pairwise(bounds), strict=True)
    for id, name, guid, size, (start, end) in table:
        head = f'\n\nswitchguid=0x{guid:016x}\nSwitch\t{size} "{id}"\t# "{name}" enhanced port 0 lid 0 lmc 0'
        yield head.encode() + text[start:end]


def _adapter_lines(
    subnet: Subnet,
    rows: npt.NDArray[np.intp],
    first: npt.NDArray[np.intp],
    descriptions: Words,
    switch_ids: list[str],
    adapter_ids: Words,
) -> bytes:
    """Per adapter a head before the line of its first port."""
    ports = subnet.ports
    number = ports.port[rows]
    begins = np.zeros(len(rows), dtype=bool)
    begins[first] = True
    guids = ports.port_guid[rows[first]] - number[first].astype(np.uint64)
    sizes = number[np.append(first, len(rows))[1:] - 1]  # the highest port, for ports are in order
    head = (
        b"\n\ncaguid=0x", hexadecimal(guids), b"\nCa\t", numbers(sizes), b' "', adapter_ids, b'"\t# "', descriptions, b'"',
    )  # fmt: skip
    links = _links(number, ports.leaf[rows], ports.leaf_port[rows], ports.rate_gbps[rows], words(switch_ids))
    return joined(*(either(begins, part, b"") for part in head), *links)
