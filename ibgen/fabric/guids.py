"""Synthetic GUIDs: a number for every name, the same in every run, whatever the order or the size of the spec.

Takes names. Gives 64-bit GUIDs that no vendor has assigned, laid out as

    bits 63-56  0x02: locally administered, so never a vendor's (EUI-64, IEEE guidelines; an OUI has this bit clear)
    bits 55-52  1 switch, 2 host
    bits 51-12  BLAKE2b of the name, 40 bits
    bits 11-4   index of the HCA on its host
    bits  3-0   0; a port's GUID is the node's plus the port number, as ibsim numbers them (sim_net.c)

Two names with one hash (1 in 500 for a full 64k cluster) are told apart in the order of the names, not of the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from .columns import Guids, Ints

SWITCH, HOST = 1, 2

_LOCAL = 0x02 << 56


def name_guids(names: Sequence[str], kind: int) -> Guids:
    """The node GUID of HCA 0 (or of the switch) per name; names must be distinct. [N]"""
    digests = b"".join([hashlib.blake2b(name.encode(), digest_size=5).digest() for name in names])
    octets = np.zeros((len(names), 8), np.uint8)
    octets[:, 3:] = np.frombuffer(digests, np.uint8).reshape(-1, 5)
    hashes = octets.view(">u8").ravel().astype(np.uint64)
    if len(np.unique(hashes)) != len(hashes):
        hashes = _apart(names, hashes)
    guids: Guids = np.uint64(_LOCAL | kind << 52) | hashes << np.uint64(12)
    return guids


def node_guids(host_guid: Guids, hca: Ints) -> Guids:
    """The node GUID of an adapter from its host's. [E]"""
    guids: Guids = host_guid | hca.astype(np.uint64) << np.uint64(4)
    return guids


def port_guids(node_guid: Guids, port: Ints) -> Guids:
    """The port GUID from the node's. [E]"""
    guids: Guids = node_guid + port.astype(np.uint64)
    return guids


def is_synthetic(guid: int) -> bool:
    """Whether a GUID is of this module's making."""
    return guid >> 56 == 0x02 and guid >> 52 & 0xF in (SWITCH, HOST)


def _apart(names: Sequence[str], hashes: Guids) -> Guids:
    """Gives every name but the first of a colliding set (in the order of names) the next free hash of the name and a count."""
    values, counts = np.unique(hashes, return_counts=True)
    taken = set(values.tolist())
    result = hashes.copy()
    for value in values[counts > 1].tolist():
        rows = sorted(np.flatnonzero(hashes == value).tolist(), key=names.__getitem__)
        for row in rows[1:]:
            result[row] = next(h for h in _further(names[row]) if h not in taken)
            taken.add(int(result[row]))
    return result


def _further(name: str) -> Iterable[int]:
    count = 0
    while True:
        count += 1
        yield int.from_bytes(hashlib.blake2b(f"{name}\0{count}".encode(), digest_size=5).digest(), "big")
