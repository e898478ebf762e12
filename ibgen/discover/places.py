"""Where the plan has everything: from a port of a switch to what hangs there, and back.

Takes one `Subnet`. Gives look-ups over its cables, whatever their state: a host that is planned may be there already.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibgen.fabric import HOST_CABLE, Subnet

Adapter = tuple[int, int]
"""(row of Hosts, index of the HCA in its platform)."""


@dataclass(frozen=True)
class Places:
    """Who hangs where, by row numbers."""

    endpoint_at: dict[tuple[int, int], int]  # (switch, port) -> row of Ports
    switch_at: dict[tuple[int, int], tuple[int, int]]  # (switch, port) -> (switch, port)
    leaf_of: dict[tuple[int, int, int], tuple[int, int]]  # (host, HCA, port) -> (switch, port)
    row_of: dict[tuple[int, int, int], int]  # (host, HCA, port) -> row of Ports
    adapters: tuple[Adapter, ...]  # per row of Ports
    port_of: tuple[int, ...]  # per row of Ports: the port of the adapter
    of_host: dict[int, tuple[Adapter, ...]]  # host -> its adapters on this subnet


def places(subnet: Subnet) -> Places:
    """The look-ups of one subnet."""
    ports, cables = subnet.ports, subnet.cables
    keys = list(zip(ports.host.tolist(), ports.hca.tolist(), ports.port.tolist(), strict=True))
    leaves = list(zip(ports.leaf.tolist(), ports.leaf_port.tolist(), strict=True))
    up = cables.kind != HOST_CABLE
    low = list(zip(cables.lower[up].tolist(), cables.lower_port[up].tolist(), strict=True))
    high = list(zip(cables.upper[up].tolist(), cables.upper_port[up].tolist(), strict=True))
    of_host: dict[int, dict[Adapter, None]] = {}
    for host, hca, _ in keys:
        of_host.setdefault(host, {})[host, hca] = None
    return Places(
        endpoint_at=dict(zip(leaves, range(len(leaves)), strict=True)),
        switch_at=dict(zip([*low, *high], [*high, *low], strict=True)),
        leaf_of=dict(zip(keys, leaves, strict=True)),
        row_of=dict(zip(keys, range(len(keys)), strict=True)),
        adapters=tuple((host, hca) for host, hca, _ in keys),
        port_of=tuple(port for _, _, port in keys),
        of_host={host: tuple(found) for host, found in of_host.items()},
    )
