"""Declared efficiency of adaptive routing: a parameter with its source, which no model here computes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .fact import Fact


class AdaptiveShare(Fact):
    """`share` of line rate that adaptive routing is declared to keep on a fabric of full bisection."""

    share: Annotated[float, Field(gt=0, le=1)]
