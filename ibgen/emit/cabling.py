"""What the people with the cables need: one line per cable, and what every port of every switch is for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ibgen.compilation import Complete
from ibgen.emit import Artifact, emitter
from ibgen.fabric import ACTIVE, HOST_CABLE, Subnet, port_labels
from ibgen.hostlist import expand
from ibgen.spec import Rack, Site

from .lines import Numbers, Words, decimals, either, joined, numbers, words

_STATES = ("active", "planned", "down")  # by ACTIVE, PLANNED, DOWN
_KINDS = ("host", "leaf-spine", "spine-core", "local", "global")  # by HOST_CABLE and so on
_AT_UPPER = ("host", "down", "down", "local", "global")
_AT_LOWER = ("", "up", "up", "local", "global")
"""What a port is used for, by the kind of its cable. Cables between equals: both ends have one use."""

CABLES_HEADER = "cable,kind,lower,lower_port,lower_label,lower_rack,upper,upper_port,upper_label,upper_rack,rate_gbps,state"
PORTS_HEADER = "switch,port,label,use,peer,peer_port,rate_gbps,rail,unit"


@emitter("cabling")
def cabling(c: Complete) -> Iterator[Artifact]:
    """`cabling/<subnet>.csv` and `cabling/<subnet>-ports.csv`, RFC 4180 without quotes: names hold no comma."""
    racks = Racks(c.site)
    for subnet in c.fabric.subnets:
        names = _Names(c, subnet)
        yield Artifact(f"cabling/{subnet.name}.csv", _cables(subnet, names, racks))
        yield Artifact(f"cabling/{subnet.name}-ports.csv", _ports(subnet, names))


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
    """Names and port labels of a subnet, made once: its switches, then its endpoints as `host/adapter`."""

    def __init__(self, c: Complete, subnet: Subnet) -> None:
        ports, hosts = subnet.ports, c.fabric.hosts
        adapters = [[h.name for h in platform.hcas] for platform in hosts.platforms]
        own = [hosts.names[h] for h in ports.host.tolist()]
        cards = (adapters[p][h] for p, h in zip(hosts.pool[ports.host].tolist(), ports.hca.tolist(), strict=True))
        self.switches = len(subnet.switches.names)
        self.boxes = (*subnet.switches.names, *own)  # what stands in a rack
        self.ends = words((*subnet.switches.names, *(f"{host}/{card}" for host, card in zip(own, cards, strict=True))))
        # one dictionary per (model, split), shared by all switches of that kind
        of = [port_labels(subnet, s) for s in range(self.switches)]
        kinds = {id(labels): labels for labels in of}
        place = {key: n for n, key in enumerate(kinds)}
        self.kind = np.array([place[id(labels)] for labels in of], dtype=np.intp)  # [S]
        self.ports = [np.array(list(labels), dtype=np.intp) for labels in kinds.values()]  # numbers, in their order
        self.size = 1 + max((int(p.max(initial=0)) for p in self.ports), default=0)
        self.labels = words(labels.get(p, "") for labels in kinds.values() for p in range(self.size))

    def label(self, switch: Numbers, port: Numbers) -> Words:
        """What is printed beside the ports of switches."""
        labels: Words = self.labels[self.kind[switch] * self.size + port]
        return labels


def _lower(subnet: Subnet, names: _Names) -> Numbers:
    """The lower end of every cable, as a row of `names.ends`."""
    cables = subnet.cables
    rows: Numbers = np.where(cables.kind == HOST_CABLE, cables.lower + names.switches, cables.lower)
    return rows


def _cables(subnet: Subnet, names: _Names, racks: Racks) -> bytes:
    """One line per cable, hosts' cables first; `cable` is the upper end, which no other shares. With a site, the length."""
    cables = subnet.cables
    host = cables.kind == HOST_CABLE
    low, top = _lower(subnet, names), cables.upper
    between = ~host
    label = either(host, numbers(cables.lower_port[host]), names.label(cables.lower[between], cables.lower_port[between]))
    state = np.full(len(host), ACTIVE)
    state[host] = subnet.ports.state[cables.lower[host]]
    upper, upper_label = names.ends[top], names.label(top, cables.upper_port)
    rack, length = _racks(names, racks, low, top)
    header = CABLES_HEADER + (",length_m" if racks.site else "")
    return header.encode() + joined(
        b"\n", upper, b":", upper_label, b",", words(_KINDS)[cables.kind], b",", names.ends[low], b",",
        numbers(cables.lower_port), b",", label, b",", rack[low], b",", upper, b",", numbers(cables.upper_port), b",",
        upper_label, b",", rack[top], b",", decimals(cables.rate_gbps), b",", words(_STATES)[state], length,
    ) + b"\n"  # fmt: skip


