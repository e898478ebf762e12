"""The switches of a cluster, one a line.

Takes `Fabric`. Gives a table or JSON. A GUID that is not bound to a real switch is shown with a star, and says so in JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ibgen.fabric import HOST_CABLE, Fabric, Subnet

from .cells import table
from .json import dumps
from .plan import TIERS

COLUMNS = ("fabric", "switch", "tier", "model", "unit", "rail", "pod", "down", "up", "guid")


def switches_table(fabric: Fabric) -> str:
    """Aligned columns under a header; a dash where a switch serves no single unit, rail or pod."""
    rows = [list(COLUMNS)]
    starred = False
    for row in _rows(fabric):
        starred |= not row["bound"]
        cells = ["-" if row[c] is None else str(row[c]) for c in COLUMNS]
        rows.append([*cells[:-1], cells[-1] + ("" if row["bound"] else "*")])
    note = "\n* made up: no GUID is bound to this switch\n" if starred else ""
    return "".join(line + "\n" for line in table(rows, frozenset({4, 5, 6, 7, 8}))) + note


def switches_json(fabric: Fabric) -> str:
    """A list of objects with the same columns, and `bound`."""
    return dumps({"format": "ibgen-switches", "version": 1, "switches": list(_rows(fabric))})


def _rows(fabric: Fabric) -> Iterator[dict[str, Any]]:
    for subnet in fabric.subnets:
        yield from _subnet(subnet)


def _subnet(subnet: Subnet) -> Iterator[dict[str, Any]]:
    s, cables = subnet.switches, subnet.cables
    down = np.bincount(cables.upper, minlength=len(s.names))
    up = np.bincount(cables.lower[cables.kind != HOST_CABLE], minlength=len(s.names))
    for i, name in enumerate(s.names):
        yield {
            "fabric": subnet.name,
            "switch": name,
            "tier": TIERS[s.tier[i]],
            "model": subnet.models[s.model[i]].id,
            "unit": int(s.unit[i]) or None,
            "rail": int(s.rail[i]) if s.rail[i] >= 0 else None,
            "pod": int(s.pod[i]) or None,
            "down": int(down[i]),
            "up": int(up[i]),
            "guid": f"0x{int(s.guid[i]):016x}",
            "bound": bool(s.bound[i]),
        }
