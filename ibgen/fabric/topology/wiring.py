"""Which port goes to which: two tiers joined as evenly as the numbers allow, as arrays.

`join` takes counts and gives, for every uplink of every lower switch, the upper switch and the offset of the port there.
`cables` puts host ports and `Links` together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..columns import HOST_CABLE, Cables, Ints, Ports


@dataclass(frozen=True, slots=True)
class Links:
    """Cables of one kind between switches, row by row."""

    kind: int
    lower: Ints
    lower_port: Ints
    upper: Ints
    upper_port: Ints
    rate_gbps: float


def cables(ports: Ports, links: Sequence[Links]) -> Cables:
    """Host cables, then the others, kind by kind as given."""
    sizes = [len(ports.host), *(len(u.lower) for u in links)]
    return Cables(
        kind=np.repeat(np.array([HOST_CABLE, *(u.kind for u in links)], np.int32), sizes),
        lower=np.concatenate([np.arange(sizes[0], dtype=np.int32), *(u.lower for u in links)]),
        lower_port=np.concatenate([ports.port, *(u.lower_port for u in links)]),
        upper=np.concatenate([ports.leaf, *(u.upper for u in links)]),
        upper_port=np.concatenate([ports.leaf_port, *(u.upper_port for u in links)]),
        rate_gbps=np.concatenate([ports.rate_gbps, *(np.full(len(u.lower), u.rate_gbps) for u in links)]),
        line=np.full(sum(sizes), -1, np.int32),
    )


def join(lower: int, upper: int, links: int) -> tuple[Ints, Ints]:
    """(upper switch, port offset on it), both [lower, links], for `links` uplinks of each lower switch.

    Cables to one upper switch stand side by side. Where `links` does not divide, the odd cables go to consecutive upper
    switches, each lower switch starting where the one before it stopped, so that upper switches differ by one cable at
    most. A lower switch's ports on the upper ones do not depend on how many lower switches follow it.
    """
    pair, odd = divmod(links, upper)
    counts = np.full((lower, upper), pair, np.int32)
    if odd:
        start = np.arange(lower, dtype=np.int64)[:, None] * odd
        np.add.at(counts, (np.arange(lower)[:, None], (start + np.arange(odd)) % upper), 1)
    ends: Ints = np.repeat(np.tile(np.arange(upper, dtype=np.int32), lower), counts.ravel()).reshape(lower, links)
    first = np.cumsum(counts, axis=1, dtype=np.int32) - counts  # offset of the pair's first cable on the lower switch
    base = np.cumsum(counts, axis=0, dtype=np.int32) - counts  # ports that earlier lower switches take on the upper one
    rows = np.arange(lower)[:, None]
    offsets: Ints = base[rows, ends] + np.arange(links, dtype=np.int32) - first[rows, ends]
    return ends, offsets
