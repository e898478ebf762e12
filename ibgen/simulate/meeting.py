"""Why flows meet on a link, in the words of the spec, and what would part them.

Takes a subnet, its tables, the loads of a pattern and a link. Gives a `Meeting`. All of it is counted: how many flows had to
share these cables, how many the tables laid on this one, and for which destinations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibgen.diagnostics import Path
from ibgen.fabric import HOST_CABLE, Fabric, GroupPlan, Subnet, path_of_cable
from ibgen.route.pointwise import Pointwise

from .bundles import Bundle, bundle
from .loads import Loads
from .patterns import Flows, Rows
from .walking import Tables

UNEVEN = 1.5
"""A cable that serves more than this multiple of an equal part of the destinations is called uneven."""

GREEDY = frozenset({"minhop", "updn"})
"""Engines that give each destination the least loaded port, switch by switch in the order of LIDs (reference: finding 1)."""

UPWARD = {"up": "uplinks", "down": "cables down", "between groups": "cables between the groups"}


@dataclass(frozen=True, slots=True)
class Meeting:
    """`place`: where the cable lies; `path`: what in the spec made it; `least`: flows that it or a cable beside it must
    carry whatever the routing."""

    place: str
    path: Path
    why: str
    help: str
    least: int


@dataclass(frozen=True)
class _Case:
    """What is known of one link under one pattern."""

    subnet: Subnet
    tables: Tables
    pattern: str
    link: int
    load: int
    loads: Loads
    beside: Bundle
    total: int  # flows on the bundle
    targets: Rows  # destinations of the flows on the link
    adaptive: bool

    @property
    def least(self) -> int:
        return -(-self.total // max(1, len(self.beside.links)))

    @property
    def in_step(self) -> bool:
        """Whether one uplink of an upper switch has it all: the leaves sent up just the destinations it sends there."""
        upper = self.beside.kind == "up" and int(self.tables.graph.tier[self.beside.switch]) > 0
        return upper and len(self.targets) > 1 and len(self.beside.links) > 1 and self.load == self.total

    @property
    def switch(self) -> str:
        return self.subnet.switches.names[self.beside.switch]

    @property
    def peer(self) -> str:
        return self.subnet.switches.names[self.beside.peer]


def meeting(
    fabric: Fabric, subnet: Subnet, tables: Tables, pattern: str, loads: Loads, flows: Flows, link: int, adaptive: bool
) -> Meeting:
    """`link`: a directed link that carries flows. `adaptive`: whether the manager's engine may move flows."""
    graph = tables.graph
    beside = bundle(fabric, subnet, graph, link)
    on = (loads.channels == link).any(axis=1)
    total = int(loads.links[beside.links].sum())
    case = _Case(subnet, tables, pattern, link, int(loads.links[link]), loads, beside, total, np.unique(flows[1][on]), adaptive)
    return Meeting(beside.place, _path(subnet, link, graph.width), _why(case), _help(case), case.least)


def _path(subnet: Subnet, link: int, width: int) -> Path:
    """What in the spec made the cable; the fabric where none is found."""
    switch, port = divmod(link, width)
    c = subnet.cables
    at = (c.upper == switch) & (c.upper_port == port)
    at |= (c.kind != HOST_CABLE) & (c.lower == switch) & (c.lower_port == port)
    found = np.flatnonzero(at)
    return path_of_cable(subnet, int(found[0])) if len(found) else ("fabrics", subnet.fabric)


def _why(x: _Case) -> str:
    b = x.beside
    if b.kind == "to host" or (len(x.targets) == 1 and x.load == x.total):
        return f"all {x.load:,} go to one port: its own cable carries them all"
    if b.kind == "inside group":
        return _transit(x)
    if b.kind == "across":
        return f"{x.total:,} flows go from {x.switch} to {x.peer} over {_cables(len(b.links))}" + _lost(b)
    n = len(b.links)
    what = f"{x.total:,} flows share {n:,} {UPWARD[b.kind]}" if n > 1 else f"{x.total:,} flows have one cable"
    if x.load <= x.least:
        return f"{what}: {x.least:,} on one is the least any routing without detours can do" + _lost(b)
    reason = _dealt(x) if b.kind == "up" else _fixed(x) if b.kind == "down" else _few(x)
    return f"{what}, {x.least:,} on each at most if dealt evenly; {reason}" + _lost(b)


def _cables(n: int) -> str:
    return "one cable" if n == 1 else f"{n:,} cables"


def _lost(b: Bundle) -> str:
    return f"; {b.lost:,} of {b.planned:,} are out of service" if b.lost else ""


def _transit(x: _Case) -> str:
    """A local cable of a group carries its own pair's traffic and that of cables to other groups behind it."""
    pods, graph = x.subnet.switches.pod, x.tables.graph
    passing = int((pods[graph.leaf[x.targets]] != pods[x.beside.peer]).sum())
    joined = f"{_cables(len(x.beside.links))} joins" if len(x.beside.links) == 1 else f"{len(x.beside.links)} cables join"
    onward = (
        f"{passing:,} of {len(x.targets):,} destinations lie in other groups, which {x.peer} leads to"
        if passing
        else (f"the destinations lie at or beyond {x.peer}")
    )
    return f"{onward}; {joined} {x.switch} and {x.peer}"


