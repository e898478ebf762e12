from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG134", "formerly-still-there", Severity.ERROR)
def formerly_still_there(spec: ClusterSpec) -> Iterator[Finding]:
    """A pool says it was renamed from a name that another pool bears, or that two pools claim.

    `formerly` is the only way a rename can be told from one pool gone and another one new. One old name leads to one pool.
    Take it out once the renamed tree is in use.

    Bad:
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100, formerly: gpu}]
    Good:
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100, formerly: reserve}]
    """
    here = {pool.name: ("pools", p, "name") for p, pool in enumerate(spec.pools)}
    claimed: dict[str, int] = {}
    for p, pool in enumerate(spec.pools):
        if pool.formerly is None:
            continue
        at, other = ("pools", p, "formerly"), claimed.setdefault(pool.formerly, p)
        if pool.formerly in here:
            yield formerly_still_there.finding(
                f"`{pool.formerly}` is the name of a pool today",
                at,
                labels=[Label(here[pool.formerly], "this one")],
                hint="write the old name, or take `formerly` out",
            )
        elif other != p:
            yield formerly_still_there.finding(
                f"`{spec.pools[other].name}` and `{pool.name}` were both called `{pool.formerly}`",
                at,
                labels=[Label(("pools", other, "formerly"), "first here")],
                hint="let the pool that kept the hosts have it",
            )
