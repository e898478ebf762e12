"""The hosts of the spec as columns, with their platforms and what differs from them.

Takes `spec.pools` and the catalog. Gives an `Inventory`: `Hosts`, each pool's rows, adapter facts by (host, HCA), and
everything wrong with platforms, slots and exceptions. Names that nothing bears are `ibgen.spec`'s to report, not ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ibgen.catalog import Catalog, Platform, generic
from ibgen.diagnostics import Finding, Label, Path
from ibgen.hostlist import HostlistError, expand, slots
from ibgen.spec import ClusterSpec, InlinePlatform, Pool

from . import inline
from .columns import ACTIVE, DOWN, PLANNED, Bools, Hosts, Ints, Rates
from .findings import NOT_IN_POOL, SLOT_TWICE, SLOTS_UNCLEAR, UNKNOWN_HCA, UNKNOWN_PLATFORM
from .spelling import meant

_STATES = {"active": ACTIVE, "planned": PLANNED, "down": DOWN}

HCA_BITS = 8
"""(host, HCA) pairs are kept as one integer, host << HCA_BITS | hca; a GUID has room for as many HCAs (see `guids`)."""


@dataclass(frozen=True)
class Inventory:
    """All hosts, and what is known of their adapters. Pools with an unknown platform have hosts but no adapters."""

    hosts: Hosts
    rows: tuple[range, ...]  # rows of `hosts`, one range per pool
    unusable: frozenset[int]  # pools whose platform or slots are not known
    down: Ints  # sorted host << HCA_BITS | hca of the adapters out of service

    @cached_property
    def _first(self) -> Ints:
        """Where each pool's adapters begin in the flat tables below."""
        return np.cumsum([0, *(len(p.hcas) for p in self.hosts.platforms)], dtype=np.int32)

    @cached_property
    def _flat(self) -> tuple[Rates, Bools, Ints]:
        hcas = [h for p in self.hosts.platforms for h in p.hcas]
        rates = np.array([h.rate_gbps for h in hcas], np.float64)
        return rates, np.array([h.role == "compute" for h in hcas], np.bool_), np.array([h.ports for h in hcas], np.int32)

    def adapters(self, host: Ints, hca: Ints) -> tuple[Rates, Bools, Ints]:
        """Rate of one port in Gb/s, whether the role is compute, and the number of ports, per (host, HCA) row."""
        at = self._first[self.hosts.pool[host]] + hca
        rates, compute, ports = self._flat
        return rates[at], compute[at], ports[at]

    def state(self, host: Ints, hca: Ints) -> Ints:
        """State per (host, HCA) row: the host's, or DOWN where the adapter is out of service."""
        state = self.hosts.state[host]
        if len(self.down):
            state = np.where(np.isin(host << HCA_BITS | hca, self.down), np.int32(DOWN), state)
        return state


def take(spec: ClusterSpec, catalog: Catalog) -> tuple[Inventory, tuple[Finding, ...]]:
    """All pools, in the order of the spec."""
    findings: list[Finding] = []
    names: list[str] = []
    slot: list[int] = []
    rows: list[range] = []
    platforms: list[Platform] = []
    unusable: set[int] = set()
    seen: set[str] = set()
    for p, pool in enumerate(spec.pools):
        platform, found = _platform(pool, catalog, ("pools", p, "platform"))
        findings += found
        placed, found = _slots(pool, ("pools", p))
        findings += found
        if platform is None or placed is None:
            unusable.add(p)
        platforms.append(platform or generic(pool.name, ()))
        fresh = [(n, s) for n, s in placed or [(n, 0) for n in dict.fromkeys(expand(pool.hosts))] if n not in seen]
        rows.append(range(len(names), len(names) + len(fresh)))
        names += [n for n, _ in fresh]
        slot += [s for _, s in fresh]
        seen.update(names[rows[-1].start :])
    sizes = [len(r) for r in rows]
    pool_of = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
    state = np.full(len(names), ACTIVE, np.int32)
    hosts = Hosts(tuple(names), pool_of, np.array(slot, np.int32), state, tuple(platforms))
    down: set[int] = set()
    for p, pool in enumerate(spec.pools):
        findings += _exceptions(pool, p, hosts, rows[p], p in unusable, state, down)
    return Inventory(hosts, tuple(rows), frozenset(unusable), np.array(sorted(down), np.int32)), tuple(findings)


