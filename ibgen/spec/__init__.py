"""What the user writes: one model file per section. Takes a `Document`, gives a `ClusterSpec`."""

from .cloud import AzureCloud, AzureImage, AzureNetwork, Cloud
from .cluster import ClusterSpec
from .control import Control, HopWeight, ManagerFiles, PortOrder, PrefixRoute, Secret
from .fabrics import Attach, FabricSpec, Ipoib, Member, Partition
from .grouped import Dragonfly, DragonflyPlus, RailOnly
from .load import load, load_site
from .nccl import Nccl, NcclPool, Setting
from .pools import HostException, InlineHca, InlinePlatform, Pool, Sriov
from .qos import Adaptive, Congestion, Qos, TrafficClass, Use
from .schema import json_schema, schema_text
from .site import Rack, Site
from .slurm import Slurm, SlurmPartition
from .tiers import GroupLeaf, GroupSpine, LeafTier, RailLeaf, Reservation, UpperTier
from .topology import Explicit, FatTree, Opaque, SwitchGroup, Topology
from .ucx import Ucx, UcxPool
from .workloads import Requirements, Workload
from .written import to_yaml

__all__ = [
    "Adaptive",
    "Attach",
    "AzureCloud",
    "AzureImage",
    "AzureNetwork",
    "Cloud",
    "ClusterSpec",
    "Congestion",
    "Control",
    "Dragonfly",
    "DragonflyPlus",
    "Explicit",
    "FabricSpec",
    "FatTree",
    "GroupLeaf",
    "GroupSpine",
    "HopWeight",
    "HostException",
    "InlineHca",
    "InlinePlatform",
    "Ipoib",
    "LeafTier",
    "ManagerFiles",
    "Member",
    "Nccl",
    "NcclPool",
    "Opaque",
    "Partition",
    "Pool",
    "PortOrder",
    "PrefixRoute",
    "Qos",
    "Rack",
    "RailLeaf",
    "RailOnly",
    "Requirements",
    "Reservation",
    "Secret",
    "Setting",
    "Site",
    "Slurm",
    "SlurmPartition",
    "Sriov",
    "SwitchGroup",
    "Topology",
    "TrafficClass",
    "Ucx",
    "UcxPool",
    "UpperTier",
    "Use",
    "Workload",
    "json_schema",
    "load",
    "load_site",
    "schema_text",
    "to_yaml",
]
