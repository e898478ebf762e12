"""Which subnets are one shape: planes, and rails without a spine, that differ in names and GUIDs only.

Takes a `Fabric`. Gives groups of subnet rows: what is simulated for the first of a group holds for all of it.
"""

from __future__ import annotations

import hashlib

import numpy as np

from ibgen.fabric import Fabric, Subnet


def alike(fabric: Fabric, rows: tuple[int, ...] | None = None) -> tuple[tuple[int, ...], ...]:
    """Rows of `fabric.subnets` (all, or those of `rows`) by fabric and shape, in the order of the first of each group."""
    chosen = range(len(fabric.subnets)) if rows is None else rows
    siblings = np.bincount([fabric.subnets[row].fabric for row in chosen]) if len(chosen) else np.zeros(0, np.intp)
    groups: dict[tuple[int, bytes], list[int]] = {}
    for row in chosen:
        s = fabric.subnets[row]
        key = shape(fabric, s) if siblings[s.fabric] > 1 else b""
        groups.setdefault((s.fabric, key), []).append(row)
    return tuple(tuple(group) for group in groups.values())


def shape(fabric: Fabric, subnet: Subnet) -> bytes:
    """A digest of all that traffic depends on: cables, switches, and what hangs where. Hosts count by their order, rails and
    adapter ports by their distance from the lowest."""
    c, w, p = subnet.cables, subnet.switches, subnet.ports
    hosts, host = np.unique(p.host, return_inverse=True)
    columns = (
        c.kind, c.lower, c.lower_port, c.upper, c.upper_port, c.rate_gbps,
        w.tier, w.pod, w.unit - w.unit.min(initial=0), w.ports, w.split,
        host, fabric.hosts.pool[hosts], fabric.hosts.state[hosts], _from_least(p.rail), p.port - p.port.min(initial=1),
        p.rate_gbps, p.compute, p.leaf, p.leaf_port, p.state,
    )  # fmt: skip
    digest = hashlib.blake2b(digest_size=16)
    for column in columns:
        digest.update(str((column.dtype.str, column.shape)).encode())
        digest.update(np.ascontiguousarray(column).tobytes())
    digest.update("\0".join(m.id for m in (subnet.models[i] for i in w.model)).encode())
    return digest.digest()


def _from_least(rail: np.ndarray[tuple[int], np.dtype[np.int32]]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Rails counted from the lowest there is; ports without one stay -1."""
    known = rail >= 0
    return np.where(known, rail - rail[known].min(initial=np.iinfo(np.int32).max), -1).astype(np.int32)