def _platform(pool: Pool, catalog: Catalog, at: Path) -> tuple[Platform | None, tuple[Finding, ...]]:
    if isinstance(pool.platform, InlinePlatform):
        return inline.platform(pool.name, pool.platform, catalog, at)
    platform = catalog.platform(pool.platform)
    if platform is not None:
        return platform, ()
    near = catalog.near("platforms", pool.platform)
    hint = (
        f"did you mean {' or '.join(f'`{n}`' for n in near)}?" if near else "`ibgen show platforms` lists what the catalog has"
    )
    return None, (UNKNOWN_PLATFORM.finding(f"the catalog has no platform `{pool.platform}`", at, hint=hint),)


def _slots(pool: Pool, at: Path) -> tuple[list[tuple[str, int]] | None, tuple[Finding, ...]]:
    """Hosts with their slots, pins applied; None where the numbering itself is unclear."""
    try:
        placed = slots(pool.hosts)
    except HostlistError as error:
        if len(names := expand(pool.hosts)) != len(set(names)):
            return None, ()  # a host written twice: said by ibgen.spec
        hint = error.hint or "write one item per run of numbers"
        return None, (SLOTS_UNCLEAR.finding(error.message, (*at, "hosts"), hint=hint),)
    if not pool.slots:
        return placed, ()
    return _pinned(pool, placed, at)


def _pinned(pool: Pool, placed: list[tuple[str, int]], at: Path) -> tuple[list[tuple[str, int]], tuple[Finding, ...]]:
    findings: list[Finding] = []
    known = dict(placed)
    holders: dict[int, str] = {}
    result = [(name, pool.slots.get(name, slot)) for name, slot in placed]
    for name, slot in result:
        other = holders.setdefault(slot, name)
        if other == name:
            continue
        pin = name if name in pool.slots else other
        labels = [Label((*at, "slots", other), f"{other} is pinned there too")] if {name, other} <= set(pool.slots) else []
        message = f"{other} and {name} both stand on slot {slot}"
        hint = f"pin {pin} to a free slot, such as {max(*holders, *known.values()) + 1}"
        findings.append(SLOT_TWICE.finding(message, (*at, "slots", pin), labels=labels, hint=hint))
    return result, tuple(findings)


def _exceptions(
    pool: Pool, p: int, hosts: Hosts, rows: range, unusable: bool, state: Ints, down: set[int]
) -> Iterable[Finding]:
    """Applies a pool's exceptions to `state` and `down`."""
    platform = hosts.platforms[p]
    index = {h.name: i for i, h in enumerate(platform.hcas)}
    for name in pool.slots:
        if name in hosts.row and hosts.row[name] not in rows:
            yield _elsewhere(pool, name, ("pools", p, "slots", name))
    for e, exception in enumerate(pool.exceptions):
        at: Path = ("pools", p, "exceptions", e)
        known = [n for n in expand(exception.hosts) if n in hosts.row]
        strangers = [n for n in known if hosts.row[n] not in rows]
        if strangers:
            yield _elsewhere(pool, strangers[0], (*at, "hosts"))
        members = [hosts.row[n] for n in known if hosts.row[n] in rows]
        if exception.state is not None:
            state[members] = _STATES[exception.state]
        for name in exception.hcas:
            if name in index:
                down.update(row << HCA_BITS | index[name] for row in members)
            elif not unusable:
                message = f"{platform.id} has no adapter `{name}`"
                yield UNKNOWN_HCA.finding(message, (*at, "hcas", name), on="key", hint=meant(name, index, "it has"))


def _elsewhere(pool: Pool, name: str, at: Path) -> Finding:
    return NOT_IN_POOL.finding(
        f"{name} is no host of pool `{pool.name}`", at, hint="move the line to the pool that has the host"
    )
