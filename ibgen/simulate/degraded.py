"""Cables that run below their rate: a bad transceiver, lanes that are down.

Takes a fabric, parts of it and a rate. Gives the fabric with these cables at that rate; everything counted or simulated on it
heeds it. No cable becomes faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ibgen.fabric import HOST_CABLE, Fabric, Subnet

from .parts import Part


def degraded(fabric: Fabric, parts: Sequence[Part], gbps: float) -> Fabric:
    """`gbps`: Gb/s that the parts' cables have left; of a switch or a host all of its cables."""
    subnets = list(fabric.subnets)
    for row in sorted({p.subnet for p in parts}):
        for part in (p for p in parts if p.subnet == row):
            subnets[row] = _slower(subnets[row], part, gbps)
    return replace(fabric, subnets=tuple(subnets))


def _slower(s: Subnet, part: Part, gbps: float) -> Subnet:
    c, gone = s.cables, part.removed
    host = c.kind == HOST_CABLE
    hit = np.zeros(len(c.kind), bool)
    hit[list(gone.cables)] = True
    hit |= np.isin(c.upper, gone.switches) | (~host & np.isin(c.lower, gone.switches))
    hit |= host & np.isin(c.lower, gone.endpoints)
    rates = np.where(hit, np.minimum(c.rate_gbps, gbps), c.rate_gbps).astype(c.rate_gbps.dtype)
    own = s.ports.rate_gbps.copy()
    rows = c.lower[hit & host]
    own[rows] = np.minimum(own[rows], gbps)
    return replace(s, cables=replace(c, rate_gbps=rates), ports=replace(s.ports, rate_gbps=own))
