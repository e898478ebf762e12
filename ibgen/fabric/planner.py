"""The planner: from units to leaves, spines and cores. Pure integers, no arrays, no names.

Takes a `Shape`, the number of units and the radixes. Gives a `Plan`, or findings with both numbers where a count that is
given cannot be built. The rule (planner.md section 1): the fewest spines whose ports suffice *and* that divide a leaf's
uplinks, so that every leaf has the same number of cables to every spine. Counts that are given are kept; what they make
uneven or superfluous is recorded in the plan and judged by rules.
"""

from __future__ import annotations

from math import gcd

from ibgen.catalog import SwitchModel
from ibgen.diagnostics import Finding, Path
from ibgen.spec import FatTree

from .columns import Plan
from .findings import CORE_COUNT, NO_SPINE, POD, SPINE_COUNT, TIERS
from .placement import place_reservations
from .shape import Shape, shape

Outcome = tuple[Plan | None, tuple[Finding, ...]]


def plan_fat_tree(
    topology: FatTree,
    leaf: SwitchModel,
    spine: SwitchModel | None,
    core: SwitchModel | None = None,
    *,
    ports: int,
    slots: int = 0,
    domain: int = 1,
    at: Path = (),
) -> Outcome:
    """The plan for `slots` hosts of `ports` attached ports each, or, without hosts, for the topology's own `units`."""
    found_shape, findings = shape(topology, leaf, ports, slots, domain=domain, at=at)
    if found_shape is None:
        return None, findings
    placed, findings = place_reservations(topology, found_shape, range(slots), at)
    if placed is None:
        return None, findings
    return count(topology, found_shape, placed.units, spine, core or spine, at)


def count(
    topology: FatTree, shape: Shape, units: int, spine: SwitchModel | None, core: SwitchModel | None, at: Path = ()
) -> Outcome:
    """Leaves, spines and cores for so many units of that shape."""
    leaves = units * shape.leaves_per_unit
    if shape.single:
        return _plan(shape, 1, 1), ()
    if spine is None or core is None:
        return None, (_no_spine(shape, leaves, at),)
    tiers = topology.tiers or (3 if topology.core and topology.core.count else 2 if leaves <= spine.radix else 3)
    if tiers == 2:
        return _two_tiers(topology, shape, units, spine, at)
    return _three_tiers(topology, shape, units, spine, core, at)


def divisor(number: int, least: int) -> int | None:
    """The smallest divisor of `number` that is at least `least`."""
    return next((n for n in range(max(1, least), number + 1) if number % n == 0), None)


def _two_tiers(topology: FatTree, shape: Shape, units: int, spine: SwitchModel, at: Path) -> Outcome:
    leaves = units * shape.leaves_per_unit
    if leaves > spine.radix:
        facts = {"leaves": leaves, "ports of a spine": spine.radix}
        message = f"two tiers reach {spine.radix} leaves of {spine.id}, and {leaves} are needed"
        hint = "leave `tiers` out, or say `tiers: 3`"
        return None, (TIERS.finding(message, (*at, "tiers"), hint=hint, facts=facts),)
    needed = divisor(shape.up, ceil(leaves * shape.up, spine.radix)) or shape.up
    given = topology.spine.count if topology.spine else None
    spines = given or needed
    found = _spines_fit(shape, leaves, spines, spine.radix, spine.id, at, needed)
    if found:
        return None, found
    down = ceil(leaves * shape.up, spines)
    return _plan(shape, units, 2, spines, needed, leaves_per_pod=leaves, spines_per_pod=spines, spine_down=down), ()


def _three_tiers(topology: FatTree, shape: Shape, units: int, spine: SwitchModel, core: SwitchModel, at: Path) -> Outcome:
    up_given = topology.spine.uplinks if topology.spine else None
    per_unit = shape.leaves_per_unit
    reach = max(0, spine.radix - up_given) if up_given is not None else spine.radix // 2
    if topology.pod and up_given is None:
        reach = min(max(reach, topology.pod * per_unit), spine.radix - 1)
    pod = topology.pod or reach // per_unit
    leaves, pods = pod * per_unit, ceil(units, pod or 1)
    if pod == 0 or leaves > reach:
        return None, (_pod(per_unit, pod, reach, spine, at),)
    needed = divisor(shape.up, ceil(leaves * shape.up, reach)) or shape.up
    spines, findings = _spines_per_pod(topology, pods, needed, at)
    findings += _spines_fit(shape, leaves, spines, reach, spine.id, at, needed * pods, pods) if spines else ()
    if findings:
        return None, findings
    down = ceil(leaves * shape.up, spines)
    up = up_given if up_given is not None else min(down, spine.radix - down)
    cores = divisor(up, ceil(pods * up, core.radix))
    if cores is None:
        return None, (_too_many_pods(pods, core, at),)
    built = (topology.core.count if topology.core else None) or cores * spines
    findings = _cores_fit(built, cores * spines, spines, pods, up, core, at)
    if findings:
        return None, findings
    return _plan(
        shape, units, 3, spines * pods, needed * pods, pods, leaves_per_pod=leaves, spines_per_pod=spines,
        spine_down=down, spine_up=up, cores=built, cores_needed=cores * spines,
    ), ()  # fmt: skip