def _racks(names: _Names, racks: Racks, low: Numbers, top: Numbers) -> tuple[Words, Words | bytes]:
    """The rack of every end, and the length of every cable with its comma."""
    if racks.site is None:
        return np.zeros(len(names.boxes), dtype="S1"), b""
    boxes = names.boxes
    lengths = (racks.length(boxes[one], boxes[other]) for one, other in zip(low.tolist(), top.tolist(), strict=True))
    return words(map(racks.name, boxes)), words(lengths)


def _ports(subnet: Subnet, names: _Names) -> bytes:
    """One line per port of every switch, free ones too."""
    counts = [len(names.ports[kind]) for kind in names.kind.tolist()]
    switch = np.repeat(np.arange(names.switches), counts)
    port = np.concatenate([names.ports[kind] for kind in names.kind.tolist()] or [switch])
    switches = subnet.switches
    rail, unit = numbers(np.maximum(switches.rail, -1), absent=-1), numbers(switches.unit, absent=0)
    return PORTS_HEADER.encode() + joined(
        b"\n", names.ends[switch], b",", numbers(port), b",", names.label(switch, port), b",",
        *_uses(subnet, names, switch, port), b",", rail[switch], b",", unit[switch],
    ) + b"\n"  # fmt: skip


def _uses(subnet: Subnet, names: _Names, switch: Numbers, port: Numbers) -> Iterator[Words | bytes]:
    """`use,peer,peer_port,rate` of these ports. Written over one another: free, reserved, cabled."""
    cables, reserved = subnet.cables, subnet.reserved
    row = np.full((names.switches, names.size), len(port))  # of every port; numbers without a label share a last row
    row[switch, port] = np.arange(len(port))
    use = np.full(len(port) + 1, b"free", dtype="S8")
    peer, peer_port = np.zeros((2, len(port) + 1), dtype=np.intp)  # 0: none
    rate = np.zeros(len(port) + 1)

    def put(
        at: Numbers, uses: Words | bytes, peers: Numbers, far_port: Numbers | int, gbps: npt.NDArray[np.float64] | int
    ) -> None:
        use[at], peer[at], peer_port[at], rate[at] = uses, 1 + peers, far_port, gbps

    free, up = np.flatnonzero(~reserved.used), np.flatnonzero(cables.kind != HOST_CABLE)
    put(row[reserved.leaf[free], reserved.leaf_port[free]], b"reserved", len(names.ends) + free, 0, 0)
    put(
        row[cables.upper, cables.upper_port], words(_AT_UPPER)[cables.kind], _lower(subnet, names),
        cables.lower_port, cables.rate_gbps,
    )  # fmt: skip
    put(
        row[cables.lower[up], cables.lower_port[up]], words(_AT_LOWER)[cables.kind[up]], cables.upper[up],
        cables.upper_port[up], cables.rate_gbps[up],
    )  # fmt: skip
    speed = decimals(rate)
    speed[peer_port == 0] = b""
    peers = np.concatenate([words([""]), names.ends, words(reserved.purpose)])
    yield from (use[:-1], b",", peers[peer[:-1]], b",", numbers(peer_port[:-1], absent=0), b",", speed[:-1])
