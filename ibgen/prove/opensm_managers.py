"""Whether the confs of several managers fit each other: each its own port and priority, everything else the same.

Takes the subnet's folder, the net file and what `expect` says of the managers. Gives a check. Two managers that differ in their
partitions or roots change the fabric at the next handover; two with one priority are told apart by GUID.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ibgen.prove import ibsim
from ibgen.prove.verdict import Check

PER_HOST = ("guid", "sm_priority")


def managers(net: Path, folder: Path, name: str, section: Mapping[str, Any]) -> Iterator[Check]:
    """Nothing to say where there are fewer than two."""
    every = section["managers"]
    if len(every) < 2:
        return
    nodes = ibsim.nodes(net.read_text(encoding="utf-8"))
    faults: list[tuple[str, str]] = []
    shared: list[dict[str, str]] = []
    for manager in every:
        file = f"{manager['host']}/opensm.conf"
        if not (folder / file).is_file():
            faults.append((file, "is missing"))
            continue
        told = _settings(folder / file)
        faults += [(file, fault) for fault in _faults(told, manager, nodes)]
        shared.append({option: value for option, value in told.items() if option not in PER_HOST})
        if shared[0] != shared[-1]:
            other = sorted(o for o in shared[0].keys() | shared[-1].keys() if shared[0].get(o) != shared[-1].get(o))
            faults.append((file, f"`{other[0]}` is not that of {every[0]['host']}"))
    file, detail = faults[0] if faults else ("", f"{len(every)}, each with its own port and priority, all else the same")
    yield Check(f"{name}: managers", not faults, detail, f"opensm/{name}/{file}" if file else "")


def _settings(conf: Path) -> dict[str, str]:
    lines = (line.split("#")[0].split(None, 1) for line in conf.read_text(encoding="utf-8").splitlines())
    return {words[0]: words[1].strip() for words in lines if len(words) == 2}


def _faults(told: Mapping[str, str], manager: Mapping[str, Any], nodes: list[ibsim.Node]) -> Iterator[str]:
    adapter = f"{manager['host']} {manager['hca']}"
    ports = {f"0x{n.guid + manager['port']:016x}" for n in nodes if n.description == adapter}
    # an adapter that is out of service is in no net file
    if ports and told.get("guid") not in ports:
        yield f"`guid` {told.get('guid', 'is missing')} is no port of {adapter}"
    if told.get("sm_priority") != str(manager["priority"]):
        yield f"`sm_priority` is {told.get('sm_priority', 'missing')}, the spec means {manager['priority']}"
