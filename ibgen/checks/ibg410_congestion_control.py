from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec, Congestion

NVIDIAS, UPSTREAMS = ("algorithm", "algorithms", "parameters"), (
    "threshold", "packet_size", "marking_rate", "increase", "timer", "trigger", "table", "uses",
)  # fmt: skip


@rule("IBG410", "congestion-control", Severity.WARNING)
def congestion_control(spec: ClusterSpec) -> Iterator[Finding]:
    """Congestion control that the manager cannot do as it is asked.

    Upstream OpenSM calls its own experimental, and with `threshold` 0 (its default) no switch marks a packet, with `increase` 0
    no adapter slows down. NVIDIA's manager takes an algorithm and knows nothing of thresholds. What the other manager reads is
    not written; on a fabric that somebody else runs nothing is.

    Bad:
        fabrics: [{name: compute, congestion: {threshold: 15, increase: 1}}]
    Good:
        fabrics: [{name: compute, congestion: {algorithm: rtt_algo, algorithms: /opt/ufm/ppcc_algo}}]
    """
    for i, fabric in enumerate(spec.fabrics):
        if fabric.congestion is None:
            continue
        at = ("fabrics", i, "congestion")
        if fabric.control.kind != "opensm":
            message = f"`control: {fabric.control.kind}` takes no congestion control from here"
            yield congestion_control.finding(message, at, on="key", hint="take it out")
            continue
        theirs = UPSTREAMS if fabric.control.flavour == "nvidia" else NVIDIAS
        for name in theirs:
            if getattr(fabric.congestion, name) not in (None, (), {}):
                who = "NVIDIA's manager" if fabric.control.flavour == "nvidia" else "upstream OpenSM"
                yield congestion_control.finding(f"{who} does not read `{name}`", (*at, name), on="key", hint="take it out")
        if fabric.control.flavour == "upstream":
            yield congestion_control.finding(
                f"upstream's congestion control is experimental{_idle(fabric.congestion)}",
                at,
                on="key",
                hint="try it on a few nodes, then silence this with a reason",
            )


def _idle(congestion: Congestion) -> str:
    if not congestion.threshold:
        return ", and without a `threshold` no switch marks a packet"
    return "" if congestion.increase else ", and without an `increase` no adapter slows down"
