"""Cables and transceivers by kind: how far, how fast, how much power."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .fact import Amount, Fact, Gbps, Maybe


class CableModel(Fact):
    """`rate_gbps` is the rate of one port and absent where the kind serves any; `ports` is 2 for a twin-port module.

    `power_w` is the power of one end (0 W where the switch feeds none). `max_m` is the longest run in metres.
    """

    kind: Literal["copper", "active-copper", "active-optical", "transceiver"]
    max_m: float = Field(gt=0, allow_inf_nan=False)
    rate_gbps: Annotated[Gbps | None, Maybe] = None
    ports: int = Field(default=1, ge=1, le=2)
    power_w: Annotated[Amount | None, Maybe] = None
    price_usd: Annotated[Amount | None, Maybe] = None
