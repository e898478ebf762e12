"""How hosts' adapters lie on the leaves: one rail per leaf, one host per leaf, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ibgen.fabric import Subnet


@dataclass(frozen=True, slots=True)
class RailAlignment:
    """One subnet's design, read off the cables rather than off the intent."""

    subnet: str
    fabric: int  # row of `spec.fabrics`
    design: Literal["rail", "host", "single", "mixed"]
    aligned: float  # share of the rail endpoints that lie on a leaf of their own rail, 0 to 1
    strays: npt.NDArray[np.intp]  # rows of Ports whose leaf belongs to another rail


def rail_alignment(subnet: Subnet) -> RailAlignment:
    """Classifies the design first: hosts that keep all adapters on one leaf are no broken rails."""
    ports = subnet.ports
    rows = np.flatnonzero(ports.rail >= 0)
    host, rail, leaf = ports.host[rows], ports.rail[rows], ports.leaf[rows]
    none = np.zeros(0, dtype=np.intp)
    if not len(rows) or rail.max() == 0:
        return RailAlignment(subnet.name, subnet.fabric, "single", 1.0, none)
    if _one_leaf_per_host(host, leaf):
        return RailAlignment(subnet.name, subnet.fabric, "host", 1.0, none)
    rails = int(rail.max()) + 1
    counts = np.bincount(leaf * rails + rail, minlength=len(subnet.switches.names) * rails).reshape(-1, rails)
    strays = rows[counts.argmax(axis=1)[leaf] != rail]
    aligned = 1.0 - len(strays) / len(rows)
    return RailAlignment(subnet.name, subnet.fabric, "rail" if aligned >= 0.5 else "mixed", aligned, strays)


def _one_leaf_per_host(host: npt.NDArray[np.int32], leaf: npt.NDArray[np.int32]) -> bool:
    order = np.argsort(host, kind="stable")
    same_host = host[order][1:] == host[order][:-1]
    return bool((leaf[order][1:] == leaf[order][:-1])[same_host].all())
