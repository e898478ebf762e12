"""What the spec asks of a tier: `requirements.oversubscription` in its three forms, read once for all rules."""

from __future__ import annotations

from ibgen.diagnostics import Path
from ibgen.spec import ClusterSpec


def asked_ratio(spec: ClusterSpec, fabric: int, tier: str) -> tuple[float, Path]:
    """(largest allowed down:up ratio, path that asks for it) for one tier of one fabric; no limit is infinite.

    The path is empty where the ratio is the language's default: no line asks for it.
    """
    asked = spec.requirements.oversubscription
    written = "oversubscription" in spec.requirements.model_fields_set
    at: Path = ("requirements", "oversubscription") if written else ()
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
