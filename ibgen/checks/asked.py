"""What the spec asks of a tier: `requirements.oversubscription` in its three forms, read once for all rules."""

from __future__ import annotations

from ibgen.diagnostics import Path
from ibgen.spec import ClusterSpec


def asked_ratio(spec: ClusterSpec, fabric: int, tier: str) -> tuple[float, Path]:
    """(largest allowed down:up ratio, path that asks for it) for one tier of one fabric; no limit is infinite."""
    asked = spec.requirements.oversubscription
    at: Path = ("requirements", "oversubscription")
    if isinstance(asked, float):
        return asked, at
    name = spec.fabrics[fabric].name
    by_tier = asked.get(name)
    if by_tier is None:
        return float("inf"), at
    if isinstance(by_tier, float):
        return by_tier, (*at, name)
    ratio = by_tier.get(tier)
    return (float("inf"), (*at, name)) if ratio is None else (ratio, (*at, name, tier))
