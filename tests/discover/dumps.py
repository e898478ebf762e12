"""Dumps for the tests: a real one of the lab, given real-looking GUIDs, and the same form written for any subnet."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ibgen import compiler
from ibgen.compilation import Compilation
from ibgen.diagnostics import Severity
from ibgen.discover import Observed, as_text, read_ibnetdiscover
from ibgen.fabric import HOST_CABLE, PLANNED, Fabric, Subnet

LAB_DUMP = as_text(Path(__file__).with_name("lab.ibnetdiscover.txt").read_bytes())
"""What ibnetdiscover of infiniband-diags 5.x printed on the lab example in ibsim, a comment with the time left out."""

FACTORY = "MT4123 ConnectX6   Mellanox Technologies"

_NUMBER = re.compile(r"[0-9a-f]{15,16}")


def compiled(text: str) -> Compilation:
    """A spec compiled; its fabric has to be sound."""
    c, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))
    assert c.fabric is not None, [d.message for d in report.diagnostics if d.severity is Severity.ERROR]
    return c


def fabric_of(text: str) -> Fabric:
    fabric = compiled(text).fabric
    assert fabric is not None
    return fabric


def read(text: str, file: str = "fabric.txt") -> Observed:
    return read_ibnetdiscover(text, file)[0]


def codes(text: str) -> list[str]:
    return [f.code.name for f in read_ibnetdiscover(text, "fabric.txt")[1]]


def real_guids(
    text: str, seed: int = 1, port: Callable[[int, int], int] = lambda node, port: node
) -> tuple[str, dict[int, int]]:
    """Every GUID of a dump replaced by another one, descriptions kept. `port` gives a port's GUID from its node's: most
    adapters use the node's own. Gives the text, and the new node GUID of each old one."""
    draw = random.Random(seed)
    old = sorted({int(g, 16) for g in re.findall(r'^(?:Switch|Ca)\s.*?"[SH]-([0-9a-f]{16})"', text, re.M)})
    fresh = draw.sample(range(0x9C63C00300000000, 0x9C63C003FFFFFFFF, 0x10), len(old))
    new = dict(zip(old, fresh, strict=True))

    def put(match: re.Match[str]) -> str:
        value = int(match[0], 16)
        if value in new:
            return f"{new[value]:016x}"
        node = next((n for n in range(value - 1, value - 16, -1) if n in new), None)
        return match[0] if node is None else f"{port(new[node], value - node):x}"

    return _NUMBER.sub(put, text), new


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Descriptions replaced, wherever they stand."""
    return re.sub(r'"([^"]*)"', lambda m: f'"{names.get(m[1], m[1])}"', text)


def dump_of(fabric: Fabric, subnet: Subnet) -> str:
    """A subnet in ibnetdiscover's form: planned hosts left out."""
    hosts, ports, switches, cables = fabric.hosts, subnet.ports, subnet.switches, subnet.cables
    name = [
        f"{hosts.names[h]} {hosts.platforms[hosts.pool[h]].hcas[a].name}"
        for h, a in zip(ports.host.tolist(), ports.hca.tolist(), strict=True)
    ]
    node, own, number = ports.node_guid.tolist(), ports.port_guid.tolist(), ports.port.tolist()
    guid = switches.guid.tolist()
    lines: list[list[str]] = [[] for _ in switches.names]
    adapters: dict[int, list[str]] = {}
    for e in (ports.state != PLANNED).nonzero()[0].tolist():
        leaf, at = int(ports.leaf[e]), int(ports.leaf_port[e])
        lines[leaf].append(f'[{at}]\t"H-{node[e]:016x}"[{number[e]}]({own[e]:x}) \t\t# "{name[e]}" lid {e + 1} 4xNDR')
        tail = f'# lid {e + 1} lmc 0 "{switches.names[leaf]}" lid 1 4xNDR'
        head = [f"caguid=0x{node[e]:x}", f'Ca\t2 "H-{node[e]:016x}"\t\t# "{name[e]}"']
        adapters.setdefault(node[e], head).append(f'[{number[e]}]({own[e]:x}) \t"S-{guid[leaf]:016x}"[{at}]\t\t{tail}')
    for row in (cables.kind != HOST_CABLE).nonzero()[0].tolist():
        ends = (int(cables.lower[row]), int(cables.lower_port[row])), (int(cables.upper[row]), int(cables.upper_port[row]))
        for (a, p), (b, q) in (ends, ends[::-1]):
            lines[a].append(f'[{p}]\t"S-{guid[b]:016x}"[{q}]\t\t# "{switches.names[b]}" lid 1 4xNDR')
    records = [
        "\n".join([f"switchguid=0x{g:x}({g:x})", f'Switch\t65 "S-{g:016x}"\t\t# "{n}" enhanced port 0 lid 1 lmc 0', *mine])
        for g, n, mine in zip(guid, switches.names, lines, strict=True)
    ]
    return "\n\n".join([*records, *("\n".join(record) for record in adapters.values())]) + "\n"
