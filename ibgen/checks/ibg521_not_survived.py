from __future__ import annotations

from collections.abc import Iterator, Sequence

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.fabric import Fabric, path_of_subnet
from ibgen.simulate.survival import OneLeaf, hosts_on_one_leaf, lone_cables, lone_switches
from ibgen.spec import ClusterSpec

SHOWN = 3
HINTS = {
    "spine": "build a second spine, and cables from every leaf to both",
    "cable": "give every leaf two uplinks at least",
}


@rule("IBG521", "failure-not-survived", Severity.ERROR)
def failure_not_survived(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A single failure that cuts off more than `requirements.survive` allows.

    `leaf: 1`: whichever leaf fails, every host keeps a port in service on another one; the hosts of the subnet manager, which
    stand in for each other, need to be on two leaves together. `spine: 1`: whichever switch above the
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
        alone = hosts_on_one_leaf(fabric, row, declared.control.hosts) if asked.get("leaf") else ()
        weak = {
            "leaf": tuple(h.name for h in alone),
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
                hint=_leaf_hint(spec, row, alone) if part == "leaf" else HINTS[part],
                facts={"hosts" if part == "leaf" else f"{part}s": shown},
            )


def _leaf_hint(spec: ClusterSpec, row: int, alone: Sequence[OneLeaf]) -> str:
    """Only what is not so already: rails where several ports share a leaf, a second port where there is one."""
    topology, ways = spec.fabrics[row].topology, []
    several = next((h for h in alone if h.ports > 1), None)
    single = next((h for h in alone if h.ports == 1), None)
    if several and getattr(topology, "rails", None) == "host":
        ways.append("spread a host's adapters over leaves (`rails: aligned`)")
    elif several:
        ways.append(f"attach other adapters of {several.name}, so that its {several.ports} ports are on two leaves")
    if single:
        managers = len(spec.fabrics[row].control.hosts) > 1 and single.name in spec.fabrics[row].control.hosts
        ways.append(
            "reserve the managers' ports so that they are on two leaves" if managers
            else f"attach a second adapter of {single.name}, on another leaf"
        )  # fmt: skip
    if getattr(topology, "planes", 1) == 1:
        ways.append("attach the hosts to a second plane")
    return ", or ".join(ways)
