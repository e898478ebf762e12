from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import Fabric, path_of_subnet
from ibgen.simulate.survival import hosts_on_one_leaf, lone_cables, lone_switches
from ibgen.spec import ClusterSpec

SHOWN = 3
HINTS = {
    "leaf": "spread a host's adapters over leaves (`rails: aligned`), or attach it to a second plane",
    "spine": "build a second spine, and cables from every leaf to both",
    "cable": "give every leaf two uplinks at least",
}


@rule("IBG521", "failure-not-survived", Severity.ERROR)
def failure_not_survived(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A single failure that cuts off more than `requirements.survive` allows.

    `leaf: 1`: whichever leaf fails, every host keeps a port in service on another one. `spine: 1`: whichever switch above the
    leaves fails, all endpoints still reach one another. `cable: 1`: the same for any one cable between switches. This is
    judged by the shape alone; routes are taken to be computed anew by the manager. What a failure costs in bandwidth is told by
    `ibgen simulate --fail` and `--sweep`.

    Bad:
        requirements: {survive: {leaf: 1}}
    Good:
        requirements: {survive: {spine: 1, cable: 1}}
    """
    asked = spec.requirements.survive
    for row, declared in enumerate(spec.fabrics):
        subnets = fabric.of(row)
        if not subnets:
            continue
        weak = {
            "leaf": hosts_on_one_leaf(fabric, row) if asked.get("leaf") else (),
            "spine": tuple(n for s in subnets for n in lone_switches(s)) if asked.get("spine") else (),
            "cable": tuple(n for s in subnets for n in lone_cables(s)) if asked.get("cable") else (),
        }
        for part, names in weak.items():
            if not names:
                continue
            shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
            what = "hosts hang on one leaf" if part == "leaf" else f"of its {part}s are the only way to some endpoints"
            yield failure_not_survived.finding(
                f"{declared.name} does not survive every single {part}: {len(names)} {what}",
                ("requirements", "survive", part),
                label=f"{len(names)} {what}",
                labels=[Label(path_of_subnet(subnets[0]), "in this fabric")],
                hint=HINTS[part],
                facts={"hosts" if part == "leaf" else f"{part}s": shown},
            )