def _dealt(x: _Case) -> str:
    """Which destinations the tables give this uplink."""
    same = _congruent(x)
    if same:
        return f"these {x.load:,} go to {same}"
    if x.in_step:
        rest = len(x.beside.links) - 1
        return f"all that come up to {x.switch} leave by this one, {rest} beside it idle: the tiers deal destinations in step"
    g, b = x.tables.graph, x.beside
    beyond = g.plugged[g.leaf[g.plugged] != b.switch]
    ports = x.tables.ports(beyond, np.full(len(beyond), b.switch)) if isinstance(x.tables, Pointwise) else None
    if ports is None:
        ports = x.tables.lft[beyond, b.switch]  # type: ignore[union-attr]
    upward = np.isin(b.switch * g.width + ports.astype(np.int64), b.links)
    served = int((ports == x.link % g.width).sum())
    equal = int(upward.sum()) / max(1, len(b.links))
    if served > UNEVEN * equal:
        return f"the tables send {served:,} destinations by this one, an equal part would be {equal:,.0f}"
    return f"{x.load:,} of them go to the {served:,} destinations that the tables give this one, about an equal part"


def _congruent(x: _Case) -> str:
    """How D-mod-k deals the destinations of the link, where it is what dealt them: by number modulo uplinks."""
    tables = x.tables
    if not isinstance(tables, Pointwise):
        return ""
    t, g = tables.form.tree, tables.graph
    number = t.numbers[x.targets]
    tier = int(g.tier[x.beside.switch])
    turns = t.leaf_up.shape[1] if tier == 0 else t.spine_up.shape[2]
    turn = number % turns if tier == 0 else number // max(1, t.spines.shape[1]) % turns
    if len(np.unique(turn)) != 1:
        return ""
    place = np.unique(number % max(1, int(g.host_links.max(initial=1))))  # leaf by leaf, as many as the fullest has
    if len(place) == 1 and tier == 0:
        return f"place {int(place[0]) + 1} of their leaves: D-mod-k sends by number modulo {turns} uplinks, so by one"
    return f"destinations whose numbers are equal modulo {turns} uplinks, which D-mod-k sends by one"


def _few(x: _Case) -> str:
    """Between groups: how many of the cables are used at all."""
    used = x.loads.links[x.beside.links]
    return f"the tables lay them on {int((used > 0).sum())}, {x.load:,} on this one"


def _fixed(x: _Case) -> str:
    g, b = x.tables.graph, x.beside
    own = int((g.peer[b.switch] == b.peer).sum())
    return f"the way down is fixed by the switch a flow went up to, and {x.switch} has {_cables(own)} to {x.peer}"


def _local(x: _Case) -> str:
    """What would widen the way between two routers of a group: cables where both have ports free, else fewer hosts."""
    free = min(_free_ports(x.subnet, x.beside.switch), _free_ports(x.subnet, x.beside.peer))
    if not free:
        return "fewer hosts per router (`p`), which leaves ports for cables inside the group"
    ports = "1 port" if free == 1 else f"{free:,} ports"
    return f"more cables between the routers of a group, where each of these two has {ports} free (`kind: explicit` lists them)"


def _free_ports(subnet: Subnet, switch: int) -> int:
    """Ports that neither a cable nor a reservation nor an empty host slot of the plan takes."""
    c, layout = subnet.cables, subnet.layout
    between = c.kind != HOST_CABLE
    cabled = int((between & ((c.lower == switch) | (c.upper == switch))).sum())
    hosts = layout.down if isinstance(layout, GroupPlan) else int((~between & (c.upper == switch)).sum())
    return max(0, int(subnet.switches.ports[switch]) - cabled - hosts)


def _help(x: _Case) -> str:
    b, forced = x.beside, x.load <= x.least and x.beside.kind in UPWARD
    if b.kind == "to host" or (len(x.targets) == 1 and x.load == x.total):
        return "more ports on the receiving side, or fewer senders at once"
    if b.lost and forced:
        return f"bring the missing {'cable' if b.lost == 1 else 'cables'} back"
    if b.kind in ("between groups", "inside group"):
        more = "more cables between groups" if b.kind == "between groups" else _local(x)
        return f"{more}, or routing that may go through a third group: compare the bounds of adaptive routing"
    if forced:
        return f"as many cables as flows: {x.total:,} here, where there are {len(b.links):,}"
    if x.in_step and x.tables.engine in GREEDY:
        return f"`routing: [ftree]`, which deals destinations tier by tier; {x.tables.engine} counts on every switch alike"
    if x.pattern == "rail rings":
        return "another rank order: hosts in leaf order (see rank order)"
    ways = f"the {len(b.links):,} {UPWARD.get(b.kind, 'cables')}"
    if x.adaptive:
        return f"nothing to do: the manager's adaptive routing spreads flows over {ways}; static tables are its worst case"
    return f"adaptive routing, which spreads flows over {ways}; or jobs placed so that less crosses this tier"
