from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec, FabricSpec
from ibgen.targets import Targets


@rule("IBG375", "option-against-spec", Severity.ERROR)
def option_against_spec(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """A manager option, given by hand, that takes away what the spec says elsewhere.

    With `partition_config_file` OpenSM reads another file than the one that is written, and when that one is missing everybody
    is a full member of everything. `part_enforce off` and `no_partition_enforcement` stop the switches from checking P_Keys.
    `sm_inactive` makes a manager that manages nothing, `ignore_other_sm` makes every one of several the master,
    `disable_multicast` leaves IPoIB without its broadcast group, `qos_policy_file` and `prefix_routes_file` put another file
    in the place of the one that is written.

    Bad:
        fabrics: [{name: compute, control: {options: {sm_inactive: yes}}}]
    Good:
        fabrics: [{name: compute, control: {options: {sweep_interval: 30}}}]
    """
    for manager in targets.opensm:
        fabric = spec.fabrics[manager.fabric]
        given = {o.name: o.value for o in manager.options if o.name in fabric.control.options}
        for name, value in sorted(given.items()):
            if message := _against(name, value, fabric, manager.lists, len(manager.hosts)):
                at = ("fabrics", manager.fabric, "control", "options", name)
                yield option_against_spec.finding(message, at, on="key", hint="take it out, or silence this with a reason")


def _against(name: str, value: str, fabric: FabricSpec, lists: tuple[str, ...], managers: int) -> str:
    divided = len({p.pkey for p in fabric.partitions} | {0x7FFF}) > 1
    files = {"qos_policy_file": "qos-policy.conf", "prefix_routes_file": "prefix-routes.conf"}
    if name == "partition_config_file" and fabric.partitions:
        return f"OpenSM would read `{value}`, not the partitions of the spec"
    if divided and ((name == "part_enforce" and value == "off") or (name == "no_partition_enforcement" and value == "TRUE")):
        return "the switches would not check P_Keys: the partitions keep nobody apart who changes his own"
    if name == "sm_inactive" and value == "TRUE":
        return f"the manager of `{fabric.name}` would manage nothing"
    if name == "ignore_other_sm" and value == "TRUE" and managers > 1:
        return f"the {managers} managers of `{fabric.name}` would all be masters"
    if name == "disable_multicast" and value == "TRUE" and any(p.ipoib for p in fabric.partitions):
        return "IPoIB would have no broadcast group"
    if name in files and files[name] in lists:
        return f"OpenSM would read `{value}`, not the {files[name]} that is written"
    return ""
