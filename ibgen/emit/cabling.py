"""What the people with the cables need: one line per cable, and what every port of every switch is for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibgen.compilation import Complete
from ibgen.emit import Artifact, emitter
from ibgen.fabric import ACTIVE, DOWN, GLOBAL_CABLE, HOST_CABLE, LOCAL_CABLE, PLANNED, Subnet, port_labels
from ibgen.hostlist import expand
from ibgen.spec import Rack, Site

_STATES = {ACTIVE: "active", PLANNED: "planned", DOWN: "down"}
_KINDS = ("host", "leaf-spine", "spine-core", "local", "global")
_SIDES = {LOCAL_CABLE: "local", GLOBAL_CABLE: "global"}
"""Cables between equals: both ends have one use."""

CABLES_HEADER = "cable,kind,lower,lower_port,lower_label,lower_rack,upper,upper_port,upper_label,upper_rack,rate_gbps,state"
PORTS_HEADER = "switch,port,label,use,peer,peer_port,rate_gbps,rail,unit"


@emitter("cabling")
def cabling(c: Complete) -> Iterator[Artifact]:
    """`cabling/<subnet>.csv` and `cabling/<subnet>-ports.csv`, RFC 4180 without quotes: names hold no comma."""
    racks = Racks(c.site)
    for subnet in c.fabric.subnets:
        names = _Names(c, subnet)
        yield Artifact(f"cabling/{subnet.name}.csv", _cables(subnet, names, racks).encode())
        yield Artifact(f"cabling/{subnet.name}-ports.csv", _ports(subnet, names).encode())


class Racks:
    """Which rack a host or switch is in, and how long the cable between two of them is."""

    def __init__(self, site: Site | None) -> None:
        self.site = site
        self.of: dict[str, Rack] = {}
        for rack in site.racks if site else ():
            for names in (rack.hosts, rack.switches):
                self.of |= dict.fromkeys(expand(names), rack) if names else {}

    def name(self, of: str) -> str:
        rack = self.of.get(of)
        return rack.name if rack else ""

    def length(self, one: str, other: str) -> str:
        """`,` and metres along rows and racks, with the slack; only `,` where an end is in no rack, nothing without a site."""
        if self.site is None:
            return ""
        a, b = self.of.get(one), self.of.get(other)
        if a is None or b is None:
            return ","
        across, along = abs(a.row - b.row) * self.site.row_pitch_m, abs(a.position - b.position) * self.site.rack_pitch_m
        return f",{across + along + self.site.slack_m:.1f}"


class _Names:
    """Names and port labels of a subnet, made once: endpoints as `host/adapter`, ports as their switch labels them."""

    def __init__(self, c: Complete, subnet: Subnet) -> None:
        ports, hosts = subnet.ports, c.fabric.hosts
        adapters = [[h.name for h in platform.hcas] for platform in hosts.platforms]
        pools = hosts.pool[ports.host].tolist()
        self.hosts = [hosts.names[h] for h in ports.host.tolist()]
        self.adapters = [adapters[p][h] for p, h in zip(pools, ports.hca.tolist(), strict=True)]
        self.endpoints = [f"{host}/{hca}" for host, hca in zip(self.hosts, self.adapters, strict=True)]
        # one dictionary per (model, split), shared by all switches of that kind
        self.labels = [port_labels(subnet, s) for s in range(len(subnet.switches.names))]

    def label(self, switch: int, port: int) -> str:
        return self.labels[switch][port]


def _cables(subnet: Subnet, names: _Names, racks: Racks) -> str:
    """One line per cable, hosts' cables first; `cable` is the upper end, which no other shares. With a site, the length."""
    cables, switches = subnet.cables, subnet.switches.names
    state = subnet.ports.state.tolist()
    lines = [CABLES_HEADER + (",length_m" if racks.site else "")]
    columns = (cables.kind, cables.lower, cables.lower_port, cables.upper, cables.upper_port, cables.rate_gbps)
    for kind, lower, lower_port, upper, upper_port, rate in zip(*(x.tolist() for x in columns), strict=True):
        top = switches[upper]
        top_label = names.label(upper, upper_port)
        if kind == HOST_CABLE:
            low, label, end, status = names.endpoints[lower], str(lower_port), names.hosts[lower], state[lower]
        else:
            low = end = switches[lower]
            label, status = names.label(lower, lower_port), ACTIVE
        lines.append(
            f"{top}:{top_label},{_KINDS[kind]},{low},{lower_port},{label},{racks.name(end)},{top},{upper_port},{top_label},"
            f"{racks.name(top)},{rate:g},{_STATES[status]}{racks.length(end, top)}"
        )
    return "\n".join(lines) + "\n"


def _ports(subnet: Subnet, names: _Names) -> str:
    """One line per port of every switch, free ones too."""
    use = _uses(subnet, names)
    switches = subnet.switches
    lines = [PORTS_HEADER]
    for s, (name, rail, unit) in enumerate(zip(switches.names, switches.rail.tolist(), switches.unit.tolist(), strict=True)):
        tail = f"{rail if rail >= 0 else ''},{unit or ''}"
        mine = use[s]
        lines.extend(f"{name},{port},{label},{mine.get(port, 'free,,,')},{tail}" for port, label in names.labels[s].items())
    return "\n".join(lines) + "\n"


def _uses(subnet: Subnet, names: _Names) -> list[dict[int, str]]:
    """Per switch, port -> `use,peer,peer_port,rate`."""
    cables, reserved, switches = subnet.cables, subnet.reserved, subnet.switches.names
    use: list[dict[int, str]] = [{} for _ in switches]
    free = np.flatnonzero(~reserved.used)
    for row in free.tolist():
        use[int(reserved.leaf[row])][int(reserved.leaf_port[row])] = f"reserved,{reserved.purpose[row]},,"
    columns = (cables.kind, cables.lower, cables.lower_port, cables.upper, cables.upper_port, cables.rate_gbps)
    for kind, lower, lower_port, upper, upper_port, rate in zip(*(x.tolist() for x in columns), strict=True):
        if kind == HOST_CABLE:
            use[upper][upper_port] = f"host,{names.endpoints[lower]},{lower_port},{rate:g}"
        else:
            use[upper][upper_port] = f"{_SIDES.get(kind, 'down')},{switches[lower]},{lower_port},{rate:g}"
            use[lower][lower_port] = f"{_SIDES.get(kind, 'up')},{switches[upper]},{upper_port},{rate:g}"
    return use
