"""Who sits together: the hosts that share one set of compute leaf switches, decided once, by intent.

Takes `ClusterSpec` and `Fabric`. Gives `Unit`s: what Slurm calls a leaf switch, and what the inventory groups by. A port
that is down, or an adapter out of service, never moves a host: the place comes from the leaf its slot is planned on.
Storage and management ports do not count (topograph issue 265: a storage switch became a leaf of everything).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ibgen.fabric import Fabric, GroupPlan, IslandPlan, Subnet
from ibgen.fabric.columns import HOST_CABLE, LEAF, SPINE
from ibgen.spec import ClusterSpec

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Unit:
    """Hosts with one set of compute leaves.

    `fabric` is a row of `spec.fabrics`. `island` tells units apart that no cable joins; `pod` is empty where there is one
    pod or none. `hosts` are rows of `Fabric.hosts`, ascending. `tiers` counts the switch tiers above the hosts (0: unknown).
    `name` and `pod` begin with `prefix`, which keeps the names of several fabrics apart. `grouped`: the unit is a group of a
    dragonfly or dragonfly+, joined to the other groups without a common top.
    """

    name: str
    prefix: str
    fabric: int
    island: int
    pod: str
    hosts: tuple[int, ...]
    tiers: int
    grouped: bool = False


def units(spec: ClusterSpec, fabric: Fabric) -> tuple[Unit, ...]:
    """The units of every fabric that carries compute traffic, in the order of the spec, then of the leaves."""
    found: list[Unit] = []
    prefixes = _prefixes(spec, fabric)
    for f, declared in enumerate(spec.fabrics):
        found += _opaque(spec, fabric, f) if declared.topology.kind == "opaque" else _planned(fabric, f, prefixes.get(f, ""))
    return tuple(found)


def islands(subnet: Subnet, joined: Iterable[tuple[int, int]] = ()) -> Rows:
    """[S] for each switch the lowest row it can reach over cables, and over the `joined` pairs."""
    cables = subnet.cables
    between = cables.kind != HOST_CABLE
    pairs = np.array([*joined], dtype=np.int64).reshape(-1, 2)
    a = np.concatenate([cables.lower[between].astype(np.int64), pairs[:, 0]])
    b = np.concatenate([cables.upper[between].astype(np.int64), pairs[:, 1]])
    label = np.arange(len(subnet.switches.names), dtype=np.int64)
    while True:
        low = np.minimum(label[a], label[b])
        before = label.copy()
        np.minimum.at(label, a, low)
        np.minimum.at(label, b, low)
        if np.array_equal(before, label):
            return label


def _planned(fabric: Fabric, f: int, prefix: str) -> list[Unit]:
    """Units of one fabric whose switches are ours. Planes are copies: unit 1 is the same hosts on each of them."""
    found: dict[str, Unit] = {}
    placed: set[int] = set()
    for subnet in fabric.of(f):
        groups = _leaves(subnet)
        island = islands(subnet, ((leaves[0], leaf) for leaves in groups.values() for leaf in leaves[1:]))
        pods = _pods(subnet, groups)
        for name, hosts in _hosts_of(subnet, groups).items():
            rows = [h for h in hosts if h not in placed]
            placed.update(rows)
            if not rows:
                continue
            pod = prefix + pods[name] if pods[name] else ""
            first = found.get(name) or Unit(
                prefix + name, prefix, f, _island(subnet, int(island[groups[name][0]])), pod, (), subnet.top + 1,
                isinstance(subnet.layout, GroupPlan) and subnet.layout.groups > 1,
            )  # fmt: skip
            found[name] = replace(first, hosts=tuple(sorted((*first.hosts, *rows))))
    return list(found.values())


def _leaves(subnet: Subnet) -> dict[str, tuple[int, ...]]:
    """Leaves by unit. A dragonfly's unit is the group: inside it is close enough, and Slurm counts in groups."""
    if isinstance(subnet.layout, GroupPlan):
        rows, pod = subnet.tier(LEAF), subnet.switches.pod
        bounds = np.searchsorted(pod[rows], np.arange(1, subnet.layout.groups + 2))
        return {f"g{g:02d}": tuple(rows[bounds[g - 1] : bounds[g]].tolist()) for g in range(1, subnet.layout.groups + 1)}
    return _by_leaf_place(subnet) if subnet.planned else _by_leaf_set(subnet)


def _island(subnet: Subnet, label: int) -> int:
    """What no cable joins has different islands. The rails of a unit meet in its hosts, so the unit is what stands alone."""
    return subnet.layout.unit if isinstance(subnet.layout, IslandPlan) else label


def _by_leaf_place(subnet: Subnet) -> dict[str, tuple[int, ...]]:
    """Leaves of a fat tree by unit; where several leaves share a rail of a unit, by their place among those."""
    switches = subnet.switches
    place: dict[tuple[int, int], list[int]] = {}
    for row in subnet.tier(LEAF).tolist():
        place.setdefault((int(switches.unit[row]), int(switches.rail[row])), []).append(row)
    groups: dict[tuple[int, int], list[int]] = {}
    for (unit, _), rows in place.items():
        for n, row in enumerate(rows):
            groups.setdefault((unit, n), []).append(row)
    several = {unit for unit, n in groups if n}
    return {
        f"su{unit:02d}{_letters(n) if unit in several else ''}": tuple(sorted(rows))
        for (unit, n), rows in sorted(groups.items())
    }


