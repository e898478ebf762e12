"""The lists a manager reads because the spec asks for them (`control.files`), as rows of the subnet's tables.

Takes `control`, the fabric and the subnet. Gives a `FilePlan` and findings. Which engine reads a list is a rule's to judge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibgen.diagnostics import Finding, Path
from ibgen.fabric import HOST_CABLE, LEAF, Fabric, Subnet
from ibgen.hostlist import expand
from ibgen.spec import Control

from .opensm_findings import LIST_SWITCH, STABLE_LIDS
from .opensm_qos import storage_ports

Rows = npt.NDArray[np.int32]
LAST_LID = 0xBFFF
"""The last unicast LID (InfiniBand Architecture Specification, volume 1, 4.1.3)."""


@dataclass(frozen=True)
class FilePlan:
    """Empty where nothing is asked for. Rows are rows of the subnet's tables."""

    storage: Rows  # Ports
    reverse_hops: int | None
    switch_ids: Rows  # Switches, in the order of their ids, from 1
    routing_order: Rows  # Ports
    hop_weights: npt.NDArray[np.int32]  # [W, 3] switch, port, hops
    port_order: tuple[tuple[int, tuple[int, ...]], ...]  # switch, ports
    port_lids: Rows  # [E] LID per port; empty without stable LIDs
    switch_lids: Rows  # [S]


def plan(control: Control, fabric: Fabric, subnet: Subnet, listed: npt.NDArray[np.bool_]) -> tuple[FilePlan, list[Finding]]:
    """What `control.files` means on this subnet; `listed` masks the ports whose GUIDs may stand in a file."""
    none, asked, findings = np.zeros(0, np.int32), control.files, list[Finding]()
    at: Path = ("fabrics", subnet.fabric, "control", "files")
    storage = storage_ports(fabric, subnet) & listed if asked.storage_reverse_hops else np.zeros_like(listed)
    ports = np.flatnonzero(listed).astype(np.int32)
    port_lids, switch_lids = none, none
    if asked.stable_lids and control.options.get("lmc", "0").strip() not in ("0", "0x0"):
        findings.append(STABLE_LIDS.finding("LIDs are planned for `lmc` 0", (*at, "stable_lids"), hint="take `lmc` out"))
    elif asked.stable_lids:
        port_lids, switch_lids, found = _lids(subnet, at)
        findings += found
    weights = []
    for i, w in enumerate(asked.hop_weights):
        here, found = _switches(subnet, w.switches, (*at, "hop_weights", i, "switches"))
        there, more = _switches(subnet, w.to, (*at, "hop_weights", i, "to"))
        findings += [*found, *more]
        weights.append(_between(subnet, here, there, w.weight))
    order: list[tuple[int, tuple[int, ...]]] = []
    for i, o in enumerate(asked.port_order):
        rows, found = _switches(subnet, o.switches, (*at, "port_order", i, "switches"))
        findings += [*found, *_too_high(subnet, rows, o.ports, (*at, "port_order", i, "ports"))]
        order += [(row, tuple(dict.fromkeys(o.ports))) for row in rows]
    made = FilePlan(
        storage=np.flatnonzero(storage).astype(np.int32),
        reverse_hops=asked.storage_reverse_hops,
        switch_ids=np.arange(len(subnet.switches.names), dtype=np.int32) if asked.switch_ids else none,
        routing_order=ports if asked.routing_order else none,
        hop_weights=np.concatenate(weights) if weights else np.zeros((0, 3), np.int32),
        port_order=tuple(order),
        port_lids=port_lids,
        switch_lids=switch_lids,
    )
    return made, findings


def _switches(subnet: Subnet, written: str, at: Path) -> tuple[list[int], list[Finding]]:
    names = expand(written)
    absent = [n for n in names if n not in subnet.switches.row]
    found = [LIST_SWITCH.finding(f"`{absent[0]}` is no switch of `{subnet.name}`", at, hint=_known(subnet))] if absent else []
    return [subnet.switches.row[n] for n in names if n in subnet.switches.row], found


def _known(subnet: Subnet) -> str:
    names = subnet.switches.names
    return f"its switches are {names[0]} to {names[-1]}" if names else "it has no switches"


def _too_high(subnet: Subnet, rows: list[int], ports: tuple[int, ...], at: Path) -> list[Finding]:
    """OpenSM drops a line with a port that is not there, and says so only in its most talkative log."""
    for row in rows:
        if max(ports) > int(subnet.switches.ports[row]):
            name, count = subnet.switches.names[row], int(subnet.switches.ports[row])
            return [LIST_SWITCH.finding(f"`{name}` has {count} ports", at, label=f"port {max(ports)}", hint="take it out")]
    return []


def _between(subnet: Subnet, here: list[int], there: list[int], weight: int) -> npt.NDArray[np.int32]:
    """Both ends of every cable between the two sets: OpenSM weighs one direction a line."""
    cables = subnet.cables
    own = cables.kind != HOST_CABLE
    up = own & np.isin(cables.lower, here) & np.isin(cables.upper, there)
    down = own & np.isin(cables.lower, there) & np.isin(cables.upper, here)
    rows = np.flatnonzero(up | down)
    ends = [*zip(cables.lower[rows].tolist(), cables.lower_port[rows].tolist(), strict=True)]
    ends += zip(cables.upper[rows].tolist(), cables.upper_port[rows].tolist(), strict=True)
    return np.array([(s, p, weight) for s, p in sorted(set(ends))], dtype=np.int32).reshape(-1, 3)


def _lids(subnet: Subnet, at: Path) -> tuple[Rows, Rows, list[Finding]]:
    """LIDs by place: every leaf has a block for itself and its ports, the upper tiers count down from the last LID. So a host,
    a unit or a spine that is added moves nobody."""
    switches, ports = subnet.switches, subnet.ports
    leaf = switches.tier == LEAF
    block = int(switches.ports[leaf].max(initial=0)) + 1
    upper = np.cumsum(~leaf) - 1
    lids = np.where(leaf, 1 + np.arange(len(leaf)) * block, LAST_LID - upper).astype(np.int32)
    last_leaf = int(lids[leaf].max(initial=0)) + block - 1
    if last_leaf >= int(lids[~leaf].min(initial=LAST_LID + 1)):
        words = f"{int(leaf.sum())} leaves with {block} LIDs each do not fit below {LAST_LID + 1}"
        none = np.zeros(0, np.int32)
        return none, none, [STABLE_LIDS.finding(words, (*at, "stable_lids"), hint="let OpenSM assign the LIDs")]
    return (lids[ports.leaf] + ports.leaf_port).astype(np.int32), lids, []
