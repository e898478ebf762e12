from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec, TrafficClass
from ibgen.targets.opensm_partitions import UPSTREAM_LAST_RATE
from ibgen.units import OPENSM_RATES, gbps_text


@rule("IBG334", "rate-limit", Severity.ERROR)
def rate_limit(spec: ClusterSpec) -> Iterator[Finding]:
    """A class's rate limit is no rate that a path can have.

    Paths carry a number for their rate, and only certain rates have one (2.5 Gb/s to 1.2 Tb/s; upstream OpenSM 3.3.23 knows
    them up to 600 Gb/s). A limit without a number would not be written. Nor is that of a class for NCCL, UCX or
    IPoIB that names no pool, partition or service: those programs never ask for a path that has a limit (a warning).

    Bad:
        fabrics: [{name: compute, qos: {classes: [{name: storage, use: storage, sl: 2, rate_limit: 150G}]}}]
    Good:
        fabrics: [{name: compute, qos: {classes: [{name: storage, use: storage, sl: 2, rate_limit: 100G}]}}]
    """
    for i, fabric in enumerate(spec.fabrics):
        last = UPSTREAM_LAST_RATE if fabric.control.flavour == "upstream" else max(OPENSM_RATES.values())
        known = {rate for rate, code in OPENSM_RATES.items() if code <= last}
        for n, traffic in enumerate(fabric.qos.classes if fabric.qos else ()):
            if traffic.rate_limit is not None and traffic.rate_limit not in known:
                below = max((r for r in known if r < traffic.rate_limit), default=min(known))
                yield rate_limit.finding(
                    f"a path cannot be limited to {gbps_text(traffic.rate_limit)}",
                    ("fabrics", i, "qos", "classes", n, "rate_limit"),
                    hint=f"the next rate below is {gbps_text(below)}",
                )
            elif traffic.rate_limit is not None and not _asks(traffic):
                yield rate_limit.finding(
                    f"{traffic.use} traffic never asks for a path, so nothing limits it",
                    ("fabrics", i, "qos", "classes", n, "rate_limit"),
                    hint="take it out; arbitration weights do hold it back",
                    severity=Severity.WARNING,
                )


def _asks(traffic: TrafficClass) -> bool:
    """Whether some path query leads to the class."""
    return traffic.use in ("storage", "default") or bool(traffic.pools or traffic.partitions or traffic.service_ids)
