"""Virtual functions: which there are, and the GUIDs they are given.

Takes `ClusterSpec`, `Fabric`, a subnet. Gives `VirtualFunctions` (the subnet's, as columns) and `numbers` (a written range).
GUIDs follow from names alone, laid out as

    bits 63-56  0x02: locally administered, so never a vendor's (EUI-64, IEEE guidelines; an OUI has this bit clear)
    bits 55-52  3: a node GUID; 3 + port: a port GUID. 1 and 2 are synthetic GUIDs of switches and hosts (`ibgen.fabric`)
    bits 51-12  BLAKE2b of the host's name, 40 bits, told apart where two names have one
    bits 11-7   index of the adapter in the platform
    bits  6-0   number of the virtual function

They are never zero and never equal to one another; equal to a vendor's only where a binding says so, which is a finding.
Unlike synthetic GUIDs they are the real ones: the host script sets them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ibgen.fabric import PLANNED, Bools, Fabric, Guids, Hosts, Ints, Subnet
from ibgen.fabric.guids import name_guids
from ibgen.spec import ClusterSpec

NODE = 3
"""Kind of a node GUID of a virtual function; a port's is this plus the port's number."""

MOST_ADAPTERS = 1 << 5
"""Adapters of a host that the layout has room for."""

_HOST = np.uint64((1 << 40) - 1 << 12)


@dataclass(frozen=True)
class VirtualFunctions:
    """V virtual functions of one subnet, by row of its Ports, then number."""

    port: Ints  # [V] row of the subnet's Ports
    number: Ints  # [V] from 0
    node_guid: Guids  # [V]
    port_guid: Guids  # [V]


def numbers(text: str) -> tuple[int, ...]:
    """`0-3,6` -> (0, 1, 2, 3, 6). ValueError says what is wrong."""
    found: set[int] = set()
    for part in text.replace(" ", "").split(","):
        match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", part)
        if match is None:
            raise ValueError(f"`{part}` is no number and no range such as 0-3")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise ValueError(f"`{part}` runs backwards")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def virtual_functions(spec: ClusterSpec, fabric: Fabric, subnet: Subnet) -> VirtualFunctions:
    """Every virtual function whose adapter is on the subnet; those of planned hosts come when the hosts do."""
    rows = np.flatnonzero(carriers(spec, fabric, subnet) & (subnet.ports.state != PLANNED))
    counts = _counts(spec)[fabric.hosts.pool[subnet.ports.host[rows]]]
    port = np.repeat(rows, counts).astype(np.int32)
    number = np.concatenate([np.arange(n, dtype=np.int32) for n in counts.tolist()] or [np.zeros(0, np.int32)])
    own = host_bits(fabric.hosts)[subnet.ports.host[port]]
    low = subnet.ports.hca[port].astype(np.uint64) << np.uint64(7) | number.astype(np.uint64)
    kind = np.uint64(NODE) + subnet.ports.port[port].astype(np.uint64)
    base = np.uint64(0x02 << 56) | own | low
    return VirtualFunctions(port, number, base | np.uint64(NODE << 52), base | kind << np.uint64(52))


def needs_virtualisation(spec: ClusterSpec, fabric: Fabric, subnet: Subnet) -> bool:
    """Whether the subnet's manager must serve virtual functions."""
    return bool(carriers(spec, fabric, subnet).any())


def carriers(spec: ClusterSpec, fabric: Fabric, subnet: Subnet) -> Bools:
    """[E] whether a port's adapter has virtual functions."""
    keep: Bools = subnet.ports.compute & (_counts(spec) > 0)[fabric.hosts.pool[subnet.ports.host]]
    return keep & (subnet.ports.hca < MOST_ADAPTERS)


def _counts(spec: ClusterSpec) -> Ints:
    return np.array([pool.sriov.vfs if pool.sriov else 0 for pool in spec.pools], dtype=np.int32)


def host_bits(hosts: Hosts) -> Guids:
    """[H] what a host's GUIDs have in bits 51 to 12."""
    bits: Guids = name_guids(hosts.names, NODE) & _HOST
    return bits
