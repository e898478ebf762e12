from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets
from ibgen.targets.opensm_qos import VLS_OF
from ibgen.targets.opensm_routing import LANED

LANES = {"torus-2QoS": 8, "dfsssp": 8, "dfp": 2, "dfp2": 2}
"""Lanes an engine counts on: torus-2QoS takes 8; dfsssp needed 4 on a 72-host dragonfly and spreads over 8 (measured); dfp
raises the lane where a path enters another group, so the shortest such path has two."""


@rule("IBG331", "qos-switched-off", Severity.ERROR)
def qos_switched_off(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """QoS, or lanes, are taken away by hand from something that needs them.

    Traffic classes, a partition's service level and the engines that avoid deadlocks by lanes (dfsssp, lash, torus-2QoS) all
    rest on `qos TRUE` and on enough lanes. Without them OpenSM programs no table, routes anyway or falls back to minhop, and
    says so at most in its log.

    Bad:
        fabrics:
          - name: compute
            control: {options: {qos: no}}
            qos: {classes: [{name: nccl, use: nccl, sl: 1}]}
    Good:
        fabrics:
          - name: compute
            qos: {classes: [{name: nccl, use: nccl, sl: 1}]}
    """
    for manager in targets.opensm:
        options = {o.name: o.value for o in manager.options}
        at = ("fabrics", manager.fabric, "control", "options")
        if "qos" in manager.overridden and options["qos"] != "TRUE":
            needs = next((f"the engine `{e}`" for e in manager.engines if e in LANED), "a partition's service level")
            needs = "the classes under `qos`" if manager.qos else needs
            yield qos_switched_off.finding(f"{needs} cannot work without QoS", (*at, "qos"), hint="take it out")
        given = spec.fabrics[manager.fabric].control.options
        wanted = max([manager.qos.lanes.lanes if manager.qos else 1, *(LANES.get(e, 1) for e in manager.engines)])
        if "max_op_vls" in given and VLS_OF.get(_number(options.get("max_op_vls", "")), 15) < wanted:
            code = next(c for c, lanes in VLS_OF.items() if lanes >= wanted)
            yield qos_switched_off.finding(
                f"`max_op_vls` {given['max_op_vls']} is {VLS_OF[_number(options['max_op_vls'])]} lanes, {wanted} are used",
                (*at, "max_op_vls"),
                hint=f"take it out, or write {code}",
            )


def _number(text: str) -> int:
    return int(text, 0) if text else 0
