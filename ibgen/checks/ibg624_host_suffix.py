from __future__ import annotations

from collections.abc import Iterator

from ibgen import hostlist
from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG624", "host-suffix", Severity.ERROR)
def host_suffix(spec: ClusterSpec) -> Iterator[Finding]:
    """Text after the bracket of a host list, for a Slurm that cannot read it.

    `n[1-8]-ib` is an error up to 23.02 and allowed from 23.11 (measured on 22.05 and 25.11).

    Bad:
        pools: [{name: spare, hosts: "n[1-8]-ib", platform: dgx-h100}]
        slurm: {version: "22.05"}
    Good:
        pools: [{name: spare, hosts: "n[1-8]-ib", platform: dgx-h100}]
        slurm: {version: "24.11"}
    """
    if spec.slurm is None or tuple(int(x) for x in spec.slurm.version.split(".")[:2]) >= (23, 11):
        return
    for p, pool in enumerate(spec.pools):
        if hostlist.has_suffix(pool.hosts):
            yield host_suffix.finding(
                f"Slurm {spec.slurm.version} cannot read text after the bracket",
                ("pools", p, "hosts"),
                labels=[Label(("slurm", "version"), "the version the files are for")],
                hint="put the number at the end of the names, or use Slurm 23.11 or newer",
            )