def _by_leaf_set(subnet: Subnet) -> dict[str, tuple[int, ...]]:
    """Leaves of an explicit topology by the hosts' sets of compute leaves; a set inside exactly one other belongs to it."""
    sets = {frozenset(leaves) for leaves in _leaves_of_hosts(subnet).values()}
    whole = [s for s in sets if not any(s < other for other in sets)]
    partial = [s for s in sets - set(whole) if sum(s < other for other in whole) > 1]
    names = subnet.switches.names
    return {
        names[min(s)] if len(s) == 1 else f"su-{names[min(s)]}": tuple(sorted(s))
        for s in sorted([*whole, *partial], key=sorted)
    }


def _leaves_of_hosts(subnet: Subnet) -> dict[int, set[int]]:
    ports = subnet.ports
    leaves: dict[int, set[int]] = {}
    for host, leaf in set(zip(ports.host[ports.compute].tolist(), ports.leaf[ports.compute].tolist(), strict=True)):
        leaves.setdefault(host, set()).add(leaf)
    return leaves


def _hosts_of(subnet: Subnet, groups: dict[str, tuple[int, ...]]) -> dict[str, list[int]]:
    """Each host with a compute port, in the group of its leaves. In a fat tree one leaf tells which; elsewhere a leaf may
    stand in several sets, and the first that holds all leaves of the host has it."""
    if subnet.planned:
        return _hosts_of_leaves(subnet, groups)
    members = {name: frozenset(leaves) for name, leaves in groups.items()}
    hosts: dict[str, list[int]] = {name: [] for name in groups}
    for host, own in sorted(_leaves_of_hosts(subnet).items()):
        near = [name for name, leaves in members.items() if min(own) in leaves]
        hosts[next((name for name in near if own <= members[name]), near[0])].append(host)
    return hosts


def _hosts_of_leaves(subnet: Subnet, groups: dict[str, tuple[int, ...]]) -> dict[str, list[int]]:
    ports = subnet.ports
    group_of = np.zeros(len(subnet.switches.names), dtype=np.int64)
    for n, leaves in enumerate(groups.values()):
        group_of[list(leaves)] = n
    host, leaf = ports.host[ports.compute], ports.leaf[ports.compute]
    order = np.lexsort((leaf, host))
    rows, first = np.unique(host[order], return_index=True)
    home = group_of[leaf[order][first]]
    by_group = np.argsort(home, kind="stable")
    bounds = np.searchsorted(home[by_group], np.arange(len(groups) + 1))
    return {name: rows[by_group[bounds[n] : bounds[n + 1]]].tolist() for n, name in enumerate(groups)}


def _pods(subnet: Subnet, groups: dict[str, tuple[int, ...]]) -> dict[str, str]:
    """Name of each group's pod: planned pods by number, those of explicit topologies by their lowest spine."""
    switches = subnet.switches
    if subnet.top <= SPINE:
        return dict.fromkeys(groups, "")
    if subnet.planned:
        numbers = {name: int(switches.pod[leaves[0]]) for name, leaves in groups.items()}
        named = {name: f"pod{n:02d}" if n else "" for name, n in numbers.items()}
    else:
        cables = subnet.cables
        between = cables.kind != HOST_CABLE
        lower, upper = cables.lower[between], cables.upper[between]
        lowest = {name: upper[np.isin(lower, leaves)].min(initial=len(switches.names)) for name, leaves in groups.items()}
        named = {name: f"pod-{switches.names[s]}" if s < len(switches.names) else "" for name, s in lowest.items()}
    return named if len(set(named.values())) > 1 else dict.fromkeys(groups, "")


def _opaque(spec: ClusterSpec, fabric: Fabric, f: int) -> list[Unit]:
    """One unit per placement object of a provider's fabric: a cloud entry; without one, all pools of the fabric together."""
    hosts: dict[str, set[int]] = {}
    clouds = {cloud.pool: cloud.name or cloud.pool for cloud in spec.cloud if cloud.fabric == spec.fabrics[f].name}
    for attach in spec.fabrics[f].attach:
        pool = next((p for p, candidate in enumerate(spec.pools) if candidate.name == attach.pool), None)
        if pool is None:
            continue
        adapters = fabric.hosts.platforms[pool].hcas
        asked = attach.hcas
        wanted = [h for h in adapters if (h.name in asked if isinstance(asked, tuple) else asked in ("all", h.role))]
        if any(h.role == "compute" for h in wanted):
            name = clouds.get(attach.pool, spec.fabrics[f].name)
            hosts.setdefault(name, set()).update(np.flatnonzero(fabric.hosts.pool == pool).tolist())
    return [Unit(name, "", f, n, "", tuple(sorted(rows)), 0) for n, (name, rows) in enumerate(hosts.items()) if rows]


def _prefixes(spec: ClusterSpec, fabric: Fabric) -> dict[int, str]:
    """What stands before the names of each planned compute fabric: its own `prefix`; its name where two would be alike."""
    own: dict[int, str] = {}
    for subnet in fabric.subnets:
        if subnet.ports.compute.any():
            prefix = getattr(spec.fabrics[subnet.fabric].topology, "prefix", None)
            own[subnet.fabric] = f"{prefix}-" if prefix else ""
    alike = [p.casefold() for p in own.values()]
    return {f: p if alike.count(p.casefold()) == 1 else f"{spec.fabrics[f].name}-" for f, p in own.items()}


def _letters(n: int) -> str:
    """0 -> a, 25 -> z, 26 -> aa: as the leaves of one rail and unit are lettered."""
    text = ""
    n += 1
    while n:
        n, rest = divmod(n - 1, 26)
        text = chr(ord("a") + rest) + text
    return text
