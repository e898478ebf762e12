from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

PER_HOST = ("guid", "sm_priority")
"""Options that must differ from host to host."""


@rule("IBG330", "option-given-twice", Severity.WARNING)
def option_given_twice(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """An option that ibgen derives from the spec is also given by hand.

    The value under `control.options` wins, on every host of the manager, and no longer follows the spec: a root list that was
    written by hand stays as it is when a spine is added, half a root list halves the bandwidth, and OpenSM says nothing.
    `guid` and `sm_priority` differ from host to host: with two hosts, one value for both is an error.

    Bad:
        fabrics: [{name: compute, control: {options: {subnet_prefix: "0xfec0000000000007"}}}]
    Good:
        fabrics: [{name: compute, control: {subnet_prefix: "0xfec0000000000007"}}]
    """
    for manager in targets.opensm:
        # `routing_engine` is no contradiction where the spec chose no engine itself
        chosen = spec.fabrics[manager.fabric].control.routing
        for name in sorted(manager.overridden - ({"routing_engine"} if not chosen else set())):
            both = name in PER_HOST and len(manager.hosts) > 1
            yield option_given_twice.finding(
                f"`{name}` is derived from the spec, and given by hand",
                ("fabrics", manager.fabric, "control", "options", name),
                on="key",
                label="the same on every host" if both else "this one is written",
                hint="take it out, or silence this with a reason",
                severity=Severity.ERROR if both else None,
            )
