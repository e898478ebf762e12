from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.fabric import Fabric, GroupPlan, Subnet
from ibgen.spec import ClusterSpec, Control
from ibgen.targets.opensm_routing import FAT_TREES, choose, managed

MESHES = frozenset({"dor", "ar_dor", "torus-2QoS"})
PLUS = frozenset({"dfp", "dfp2"})


@rule("IBG413", "engine-of-another-shape", Severity.WARNING)
def engine_of_another_shape(spec: ClusterSpec, fabric: Fabric) -> Iterator[Finding]:
    """A routing engine that was made for another shape of fabric.

    The manager takes it all the same. `dor` is made for meshes: on a tree it sends all far traffic of a leaf over one spine (2
    of 8 uplinks in use with four spines, OpenSM 3.3.23), for it balances cables between the same two switches only
    (current-routing.txt). `torus-2QoS` refuses what is no torus, and minhop routes. `dfp` and `dfp2` are NVIDIA's for groups
    of leaves and spines (its bring-up guide: the engine has to fit the topology). `ftree` refuses a single switch, where
    minhop does as well: a note only.

    Bad:
        fabrics: [{name: compute, control: {flavour: upstream, version: "3.3.23", routing: [dor]}}]
    Good:
        fabrics: [{name: compute, control: {flavour: upstream, version: "3.3.23", routing: [ftree]}}]
    """
    for subnet in fabric.subnets:
        control = managed(spec.fabrics[subnet.fabric].control)
        if control is None or subnet.plane != 1 or not subnet.planned:
            continue
        engine = choose(control, subnet).engines[0]
        misfit = _misfit(engine, subnet)
        if misfit:
            single = len(subnet.switches.names) == 1
            yield engine_of_another_shape.finding(
                f"`{engine}` {misfit}",
                _where(control, subnet.fabric, engine),
                labels=[
                    Label(("fabrics", subnet.fabric, "topology", "kind"), "one switch a subnet" if single else "this shape")
                ],
                hint=f"use {_better(control.flavour, subnet)}, or leave `routing` out",
                severity=Severity.NOTE if single else None,
            )


def _misfit(engine: str, subnet: Subnet) -> str:
    """What is wrong with an engine on a shape; nothing where it fits, or where IBG404 says more."""
    single, groups = len(subnet.switches.names) == 1, subnet.layout if isinstance(subnet.layout, GroupPlan) else None
    if engine in PLUS and not (groups and groups.plus):
        return "is made for a dragonfly+: groups whose hosts hang on leaves and whose spines are joined"
    if engine in FAT_TREES and single:
        return "refuses a single switch: minhop routes"
    if engine == "torus-2QoS" and not single:
        return "refuses what is no torus: minhop routes"
    if engine in MESHES and not (single or groups):
        return "is made for meshes: on a tree it sends all far traffic of a leaf over one spine"
    return ""


def _better(flavour: str, subnet: Subnet) -> str:
    if len(subnet.switches.names) == 1:
        return "minhop"
    if isinstance(subnet.layout, GroupPlan):
        return "dfp" if flavour == "nvidia" and subnet.layout.plus else "dfsssp or nue"
    return "ar_updn" if flavour == "nvidia" else "ftree"


def _where(control: Control, fabric: int, engine: str) -> Path:
    at: Path = ("fabrics", fabric, "control")
    if "routing_engine" in control.options:
        return (*at, "options", "routing_engine")
    return (*at, "routing", control.routing.index(engine)) if engine in control.routing else (*at, "kind")