def _plan(
    shape: Shape, units: int, tiers: int, spines: int = 0, needed: int = 0, pods: int = 1, *, leaves_per_pod: int = 1,
    spines_per_pod: int = 0, spine_down: int = 0, spine_up: int = 0, cores: int = 0, cores_needed: int = 0,
) -> Plan:  # fmt: skip
    return Plan(
        tiers=tiers,
        rails=shape.rails,
        unit=shape.unit,
        units=units,
        leaves_per_rail=shape.parts,
        leaves=units * shape.leaves_per_unit,
        down=shape.down,
        up=shape.up,
        spines=spines,
        spines_needed=needed,
        leaf_pair=shape.up // spines_per_pod if spines_per_pod else 0,
        pods=pods,
        leaves_per_pod=leaves_per_pod,
        spines_per_pod=spines_per_pod,
        spine_down=spine_down,
        spine_up=spine_up,
        cores=cores,
        cores_needed=cores_needed,
        core_pair=spine_up // (cores // gcd(cores, spines_per_pod)) if cores else 0,
        endpoints=units * shape.unit * shape.ports,
    )


def ceil(a: int, b: int) -> int:
    return -(-a // b)


def _no_spine(shape: Shape, leaves: int, at: Path) -> Finding:
    facts = {"leaves": leaves, "uplinks of a leaf": shape.up}
    message = f"{leaves} {'leaves need' if leaves > 1 else 'leaf needs'} a spine tier and none is given"
    hint = "add `spine: {switch: ...}`; its count is planned"
    return NO_SPINE.finding(message, at, hint=hint, facts=facts)


def _spines_per_pod(topology: FatTree, pods: int, needed: int, at: Path) -> tuple[int, tuple[Finding, ...]]:
    given = topology.spine.count if topology.spine else None
    if given is None:
        return needed, ()
    if given % pods == 0:
        return given // pods, ()
    message = f"{given} spines cannot be shared evenly by {pods} pods"
    hint = f"use {needed * pods} (as the rule has it), or another multiple of {pods}"
    facts = {"spines": given, "pods": pods}
    return 0, (SPINE_COUNT.finding(message, (*at, "spine", "count"), hint=hint, facts=facts),)


def _spines_fit(
    shape: Shape, leaves: int, spines: int, reach: int, model: str, at: Path, needed: int, pods: int = 1
) -> tuple[Finding, ...]:
    """Whether a pod's (or, in two tiers, all) spines can take the uplinks of its leaves; `reach`: down ports of a spine."""
    facts = {"uplinks of the leaves": leaves * shape.up, "ports of the spines": spines * reach, "spines by the rule": needed}
    where = (*at, "spine", "count")
    of_pod = " of a pod" if pods > 1 else ""
    least = ceil(leaves * shape.up, reach) * pods
    hint = f"use {needed} spines" if least == needed else f"use {least} spines or more; {needed} would share the uplinks evenly"
    if leaves * shape.up > spines * reach:
        message = f"{leaves} leaves{of_pod} bring {leaves * shape.up} uplinks, and {spines} {model} have {spines * reach} ports"
        return (SPINE_COUNT.finding(message, where, hint=hint, facts=facts),)
    if spines > shape.up:
        message = f"{spines} spines{of_pod} are more than the {shape.up} uplinks of a leaf: two leaves might share no spine"
        return (SPINE_COUNT.finding(message, where, hint=hint, facts=facts),)
    return ()


def _pod(per_unit: int, pod: int, reach: int, spine: SwitchModel, at: Path) -> Finding:
    facts = {"leaves of a unit": per_unit, "leaves that a spine reaches": reach}
    if pod == 0:
        message = f"one unit has {per_unit} leaves, and a {spine.id} in three tiers reaches {reach}"
        hint = "make the unit smaller, or take spines with more ports"
        return POD.finding(message, (*at, "unit"), hint=hint, facts=facts)
    message = f"a pod of {pod} units has {pod * per_unit} leaves, and a {spine.id} reaches {reach}"
    hint = f"use a pod of {reach // per_unit} or fewer units" if reach >= per_unit else "make the unit smaller"
    return POD.finding(message, (*at, "pod"), hint=hint, facts=facts)


def _too_many_pods(pods: int, core: SwitchModel, at: Path) -> Finding:
    message = f"{pods} pods are more than the {core.radix} ports of a {core.id}: three tiers do not reach them"
    hint = "use larger pods, switches with more ports, or several fabrics"
    return TIERS.finding(message, at, hint=hint, facts={"pods": pods, "ports of a core": core.radix})


def _cores_fit(cores: int, needed: int, spines: int, pods: int, up: int, core: SwitchModel, at: Path) -> tuple[Finding, ...]:
    """Core groups: with g = gcd(cores, spines of a pod), each group joins spines/g spines of every pod to cores/g cores."""
    groups = gcd(cores, spines)
    size, below = cores // groups, pods * (spines // groups)
    where, hint = (*at, "core", "count"), f"use {needed} cores"
    facts = {"uplinks of the spines": pods * spines * up, "ports of the cores": cores * core.radix, "cores by the rule": needed}
    if below * up > size * core.radix:
        message = (
            f"{pods * spines} spines bring {pods * spines * up} uplinks, and {cores} {core.id} have {cores * core.radix} ports"
        )
        return (CORE_COUNT.finding(message, where, hint=hint, facts=facts),)
    if size > up:
        message = f"a spine with {up} uplinks would have to reach {size} of the {cores} cores"
        return (CORE_COUNT.finding(message, where, hint=hint, facts=facts),)
    return ()
