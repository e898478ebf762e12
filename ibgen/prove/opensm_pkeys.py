"""The P_Key tables that OpenSM wrote into the simulated adapters, read back with smpquery, against the spec's.

Takes a simulator whose subnet is up, with OpenSM's dumps beside it. Gives checks: the endpoints and switches that were found,
and their tables. Above `ALL` endpoints a sample is read, evenly spread, with at least one endpoint of every kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ibgen.hostlist import expand
from ibgen.prove.ibsim import CLIENTS, SERVED, Simulator
from ibgen.prove.process import Finished
from ibgen.prove.verdict import Check

ALL = 256
"""Endpoints up to which every table is read; one takes about 40 ms."""

_END = re.compile(r"\{ (CA|CA-SM|SW)\S* Ports:\w+ .*? PortGUID:(\w+) .*?\{([^}]*)\} LID:(\w+) PN:(\w+) \}")
_CELLS = re.compile(r"^\s*\d+:((?: 0x[0-9a-fA-F]{4})+)", re.M)

Endpoint = tuple[str, str, int]  # host, adapter, port


def compare(sim: Simulator, at: str, name: str, section: Mapping[str, Any]) -> Iterator[Check]:
    """Found against expected."""
    lids, switches = _found((sim.folder / "opensm-subnet.lst").read_text(errors="replace"))
    wanted = _expected(section)
    strays = sorted(wanted.keys() ^ lids.keys())
    complete = not strays and switches == section["switches"]
    first = f"; first: {' '.join(map(str, strays[0]))}" if strays else ""
    detail = f"{len(lids)} of {len(wanted)} endpoints, {switches} of {section['switches']} switches{first}"
    yield Check(f"{name}: nodes", complete, detail, f"sim/{name}.net")
    chosen = _sample([e for e in wanted if e in lids], wanted)
    tables, failed = _read(sim, at, [(e, lids[e]) for e in chosen])
    manager = section["manager"]
    # a manager that ran on a switch instead left its own adapter's membership to the file
    elsewhere = {(m["host"], m["hca"], m["port"]) for m in [manager] if m and m["port"] != SERVED}
    wrong = [e for e in chosen if e in tables and tables[e] != wanted[e] and e not in elsewhere]
    file = f"opensm/{name}/partitions.conf"
    for endpoint in wrong[:5]:
        host, hca, port = endpoint
        detail = f"{host} {hca}:{port} has {_shown(tables[endpoint])}, the spec means {_shown(wanted[endpoint])}"
        yield Check(f"{name}: P_Key table", False, detail, file)
    if failed:
        yield Check(f"{name}: P_Key tables", False, f"smpquery: {failed}")
    elif not wrong:
        whole = "all" if len(chosen) == len(wanted) else f"{len(chosen)} of {len(wanted)}, evenly spread,"
        yield Check(f"{name}: P_Key tables", True, f"{whole} endpoints as the spec means", file)
    elif len(wrong) > 5:
        yield Check(f"{name}: P_Key tables", False, f"{len(wrong)} of {len(chosen)} differ", file)


def _shown(table: frozenset[int]) -> str:
    return " ".join(f"0x{k:04x}" for k in sorted(table, key=lambda k: (k & 0x7FFF, k))) or "none"


def _found(dump: str) -> tuple[dict[Endpoint, int], int]:
    """LIDs of the endpoints by name, and the number of switches, from opensm-subnet.lst (numbers in hex without 0x)."""
    lids: dict[Endpoint, int] = {}
    switches = set()
    for kind, guid, description, lid, port in _END.findall(dump):
        if kind == "SW":
            switches.add(guid)
        else:
            host, _, hca = description.partition(" ")
            lids[host, hca, int(port, 16)] = int(lid, 16)
    return lids, len(switches)


def _expected(section: Mapping[str, Any]) -> dict[Endpoint, frozenset[int]]:
    wanted: dict[Endpoint, frozenset[int]] = {}
    for entry in section["tables"]:
        table = frozenset(int(k, 16) for k in entry["pkeys"])
        adapters = [(hca, int(port)) for hca, _, port in (h.rpartition(":") for h in entry["hcas"])]
        for host in expand(entry["hosts"]):
            wanted |= {(host, hca, port): table for hca, port in adapters}
    return wanted


def _sample(endpoints: list[Endpoint], wanted: Mapping[Endpoint, frozenset[int]]) -> list[Endpoint]:
    if len(endpoints) <= ALL:
        return endpoints
    kinds = {wanted[e]: e for e in reversed(endpoints)}
    spread = [endpoints[i * len(endpoints) // ALL] for i in range(ALL)]
    return list(dict.fromkeys([*spread, *kinds.values()]))


def _read(sim: Simulator, at: str, endpoints: list[tuple[Endpoint, int]]) -> tuple[dict[Endpoint, frozenset[int]], str]:
    def ask(lid: int) -> Finished:
        return sim.run(["smpquery", "pkeys", str(lid)], at, 30)

    tables: dict[Endpoint, frozenset[int]] = {}
    failed = ""
    with ThreadPoolExecutor(CLIENTS // 2) as pool:
        for (endpoint, _), finished in zip(endpoints, pool.map(ask, (lid for _, lid in endpoints)), strict=True):
            cells = _CELLS.findall(finished.out)
            if finished.code or not cells:
                failed = f"{' '.join(map(str, endpoint))}: {finished.err.strip()[-200:] or 'no table'}"
                continue
            tables[endpoint] = frozenset(int(k, 16) for row in cells for k in row.split()) - {0}
    return tables, failed
