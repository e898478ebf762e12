"""From the spec to the cluster as arrays: the whole of this room's journey.

Takes `ClusterSpec`, `Catalog` and perhaps `Bindings`. Gives a `Fabric` and all findings at once. A fabric that cannot be
built is left out and named in `Fabric.failed`; the others are built all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ibgen.catalog import Catalog
from ibgen.diagnostics import Finding, Label, Path
from ibgen.spec import ClusterSpec, Explicit, Opaque

from . import binding, inventory, subnets
from .bindings import Bindings
from .columns import Fabric, Subnet
from .findings import PORT_TWICE, SWITCH_TWICE
from .inventory import HCA_BITS, Inventory
from .origin import path_of_endpoint, path_of_switch

_PORT_BITS = 8


def resolve(spec: ClusterSpec, catalog: Catalog, bindings: Bindings | None = None) -> tuple[Fabric | None, tuple[Finding, ...]]:
    """The cluster. None where no pool has a platform that is known: then there is nothing to speak of."""
    hosts, found = inventory.take(spec, catalog)
    findings = list(found)
    built: list[Subnet] = []
    failed: list[int] = []
    for i, fabric in enumerate(spec.fabrics):
        planes, found = subnets.build(spec, i, catalog, hosts)
        findings += found
        built += planes
        if not planes and not isinstance(fabric.topology, Opaque):
            failed.append(i)
    findings += _named_twice(spec, hosts, built)
    findings += _ports_twice(spec, hosts, built)
    complete = binding.with_guids(hosts.hosts, built, bindings)
    if bindings is not None:
        findings += binding.unknown_names(hosts.hosts, complete, bindings, whole=not failed)
    if len(hosts.unusable) == len(spec.pools):
        return None, tuple(findings)
    return Fabric(hosts.hosts, complete, tuple(failed)), tuple(findings)


def _named_twice(spec: ClusterSpec, hosts: Inventory, built: Sequence[Subnet]) -> Iterator[Finding]:
    """Switches called like a host, or like a switch of another subnet: one finding per pair."""
    owner: dict[str, tuple[Subnet, int]] = {}
    for subnet in built:
        topology = spec.fabrics[subnet.fabric].topology
        hint = "rename one of them" if isinstance(topology, Explicit) else "set `prefix` in this fabric's topology"
        clashes: dict[str, list[int]] = {}
        for row, name in enumerate(subnet.switches.names):
            if name in hosts.hosts.row:
                clashes.setdefault("", []).append(row)
            elif name in owner:
                clashes.setdefault(owner[name][0].name, []).append(row)
            else:
                owner[name] = (subnet, row)
        for other, rows in clashes.items():
            names = [subnet.switches.names[r] for r in rows]
            shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            what = f"are switches of `{other}`" if other else "are hosts"
            message = f"{shown} of fabric `{subnet.name}` {what} as well"
            first: Path = ("pools", int(hosts.hosts.pool[hosts.hosts.row[names[0]]]), "hosts") if not other else ()
            labels = [Label(first or path_of_switch(*owner[names[0]]), "and here")]
            at: Path = ("fabrics", subnet.fabric, "topology")
            yield SWITCH_TWICE.finding(message, at, labels=labels, hint=hint)


def _ports_twice(spec: ClusterSpec, hosts: Inventory, built: Sequence[Subnet]) -> Iterator[Finding]:
    """Ports of adapters that stand on two fabrics, or twice on one: one finding per pair of `attach` entries."""
    if not built:
        return
    key = np.concatenate(
        [(s.ports.host << HCA_BITS | s.ports.hca).astype(np.int64) << _PORT_BITS | s.ports.port for s in built]
    )
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order][1:] == key[order][:-1])
    if not len(again):
        return
    ends = np.cumsum([len(s.ports.host) for s in built])
    pairs: dict[tuple[Path, Path], list[int]] = {}
    for i in again.tolist():
        one, other = (_endpoint(built, ends, int(order[k])) for k in (i, i + 1))
        pairs.setdefault((path_of_endpoint(*one), path_of_endpoint(*other)), []).append(int(key[order[i]]))
    for (first, second), keys in pairs.items():
        pair, port = divmod(keys[0], 1 << _PORT_BITS)
        host, hca = divmod(pair, 1 << HCA_BITS)
        name = f"{hosts.hosts.names[host]}/{hosts.hosts.platforms[hosts.hosts.pool[host]].hcas[hca].name}"
        more = f" and {len(keys) - 1} more ports are" if len(keys) > 1 else " is"
        message = f"port {port} of {name}{more} attached twice"
        hint = "one port takes one cable: attach other adapters by role or by name"
        yield PORT_TWICE.finding(message, second, labels=[Label(first, "attached here first")], hint=hint)


def _endpoint(built: Sequence[Subnet], ends: np.ndarray, row: int) -> tuple[Subnet, int]:
    which = int(np.searchsorted(ends, row, side="right"))
    return built[which], row - (int(ends[which - 1]) if which else 0)
