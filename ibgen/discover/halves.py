"""Link lines as columns.

Takes `Raw`. Gives `Halves`: what each end says of each cable, numbers in the place of texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ibgen.fabric import Bools, Guids, Ints, Rates
from ibgen.units import LANE_GBPS

from .record_lines import KINDS, Raw

_UNASSIGNED = 65535  # the LID of a port that has none
_COLUMNS = 11


@dataclass(frozen=True)
class Halves:
    """Two rows a cable where both its ends were seen. `near` is the end that speaks. [R]"""

    near: Guids  # node GUIDs
    near_port: Ints
    near_guid: Guids  # port GUIDs
    near_told: Bools  # whether the line gives it: a zero that is given is another thing
    near_lid: Ints  # 0 where none is assigned
    far: Guids
    far_kind: Ints
    far_port: Ints
    far_guid: Guids
    far_told: Bools
    far_lid: Ints
    far_description: tuple[str, ...]
    width: Ints  # lanes; 0 where not told
    gbps: Rates  # data rate; 0 where not told, or of an unknown speed
    line: Ints


def halves(raw: Raw) -> Halves:
    """The columns of all link lines."""
    columns: Sequence[Sequence[str | None]] = list(zip(*raw.links, strict=True)) or [()] * _COLUMNS
    port, own, letter, peer, peer_port, peer_own, lid, description, far_lid, width, speed = columns
    lanes = np.array([int(w[:3]) if w else 0 for w in width], np.int32)
    lane_gbps = np.array([LANE_GBPS.get(s.upper(), 0.0) if s else 0.0 for s in speed], np.float64)
    return Halves(
        near=np.array([raw.guid[i] for i in raw.near], np.uint64),
        near_port=_numbers(port),
        near_guid=_guids(own),
        near_told=np.array([g is not None for g in own], np.bool_),
        near_lid=_lids(lid),
        far=_guids(peer),
        far_kind=np.array([KINDS[k.upper()] if k else 0 for k in letter], np.int32),
        far_port=_numbers(peer_port),
        far_guid=_guids(peer_own),
        far_told=np.array([g is not None for g in peer_own], np.bool_),
        far_lid=_lids(far_lid),
        far_description=tuple(d or "" for d in description),
        width=lanes,
        gbps=lanes * lane_gbps,
        line=np.array(raw.link_line, np.int32),
    )


def _guids(texts: Iterable[str | None]) -> Guids:
    return np.array([int(t, 16) if t else 0 for t in texts], np.uint64)


def _numbers(texts: Iterable[str | None]) -> Ints:
    return np.array([int(t) if t else 0 for t in texts], np.int32)


def _lids(texts: Iterable[str | None]) -> Ints:
    lids = np.array([int(t[:6]) if t else 0 for t in texts], np.int32)
    assigned: Ints = np.where(lids < _UNASSIGNED, lids, 0).astype(np.int32)
    return assigned
