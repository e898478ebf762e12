"""All-to-all where links differ in rate: uplinks of 400 Gb/s above split host ports of 200 carry two flows at a host's rate.

Takes counts of flows and the rates of links. Gives the share of line rate and the loads by rate. Where all links have one rate,
counts say the same and stay as they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .loads import Counts
from .rates import Rates
from .results import PatternResult

NOTE = "exact; share by the rate of the fullest link, for its flows"


def differ(links: Rates, wired: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
    """Whether the links of a subnet have several rates. Both [S * width]."""
    used = links[wired]
    return bool(len(used) and used.min() != used.max())


def by_rate(counts: Counts, links: Rates, line: float) -> Counts:
    """Flows that would fill a link of line rate as much as these fill their own, rounded up. [S * width]"""
    slots = np.divide(counts * line, links, out=np.zeros(len(counts)), where=links > 0)
    return np.ceil(slots - 1e-9).astype(np.int64)


def every_pair_by_rate(
    every: PatternResult, counts: Counts, injected: Counts, links: Rates, own: Rates, line: float
) -> PatternResult:
    """The all-to-all with the share that the slowest link leaves: of line rate, one flow per ordered pair."""
    crowd, rate = np.concatenate([counts, injected]), np.concatenate([links, own])
    used = crowd > 0
    if not used.any() or line <= 0:
        return every
    senders = int(injected.max(initial=0))
    share = float((rate[used] / crowd[used]).min()) * senders / line
    return replace(every, share=min(1.0, share), note=NOTE)
