"""How long a subnet is without a manager when its master dies, from the options of its standby.

A standby asks the master how it is every `sminfo_polling_timeout`; after `polling_retry_number` asks without an answer it
takes over and sweeps the fabric. Killed under ibsim, 1,000 ms x 3 took about 4 s (measured); the defaults, 10 s x 4, are 40 s
and more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .opensm_lines import Option

POLLING_MS, RETRIES = 10_000, 4
"""OpenSM's defaults (`opensm -c` of 3.3.23)."""


@dataclass(frozen=True, slots=True)
class Handover:
    """`soonest_s` to `latest_s`: from the master's death to the sweep of the one that takes over."""

    polling_ms: int
    retries: int

    @property
    def soonest_s(self) -> float:
        return self.polling_ms * self.retries / 1000

    @property
    def latest_s(self) -> float:
        return self.polling_ms * (self.retries + 1) / 1000

    def said(self) -> str:
        """For people: `40 to 50 s`."""
        return f"{self.soonest_s:g} to {self.latest_s:g} s"


def handover(options: Iterable[Option]) -> Handover:
    """By the options as they will stand in opensm.conf."""
    values = {o.name: o.value for o in options}
    polling = values.get("sminfo_polling_timeout", str(POLLING_MS))
    return Handover(int(polling, 0), int(values.get("polling_retry_number", str(RETRIES)), 0))
