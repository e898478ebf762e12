"""Which routing engines a manager is given, and why.

Takes the `control` section and the subnet. Gives a `Choice`: the engines in the order they are tried and a sentence for the
people who read opensm.conf.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.fabric import Subnet
from ibgen.spec import Control

ROOTED = frozenset({"updn", "dnup", "ftree", "ar_updn", "ar_ftree"})
"""Engines that must be given the roots: found automatically they are wrong on fabrics of more than 20 leaves (measured)."""

FAT_TREES = frozenset({"ftree", "ar_ftree"})
"""Engines that must be given the compute ports: aggregation nodes and storage on spines break their ranking (measured)."""

ADAPTIVE = frozenset({"ar_updn", "ar_ftree", "ar_dor", "dfp", "dfp2"})
"""Engines of NVIDIA's manager that route adaptively (MLNXSM release notes 5.10)."""

LEVELLED = frozenset({"dfsssp", "lash", "torus-2QoS"})
"""Engines that keep free of deadlocks by virtual lanes: they need QoS on, and they give every path its service level."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Engines in the order they are tried; `reason` is one line of text, empty where the spec itself chose."""

    engines: tuple[str, ...]
    reason: str = ""


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
    Cables written out by hand are rarely regular enough for ftree: two tiers get updn.
    """
    if subnet.top == 0:
        return Choice(("minhop",), "one switch: every path is one hop, no engine does better")
    tiers = ("two", "three")[min(subnet.top, 2) - 1]
    if flavour == "nvidia":
        return Choice(("ar_updn",), f"{tiers} tiers: adaptive, and up-down routing outlives lost cables and switches")
    if subnet.plan is None and subnet.top == 1:
        return Choice(("updn",), "two tiers cabled by hand: up-down takes any tree, ftree wants a regular one")
    if subnet.top == 1:
        return Choice(
            ("ftree", "updn"), "two regular tiers: even for shifts and all-to-all; updn takes over should it lose a part"
        )
    why = "minhop and updn leave most upper cables idle on three tiers (measured); updn takes over should it lose a part"
    return Choice(("ftree", "updn"), why)
