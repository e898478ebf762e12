"""The cluster as a graph of arrays: planner, topology builders, GUIDs, bindings.

`resolve` turns a `ClusterSpec` into a `Fabric` of `Subnet`s; `columns` says what stands in them, `origin` where it came from.
"""

from __future__ import annotations

from .bindings import Binding, Bindings, read_bindings
from .columns import (
    ACTIVE,
    CORE,
    DOWN,
    GLOBAL_CABLE,
    HOST_CABLE,
    LEAF,
    LEAF_CABLE,
    LOCAL_CABLE,
    PLANNED,
    SPINE,
    SPINE_CABLE,
    Bools,
    Cables,
    Fabric,
    Guids,
    Hosts,
    Ints,
    Plan,
    Ports,
    Rates,
    Reserved,
    Subnet,
    Switches,
)
from .guids import is_synthetic
from .layouts import GroupPlan, IslandPlan
from .origin import path_of_cable, path_of_endpoint, path_of_host, path_of_subnet, path_of_switch, path_of_tier
from .planner import plan_fat_tree
from .port_labels import port_label, port_labels
from .resolve import resolve
from .topology.cable_lines import write_lines as cable_lines

__all__ = [
    "ACTIVE",
    "CORE",
    "DOWN",
    "GLOBAL_CABLE",
    "HOST_CABLE",
    "LEAF",
    "LEAF_CABLE",
    "LOCAL_CABLE",
    "PLANNED",
    "SPINE",
    "SPINE_CABLE",
    "Binding",
    "Bindings",
    "Bools",
    "Cables",
    "Fabric",
    "GroupPlan",
    "Guids",
    "Hosts",
    "Ints",
    "IslandPlan",
    "Plan",
    "Ports",
    "Rates",
    "Reserved",
    "Subnet",
    "Switches",
    "cable_lines",
    "is_synthetic",
    "path_of_cable",
    "path_of_endpoint",
    "path_of_host",
    "path_of_subnet",
    "path_of_switch",
    "path_of_tier",
    "plan_fat_tree",
    "port_label",
    "port_labels",
    "read_bindings",
    "resolve",
]
