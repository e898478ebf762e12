"""The planner of dragonflies and dragonfly+: from a, p, h or leaves and spines to a `Shape` and a `GroupPlan`.

Takes the spec's topology, the switch models and the ports a host has on the fabric. Gives both, or findings with the
numbers. Integers only. A group is the unit of the shape: hosts fill it leaf by leaf (router by router), group by group.
Sources: Kim, Dally, Scott, Abts, ISCA 2008 (dragonfly: a, p, h, g <= a h + 1); Shpiner et al., HiPINEB 2017 (dragonfly+).
"""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.catalog import SwitchModel
from ibgen.diagnostics import Finding, Path
from ibgen.spec import Dragonfly, DragonflyPlus

from .findings import GROUP_HOSTS, GROUP_RAILS, GROUP_SPINES, ROUTER_PORTS, TOO_MANY_GROUPS
from .layouts import GroupPlan
from .planner import ceil, divisor
from .shape import Shape, leaf_ports, links, unsplittable

Planned = tuple[tuple[Shape, GroupPlan] | None, tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class Hosts:
    """What a group has to take: ports of the widest host, hosts of an NVLink domain."""

    ports: int
    domain: int = 1


def plan_dragonfly(topology: Dragonfly, router: SwitchModel, hosts: Hosts, at: Path = ()) -> Planned:
    """Groups of `a` routers with `p` host ports and `h` global ports each."""
    a, p, h = topology.a, topology.p, topology.h
    need = p + a - 1 + h
    if need > router.radix:
        message = f"p {p} + a - 1 {a - 1} + h {h} make {need} ports, and {router.id} has {router.radix}"
        facts = {"ports needed": need, "radix": router.radix}
        balanced = (router.radix + 1) // 4
        hint = f"with a = 2p = 2h it reaches p = h = {balanced}, a = {2 * balanced}" if balanced else "take a larger switch"
        return None, (ROUTER_PORTS.finding(message, (*at, "a"), hint=hint, facts=facts),)
    shape, findings = _edge(topology.rails == "aligned", hosts, a, p, p, (*at, "p"), (*at, "a"))
    if shape is None:
        return None, findings
    groups = topology.groups or max(2, a * h // (topology.links or 1) + 1)  # of one group `links` would say nothing
    spread, findings = _spread(groups, a * h, topology.links, at)
    if spread is None:
        return None, findings
    pair, most = spread
    return (shape, _plan(groups, shape, a, 0, p, 0, a * h, pair, most, topology.links)), ()


def plan_dragonfly_plus(topology: DragonflyPlus, leaf: SwitchModel, spine: SwitchModel, hosts: Hosts, at: Path = ()) -> Planned:
    """Groups of leaves and spines, every leaf with as many cables to each spine of its group."""
    down, down_ports, up = links(topology, leaf)
    findings = unsplittable(topology.leaf.split, leaf, at) or leaf_ports(topology, leaf, down_ports, up, at)
    if findings:
        return None, findings
    rails = hosts.ports if topology.rails == "aligned" else 1
    outward = topology.spine.uplinks or spine.radix // 2
    reach = spine.radix - outward
    leaves = topology.leaf.count or reach // rails * rails
    spines, findings = _spines(topology, spine, leaves, up, reach, at)
    if findings:
        return None, findings
    aligned = topology.rails == "aligned"
    where = (*at, "leaf", "downlinks"), (*at, "leaf", "count")
    shape, findings = _edge(aligned, hosts, leaves, down, down_ports, *where, up)
    if shape is None:
        return None, findings
    ports = spines * outward
    spread, findings = _spread(topology.groups, ports, topology.links, at)
    if spread is None:
        return None, findings
    pair, most = spread
    return (shape, _plan(topology.groups, shape, leaves, spines, down, up, ports, pair, most, topology.links)), ()


def _plan(
    groups: int, shape: Shape, leaves: int, spines: int, down: int, up: int, ports: int, pair: int, most: int, asked: int | None
) -> GroupPlan:  # fmt: skip
    return GroupPlan(
        groups=groups, leaves=leaves, spines=spines, down=down, up=up, ports=ports, pair=pair, pair_most=most,
        reach=ports // (asked or 1) + 1, endpoints=groups * shape.unit * shape.ports,
    )  # fmt: skip


def _edge(
    aligned: bool, hosts: Hosts, leaves: int, down: int, down_ports: int, at_down: Path, at_leaves: Path, up: int = 0
) -> tuple[Shape | None, tuple[Finding, ...]]:
    """How the hosts of a group meet its leaves: `parts` leaves per rail, whole NVLink domains on each."""
    rails = hosts.ports if aligned else 1
    if leaves % rails:
        message = f"{leaves} leaves of a group cannot be shared evenly by {rails} rails"
        hint = f"use {max(1, leaves // rails) * rails} or {ceil(leaves, rails) * rails}, or `rails: host`"
        return None, (GROUP_RAILS.finding(message, at_leaves, hint=hint, facts={"leaves": leaves, "rails": rails}),)
    stride = 1 if aligned else hosts.ports
    places = down // stride // hosts.domain * hosts.domain
    if places < 1:
        what = f"a host with {hosts.ports} ports" if hosts.domain == 1 else f"an NVLink domain of {hosts.domain} hosts"
        message = f"{what} does not fit the {down} host ports of a leaf or router"
        hint = f"give it {stride * hosts.domain} host ports or more" + ("" if aligned else ", or say `rails: aligned`")
        facts = {"host ports": down, "ports needed": stride * hosts.domain}
        return None, (GROUP_HOSTS.finding(message, at_down, hint=hint, facts=facts),)
    parts = leaves // rails
    return Shape(False, aligned, hosts.ports, rails, parts * places, parts, down, down_ports, up), ()


def _spines(
    topology: DragonflyPlus, spine: SwitchModel, leaves: int, up: int, reach: int, at: Path
) -> tuple[int, tuple[Finding, ...]]:
    """Spines of a group by the rule of fat trees: the fewest whose ports suffice and that divide a leaf's uplinks."""
    outward = spine.radix - reach
    facts = {"uplinks of the leaves": leaves * up, "ports of a spine toward leaves": reach, "toward other groups": outward}
    if reach < 1 or leaves > reach:
        message = f"a spine with {outward} of {spine.radix} ports for other groups does not reach {leaves} leaves"
        hint = f"use {max(reach, 1)} or fewer leaves a group, or give the spines fewer `uplinks`"
        return 0, (GROUP_SPINES.finding(message, (*at, "spine", "uplinks"), hint=hint, facts=facts),)
    needed = divisor(up, ceil(leaves * up, reach)) or up
    spines = topology.spine.count or needed
    if leaves * up > spines * reach:
        message = f"{leaves} leaves bring {leaves * up} uplinks, and {spines} spines have {spines * reach} ports for them"
        return 0, (GROUP_SPINES.finding(message, (*at, "spine", "count"), hint=f"use {needed} spines", facts=facts),)
    if spines > up:
        message = f"{spines} spines are more than the {up} uplinks of a leaf"
        return 0, (GROUP_SPINES.finding(message, (*at, "spine", "count"), hint=f"use {needed} spines", facts=facts),)
    return spines, ()


def _spread(groups: int, ports: int, asked: int | None, at: Path) -> tuple[tuple[int, int] | None, tuple[Finding, ...]]:
    """Cables of the thinnest and of the thickest pair of groups; they differ by one at most.

    What is left when every pair has its share makes one further cable for some pairs: `odd` per group, a regular graph,
    which needs an even sum; where `groups` and `odd` are both odd one port of every group stays free.
    """
    if groups == 1:
        return (0, 0), ()
    pair = asked or ports // (groups - 1)
    if pair == 0 or pair * (groups - 1) > ports:
        most = ports // (asked or 1) + 1
        message = f"{groups} groups need {max(1, pair) * (groups - 1)} ports of each toward the others, and a group has {ports}"
        facts = {"groups": groups, "cables a pair": max(1, pair), "ports of a group": ports, "groups there can be": most}
        key = "links" if asked and ports >= groups - 1 else "groups"
        hint = f"use {most} groups or fewer" if key == "groups" else f"use `links: {ports // (groups - 1)}` or fewer"
        return None, (TOO_MANY_GROUPS.finding(message, (*at, key), hint=hint, facts=facts),)
    return (pair, pair + (odd_links(groups, ports, pair) > 0 and not asked)), ()


def odd_links(groups: int, ports: int, pair: int) -> int:
    """Further cables that a group can have, one to each of as many other groups."""
    odd = ports - pair * (groups - 1)
    return odd - (groups * odd) % 2
