"""NCCL_IB_HCA: writing the list, and what a list somebody else wrote selects.

The matcher is NCCL's own logic (`parseStringList` and `matchIfList`, the same from 2.8 to 2.30 but for the rail and plane
fields), measured on 2.21.5: a leading `^` excludes, then a leading `=` makes names exact, elsewhere both are part of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

MAX_HCAS = 32
"""Entries NCCL keeps of the list (MAX_IB_DEVS in its transport/net_ib.cc)."""

MAX_NAME = 63
"""Characters it keeps of one name (a field of 64 bytes)."""

ANY_PORT = -1

Port = tuple[str, int]


Place = tuple[int, int | None]
"""Rail and plane of a port, from 0; no plane where there is one only."""


def exactly(ports: Iterable[Port], places: Mapping[Port, Place] = MappingProxyType({})) -> str:
    """The value that selects these ports and nothing else: `=` once, at the front, every port explicit, no blanks. With
    `places` each port is followed by its rail and plane, which libraries from 2.30.5 on read."""
    return "=" + ",".join(f"{name}:{port}{_place(places.get((name, port)))}" for name, port in ports)


def _place(place: Place | None) -> str:
    return "".join(f":{number}" for number in place or () if number is not None)


def selected(value: str, ports: Iterable[Port]) -> list[Port]:
    """Those of a host's ports that NCCL would use with this value. An empty value selects all."""
    exclude = value.startswith("^")
    rest = value[1:] if exclude else value
    exact = rest.startswith("=")
    rest = rest[1:] if exact else rest
    wanted = _entries(rest)
    if not wanted:
        return list(ports)
    return [p for p in ports if any(_matches(p, entry, exact) for entry in wanted) != exclude]


def _entries(text: str) -> list[Port]:
    entries: list[Port] = []
    for part in text.split(","):
        name, colon, rest = part.partition(":")
        if not name:
            continue
        # what follows a second colon is rail and plane (2.30.5); atoi: no digits are 0, which is no port
        number = re.match(r"\s*[+-]?\d+", rest.partition(":")[0])
        any_port = not colon or rest.startswith(":")
        entries.append((name[:MAX_NAME], ANY_PORT if any_port else int(number[0]) if number else 0))
    return entries[:MAX_HCAS]


def _matches(port: Port, entry: Port, exact: bool) -> bool:
    name, number = entry
    same = port[0] == name if exact else port[0].startswith(name)
    return same and number in (ANY_PORT, port[1])
