from __future__ import annotations

import re
from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.fabric import Fabric
from ibgen.spec import ClusterSpec

MOST_DIGITS = 18
"""Slurm reads the numeric tail of a name as an unsigned 64-bit number; 19 digits and more can wrap."""


@rule("IBG623", "long-number", Severity.ERROR)
def long_number(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A host name that ends in more digits than Slurm can count.

    `sw18446744073709551616` becomes `...615` (measured): the host is another one to Slurm.

    Bad:
        pools: [{name: spare, hosts: "n1234567890123456789", platform: dgx-h100}]
    Good:
        pools: [{name: spare, hosts: "n123456789012345678", platform: dgx-h100}]
    """
    if spec.slurm is None:
        return
    tail = re.compile(rf"\d{{{MOST_DIGITS + 1},}}$")
    for row, name in enumerate(fabric.hosts.names):
        if tail.search(name):
            yield long_number.finding(
                f"`{name}` ends in more than {MOST_DIGITS} digits",
                ("pools", int(fabric.hosts.pool[row]), "hosts"),
                hint="shorten the number, or end the name in a letter",
            )
