from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

HOPS = frozenset({"minhop", "updn", "dnup", "dor", "ar_updn", "ar_dor"})
READ_BY = {
    "storage_reverse_hops": frozenset({"ftree", "ar_ftree"}),
    "switch_ids": frozenset({"updn", "ar_updn"}),
    "routing_order": HOPS,
    "hop_weights": HOPS,
    "port_order": HOPS,
}
"""Which engines read a list (opensm.8, doc/current-routing.txt of 3.3.23)."""


@rule("IBG337", "list-nobody-reads", Severity.WARNING)
def list_nobody_reads(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """A list under `control.files` that none of the fabric's routing engines reads.

    OpenSM takes the file without a word and does nothing with it: ftree alone reads storage ports, updn alone switch ids;
    order, weights and search order belong to minhop, updn, dnup and dor.

    Bad:
        fabrics: [{name: compute, control: {routing: [ar_ftree], files: {switch_ids: yes}}}]
    Good:
        fabrics: [{name: compute, control: {routing: [ar_updn], files: {switch_ids: yes}}}]
    """
    for manager in targets.opensm:
        files = spec.fabrics[manager.fabric].control.files
        for name, engines in READ_BY.items():
            if getattr(files, name) and not engines.intersection(manager.engines):
                yield list_nobody_reads.finding(
                    f"`{manager.engines[0]}` does not read it",
                    ("fabrics", manager.fabric, "control", "files", name),
                    on="key",
                    hint=f"take it out, or route with one of {', '.join(sorted(engines))}",
                )
