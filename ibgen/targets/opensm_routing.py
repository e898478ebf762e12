"""Which routing engines a manager is given, and why.

Takes the `control` section and the subnet. Gives a `Choice`: the engines in the order they are tried and a sentence for the
people who read opensm.conf; and the roots of the engines that want them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.fabric import HOST_CABLE, GroupPlan, Subnet
from ibgen.spec import Control

ROOTED = frozenset({"updn", "dnup", "ftree", "ar_updn", "ar_ftree"})
"""Engines that must be given the roots: found automatically they are wrong on fabrics of more than 20 leaves (measured)."""

FAT_TREES = frozenset({"ftree", "ar_ftree"})
"""Engines that must be given the compute ports: aggregation nodes and storage on spines break their ranking (measured)."""

ADAPTIVE = frozenset({"ar_updn", "ar_ftree", "ar_dor", "dfp", "dfp2"})
"""Engines of NVIDIA's manager that route adaptively (MLNXSM release notes 5.10)."""

LEVELLED = frozenset({"dfsssp", "lash", "torus-2QoS"})
"""Engines that keep free of deadlocks by virtual lanes: they need QoS on, and they give every path its service level."""

LANED = LEVELLED | {"dfp", "dfp2"}
"""Engines that need QoS on. NVIDIA's for dragonfly+ raise the lane from group to group, whatever level a packet has."""

LOOPING = frozenset({"minhop", "updn", "dnup", "dor", "sssp", "ftree", "ar_updn", "ar_ftree", "ar_dor"})
"""Engines that do not keep lanes apart where groups are joined to each other. On a dragonfly of 72 hosts ibdmchk finds credit
loops in the tables of minhop and of updn, and none with nue, on one lane (measured); sssp promises nothing (opensm(8))."""

SHORTEST = frozenset({"minhop", "dnup", "dor", "sssp"})
"""Of those the ones that take shortest paths. In a whole dragonfly+ such a path goes up, across and down, so no loop closes:
ibdmchk finds none on 36 and on 80 hosts (measured). updn leaves 130 dead ends on the 36: its roots are one group's spines."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Engines in the order they are tried; `reason` is one line of text, empty where the spec itself chose."""

    engines: tuple[str, ...]
    reason: str = ""


def managed(control: Control) -> Control | None:
    """The section as its manager takes it: UFM's is NVIDIA's whatever the spec says of the flavour. None for a provider's."""
    if control.kind == "ufm":
        return control.model_copy(update={"flavour": "nvidia"})
    return control if control.kind == "opensm" else None


def choose(control: Control, subnet: Subnet) -> Choice:
    """The engines as asked for, by `control.options` before `control.routing`, or those that suit the shape and the manager."""
    asked = control.options.get("routing_engine")
    if asked is not None:
        return Choice(tuple(engine.strip() for engine in asked.split(",")))
    if control.routing and "auto" not in control.routing:
        return Choice(control.routing)
    ours = suitable(control.flavour, subnet)
    # `[auto, updn]`: what suits, then what else is named
    return Choice(tuple(dict.fromkeys([*ours.engines, *(e for e in control.routing if e != "auto")])), ours.reason)


def suitable(flavour: str, subnet: Subnet) -> Choice:
    """The engines for a shape.

    One switch needs no more than minhop. Trees get NVIDIA's adaptive engine where the manager has it, else static ftree, which
    spreads evenly where minhop and updn collapse (three tiers, measured), with updn behind it for trees that lost a part.
    Cables written out by hand are rarely regular enough for ftree: it is chosen for three clean tiers of them only.
    """
    if isinstance(subnet.layout, GroupPlan):
        return _between_groups(flavour, subnet.layout)
    if len(subnet.switches.names) == 1:
        return Choice(("minhop",), "one switch: every path is one hop, no engine does better")
    if subnet.top == 0:
        engine = "ar_updn" if flavour == "nvidia" else "updn"
        return Choice((engine,), "switches of one tier joined to each other: up-down from one root closes no credit loop")
    tiers = ("two", "three")[min(subnet.top, 2) - 1]
    if flavour == "nvidia":
        return Choice(("ar_updn",), f"{tiers} tiers: adaptive, and up-down routing outlives lost cables and switches")
    if subnet.plan is None and (subnet.top == 1 or not _tiered(subnet)):
        return Choice(("updn",), f"{tiers} tiers cabled by hand: up-down takes any tree, ftree wants a regular one")
    if subnet.top == 1:
        return Choice(
            ("ftree", "updn"), "two regular tiers: even for shifts and all-to-all; updn takes over should it lose a part"
        )
    why = "minhop and updn leave most upper cables idle on three tiers (measured); updn takes over should it lose a part"
    return Choice(("ftree", "updn"), why)


def _tiered(subnet: Subnet) -> bool:
    """Whether hosts hang on leaves only and every other cable joins neighbouring tiers: else ftree refuses the shape."""
    tier, cables = subnet.switches.tier, subnet.cables
    own = cables.kind != HOST_CABLE
    return not tier[subnet.ports.leaf].any() and bool(np.all(tier[cables.upper[own]] - tier[cables.lower[own]] == 1))


def _between_groups(flavour: str, plan: GroupPlan) -> Choice:
    """Dragonflies have cycles, so the engine must keep lanes apart. NVIDIA's own takes groups of leaves and spines only."""
    if not plan.plus and not plan.cyclic:
        return Choice(("minhop",), "every two routers are joined: each path crosses one cable, so no credit loop closes")
    if not plan.cyclic:
        why = "one group is a tree of two tiers"
        return Choice(("ar_updn",), why) if flavour == "nvidia" else Choice(("ftree", "updn"), why)
    if flavour == "nvidia" and plan.plus:
        return Choice(("dfp",), "dragonfly+: adaptive, and the lane rises from group to group, so no credit loop closes")
    return Choice(
        ("dfsssp",),
        "groups joined in cycles: each path has its lane, so no credit loop closes where applications ask for its level",
    )


def roots_of(subnet: Subnet) -> npt.NDArray[np.int32]:
    """Switches that up-down and fat-tree engines start from: the top tier. Of groups, which have no common top, those of the
    first: all of them as roots would leave no way that is up only. Of leaves joined to each other one, for the same reason: the
    one with the most neighbours."""
    top = subnet.tier(subnet.top)
    if subnet.top == 0 and len(top) > 1 and subnet.layout is None:
        cables = subnet.cables
        own = cables.kind != HOST_CABLE
        pairs = np.unique(np.stack([cables.lower[own], cables.upper[own]], axis=1), axis=0)
        neighbours = np.bincount(pairs.ravel(), minlength=len(top))
        top = np.array([int(neighbours.argmax())], dtype=np.intp)
    if isinstance(subnet.layout, GroupPlan):
        top = top[: subnet.layout.spines or 1]
    return top.astype(np.int32)
