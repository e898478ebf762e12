"""Puts GUIDs into a subnet: synthetic ones for every name, real ones where the bindings have them.

Takes subnets whose GUID columns are zero, and bindings or None. Gives the subnets with GUIDs, and a finding for every row
of the bindings whose name the spec does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ibgen.diagnostics import Finding

from .bindings import Binding, Bindings
from .columns import Guids, Hosts, Ports, Subnet, Switches
from .findings import BINDING_UNKNOWN
from .guids import HOST, SWITCH, name_guids, node_guids, port_guids
from .spelling import meant


def with_guids(hosts: Hosts, subnets: Sequence[Subnet], bindings: Bindings | None) -> tuple[Subnet, ...]:
    """All GUIDs. One host has the same GUIDs in every subnet; switch names are distinct over all of them."""
    host_guid = name_guids(hosts.names, HOST)
    switch_guid = name_guids([n for s in subnets for n in s.switches.names], SWITCH)
    result, first = [], 0
    for subnet in subnets:
        count = len(subnet.switches.names)
        ports = _ports(subnet.ports, hosts, host_guid, bindings)
        switches = _switches(subnet.switches, switch_guid[first : first + count], bindings)
        result.append(replace(subnet, ports=ports, switches=switches))
        first += count
    return tuple(result)


def _ports(ports: Ports, hosts: Hosts, host_guid: Guids, bindings: Bindings | None) -> Ports:
    node = node_guids(host_guid[ports.host], ports.hca)
    own = port_guids(node, ports.port)
    bound = np.zeros(len(node), np.bool_)
    if bindings is not None and bindings.rows:
        names = [[h.name for h in p.hcas] for p in hosts.platforms]
        pools = hosts.pool[ports.host].tolist()
        keys = zip(ports.host.tolist(), ports.hca.tolist(), ports.port.tolist(), pools, strict=True)
        known = bindings.by_name
        rows = [known.get((hosts.names[host], names[pool][hca], port)) for host, hca, port, pool in keys]
        at = [i for i, row in enumerate(rows) if row is not None]
        real = [row for row in rows if row is not None]
        node[at] = np.array([r.node_guid for r in real], np.uint64)
        own[at] = np.array([r.port_guid for r in real], np.uint64)
        bound[at] = True
    return replace(ports, node_guid=node, port_guid=own, bound=bound)


def _switches(switches: Switches, synthetic: Guids, bindings: Bindings | None) -> Switches:
    guid, bound = synthetic.copy(), np.zeros(len(synthetic), np.bool_)
    if bindings is not None:
        for i, name in enumerate(switches.names):
            row = bindings.by_name.get((name, "", 0))
            if row is not None:
                guid[i], bound[i] = row.node_guid, True
    return replace(switches, guid=guid, bound=bound)


def unknown_names(hosts: Hosts, subnets: Sequence[Subnet], bindings: Bindings, whole: bool) -> Iterator[Finding]:
    """Rows whose host, adapter, port or switch the spec does not have. `whole`: every fabric was built, so that a name
    without an adapter must be a switch of one of them."""
    switches = {n for s in subnets for n in s.switches.names}
    adapters = [{h.name: h.ports for h in p.hcas} for p in hosts.platforms]
    for row in bindings.rows:
        if not row.hca:
            if row.host not in switches and (whole or row.host in hosts.row):
                yield _unknown(bindings, row, "switch", row.host, meant(row.host, switches, "the spec has"))
            continue
        if row.host not in hosts.row:
            yield _unknown(bindings, row, "host", row.host, meant(row.host, hosts.names, "the spec has"))
            continue
        known = adapters[hosts.pool[hosts.row[row.host]]]
        if row.hca not in known:
            if known:
                yield _unknown(bindings, row, "adapter", f"{row.host}/{row.hca}", meant(row.hca, known, "it has"))
        elif row.port > known[row.hca]:
            yield _unknown(bindings, row, "port", f"{row.host}/{row.hca}:{row.port}", f"it has {known[row.hca]} port(s)")


def _unknown(bindings: Bindings, row: Binding, what: str, name: str, hint: str) -> Finding:
    return BINDING_UNKNOWN.finding(f"no {what} of the spec is called {name}", bindings.span(row), hint=hint)
