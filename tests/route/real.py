"""The real OpenSM on a graph: its forwarding tables, by name, read line by line (the product's reader is another one)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ibgen.prove import ibsim
from ibgen.route import Graph, Routes

from .fabrics import net


@dataclass(frozen=True)
class Real:
    """What OpenSM did: the engine that routed, LIDs of endpoints [E] and switches [S], ports by destination [E + S, S]; -1."""

    engine: str
    lids: np.ndarray
    ports: np.ndarray
    user_s: float
    folder: Path


def opensm(
    g: Graph, folder: Path, engine: str, options: dict[str, str] | None = None, files: dict[str, list[int]] | None = None,
    timeout_s: float = 300,
) -> Real:  # fmt: skip
    """Runs `opensm -o` on the graph. `files`: option -> GUIDs to write into a file of its own."""
    path = folder / "lab.net"
    path.write_text(net(g))
    settings = {"routing_engine": engine, "max_wire_smps": "32", "transaction_timeout": "2000"} | (options or {})
    for name, guids in (files or {}).items():
        (folder / name).write_text("".join(f"0x{guid:016x}\n" for guid in guids))
        settings[name] = str(folder / name)
    (folder / "opensm.conf").write_text("".join(f"{k} {v}\n" for k, v in settings.items()))
    log, dump = folder / "opensm.log", folder / "opensm-lfts.dump"
    before = os.times().children_user
    with ibsim.simulator(path, folder, os.environ) as sim:
        command = ["opensm", "-o", "-e", "-F", str(folder / "opensm.conf"), "-f", str(log), "-D", "0x43"]
        where = {"OSM_TMP_DIR": str(folder), "OSM_CACHE_DIR": str(folder)}
        done = sim.run(command, f"h-{g.node_guid[g.plugged[0]]:x}", timeout_s, where)
        spent = os.times().children_user - before
    said = log.read_text(errors="replace")
    assert "SUBNET UP" in said, (done.text[-2000:], said[-2000:])
    used = re.findall(r"(\S+) tables configured on all switches", said)[-1]
    lids = _lids(g, (folder / "opensm-subnet.lst").read_text())
    return Real(used, lids, _ports(g, dump.read_text(), lids), spent, folder)


def _lids(g: Graph, text: str) -> np.ndarray:
    rows = {int(guid): e for e, guid in enumerate(g.port_guid)} | {int(x): g.endpoints + s for s, x in enumerate(g.guid)}
    lids = np.zeros(g.endpoints + g.switches, int)
    for guid, lid in re.findall(r"PortGUID:([0-9a-fA-F]+) .*? LID:([0-9A-Fa-f]{4}) ", text):
        lids[rows[int(guid, 16)]] = int(lid, 16)
    return lids


def _ports(g: Graph, text: str, lids: np.ndarray) -> np.ndarray:
    row_of = {int(lid): row for row, lid in enumerate(lids) if lid}
    switch_of = {int(guid): s for s, guid in enumerate(g.guid)}
    ports, at = np.full((len(lids), g.switches), -1), -1
    for line in text.splitlines():
        if match := re.match(r"Unicast lids .* guid 0x([0-9a-f]+)", line):
            at = switch_of[int(match[1], 16)]
        elif match := re.match(r"0x([0-9a-f]+) (\d+) ", line):
            ports[row_of[int(match[1], 16)], at] = int(match[2])
    return ports


def differences(real: Real, routes: Routes) -> list[str]:
    """Every entry that differs, in words; none is what we want."""
    g = routes.graph
    ours = routes.lft.astype(int)
    if routes.switch_lft is not None:
        ours = np.concatenate([ours, routes.switch_lft.astype(int)])
    ours[ours == routes.none] = -1
    theirs = real.ports[: len(ours)]
    assert (theirs >= 0).sum() > 0
    return [
        f"{g.names[s]} to {_name(g, d)}: {theirs[d, s]}, ours {ours[d, s]}" for d, s in np.argwhere(ours != theirs).tolist()
    ]


def _name(g: Graph, row: int) -> str:
    return g.names[row - g.endpoints] if row >= g.endpoints else f"endpoint {row}"
