"""The traffic that is put on a subnet, pattern by pattern, under the names that every output uses.

Takes the spec, a subnet, its compute endpoints and the rank order. Gives flows by name; what is random is number 0 of the seed.
"""

from __future__ import annotations

import numpy as np

from ibgen.fabric import Fabric, Subnet
from ibgen.route import Graph
from ibgen.spec import ClusterSpec

from .group_shift import NAME, group_shift
from .jobs import rings, workload_flows
from .patterns import Flows, Rows, permutation
from .storage import NAME as INCAST
from .storage import storage_flows


def named_flows(
    spec: ClusterSpec, fabric: Fabric, subnet: Subnet, graph: Graph, jobs: Rows, place: Rows, seed: int
) -> dict[str, Flows]:
    """The single patterns. `jobs`: compute endpoints; `place` [H]: every host's place in rank order."""
    named = {"permutation": permutation(graph.plugged, seed)}
    if len(np.unique(subnet.ports.host[jobs])) > 1:
        named["rail rings"] = rings(fabric, subnet, jobs, place)
        for workload in spec.workloads:
            named |= dict(workload_flows(spec, fabric, subnet, jobs, place, workload))
    between = group_shift(subnet, graph)
    if between is not None:
        named[NAME] = between.flows
    storage = storage_flows(spec, fabric, subnet, graph)
    return named if storage is None else {**named, INCAST: storage}
