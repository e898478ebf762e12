from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

WITHOUT_LMC = frozenset({"ftree", "lash"})
"""Engines that route one LID a port. ftree says `LMC > 0 is not supported by fat-tree routing` and the next engine routes
(measured); lash by its manual."""


@rule("IBG408", "lmc-with-ftree", Severity.ERROR)
def lmc_with_ftree(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """Several LIDs per port (`lmc`) with a routing engine that routes one.

    ftree refuses the fabric, one line goes to the log, and the next engine of the list or minhop takes over.

    Bad:
        fabrics:
          - {name: compute, control: {flavour: upstream, version: "3.3.23", routing: [ftree], options: {lmc: "1"}}}
    Good:
        fabrics:
          - {name: compute, control: {flavour: upstream, version: "3.3.23", routing: [updn], options: {lmc: "1"}}}
    """
    for manager in targets.opensm:
        lmc = next((o.value for o in manager.options if o.name == "lmc"), "0")
        if int(lmc, 0) and manager.engines[0] in WITHOUT_LMC:
            yield lmc_with_ftree.finding(
                f"`{manager.engines[0]}` routes one LID per port, `lmc` {lmc} asks for {2 ** int(lmc, 0)}",
                ("fabrics", manager.fabric, "control", "options", "lmc"),
                hint="take `lmc` out, or use updn",
            )
