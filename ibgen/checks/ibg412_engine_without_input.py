from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

INPUT = {"torus-2QoS": "torus_config", "file": "lfts_file", "chain": "rch_policy_file"}
"""Engine -> the option that names what it works from."""


@rule("IBG412", "engine-without-input", Severity.ERROR)
def engine_without_input(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """A routing engine that works from a file, without the file.

    torus-2QoS without its description of the torus logs ERR 4E11 and minhop routes (measured); `file` without forwarding
    tables loads those of minhop. ibgen writes neither file: name the one you have.

    Bad:
        fabrics: [{name: compute, control: {flavour: upstream, version: "3.3.23", routing: [torus-2QoS]}}]
    Good:
        fabrics:
          - name: compute
            control:
              flavour: upstream
              version: "3.3.23"
              routing: [torus-2QoS]
              options: {torus_config: /etc/opensm/torus-2QoS.conf}
    """
    for manager in targets.opensm:
        given = spec.fabrics[manager.fabric].control.options
        for n, engine in enumerate(manager.engines):
            if engine in INPUT and INPUT[engine] not in given:
                yield engine_without_input.finding(
                    f"`{engine}` works from a file, and none is named",
                    ("fabrics", manager.fabric, "control", "routing", n),
                    hint=f"name it: `options: {{{INPUT[engine]}: /etc/opensm/...}}`",
                )
