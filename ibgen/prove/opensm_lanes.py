"""QoS tables and LIDs as OpenSM has programmed them, read back from the simulated ports with smpquery, against the spec's.

Takes a simulator whose subnet is up, with OpenSM's dumps beside it. Gives checks; none where the spec has no classes, or no
stable LIDs. A few adapters and switches are read: every port is given the same tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ibgen.prove.ibsim import Simulator
from ibgen.prove.verdict import Check

SAMPLE = 3
"""Adapters and switches whose tables are read; one table takes about 40 ms."""

_NODE = re.compile(r"\{ (CA|CA-SM|SW)\S* Ports:\w+ .*?\{([^}]*)\} LID:(\w+) PN:(\w+) \}")
_SL2VL = re.compile(r"^ports: in\s*\d+, out\s*\d+: \|(.*)\|\s*$", re.M)
_ARBITRATION = re.compile(r"# (Low|High) priority.*?\n *VL *: \|(.*?)\|\s*\n *WEIGHT: \|(.*?)\|\s*$", re.M | re.S)

SIMULATED = 4
"""`max_op_vls` of ibsim's ports: eight lanes. OpenSM cuts a lane's number to the bits that a port has (measured)."""


def lanes(sim: Simulator, at: str, name: str, section: Mapping[str, Any]) -> Iterator[Check]:
    """SL to VL and both arbitration tables."""
    wanted = section["qos"]
    if wanted is None:
        return
    bits = (1 << (min(wanted["max_op_vls"], SIMULATED) - 1)) - 1
    faults: list[str] = []
    ports = _sample((sim.folder / "opensm-subnet.lst").read_text(errors="replace"))
    for kind, node, lid, port in ports:
        args = [str(lid), str(port)] if kind == "SW" else [str(lid)]
        rows = _SL2VL.findall(sim.run(["smpquery", "sl2vl", *args], at, 30).out)
        tables = {tuple(int(cell) for cell in row.split("|")) for row in rows}
        meant = tuple(lane & bits for lane in wanted["sl2vl"])
        if tables != {meant}:
            shown = next(iter(sorted(tables - {meant})), "none")
            faults.append(f"{node} port {port}: SL to VL {shown}, the spec means {meant}")
        said = dict(_weights(sim.run(["smpquery", "vlarb", *args], at, 30).out))
        for side in ("low", "high"):
            weights = {lane & bits: weight for lane, weight in wanted[side]}
            if said.get(side) != weights:
                faults.append(f"{node} port {port}: {side} arbitration {said.get(side)}, the spec means {weights}")
    detail = faults[0] if faults else f"SL to VL and arbitration of {len(ports)} ports as the spec means"
    yield Check(f"{name}: lanes", not faults and bool(ports), detail, f"opensm/{name}/{section['conf']}")


def _weights(text: str) -> Iterator[tuple[str, dict[int, int]]]:
    """Both tables; entries of weight 0 are empty places."""
    for side, lanes_of, weights in _ARBITRATION.findall(text):
        pairs = zip(lanes_of.split("|"), weights.split("|"), strict=True)
        yield side.lower(), {int(lane, 16): int(weight, 16) for lane, weight in pairs if int(weight, 16)}


def lids(sim: Simulator, name: str, section: Mapping[str, Any]) -> Iterator[Check]:
    """The LIDs of the switches."""
    wanted = section["lids"]
    if not wanted:
        return
    dump = (sim.folder / "opensm-subnet.lst").read_text(errors="replace")
    found = {node: int(lid, 16) for kind, node, lid, _ in _NODE.findall(dump) if kind == "SW"}
    wrong = [n for n in wanted if found.get(n) != wanted[n]]
    detail = f"{len(wanted)} switches as planned"
    if wrong:
        detail = f"{wrong[0]} has LID {found.get(wrong[0])}, {wanted[wrong[0]]} was planned"
    yield Check(f"{name}: LIDs", not wrong, detail, f"opensm/{name}/guid2lid")


def _sample(dump: str) -> list[tuple[str, str, int, int]]:
    """Kind, name, LID and port of a few adapters and of as many switches."""
    found: dict[str, tuple[str, str, int, int]] = {}
    for kind, node, lid, port in _NODE.findall(dump):
        found.setdefault(node, (kind[:2], node, int(lid, 16), int(port, 16)))
    every = list(found.values())
    return [n for k in ("CA", "SW") for n in [e for e in every if e[0] == k][:SAMPLE]]
