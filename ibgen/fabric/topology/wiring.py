"""Which port goes to which: two tiers joined as evenly as the numbers allow, as arrays.

Takes counts. Gives, for every uplink of every lower switch, the upper switch and the offset of the port there.
"""

from __future__ import annotations

import numpy as np

from ..columns import Ints


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
