"""GUIDs of the wrong kind: a switch where a port belongs, an adapter among the roots, a node's GUID in the place of its port's.

Takes the texts of a folder by the option that names them. Gives findings: each is seen by what the neighbouring files say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ibgen.diagnostics import Finding, Label, Span

from .findings import GUID_KIND

Found = dict[int, Span]
PORTS = ("cn_guid_file", "io_guid_file", "guid_routing_order_file")
_GUID = re.compile(r"(?<![=\w])0[xX][0-9a-fA-F]{9,16}(?!\w)")


def lint_kinds(files: Mapping[str, tuple[str, str]]) -> tuple[Finding, ...]:
    """`files`: option (or `partition_config_file`, `node_name_map_name`) -> (path, text)."""
    seen = {option: _guids(path, text, first=option != "partition_config_file") for option, (path, text) in files.items()}
    roots, names = seen.get("root_guid_file", {}), seen.get("node_name_map_name", {})
    members = seen.get("partition_config_file", {})
    ports: Found = {}
    for option in PORTS:
        ports |= {g: p for g, p in seen.get(option, {}).items() if g not in ports}
    findings = list(_both(roots, ports, members))
    for guid, place in {**members, **ports}.items():
        if guid in names and guid not in roots and _is_node(guid, names, {**members, **ports}):
            findings.append(
                GUID_KIND.finding(
                    f"0x{guid:016x} is a node's GUID, and its port's stands elsewhere: OpenSM passes over it",
                    place,
                    labels=[Label(names[guid], "the node")],
                    hint=f"write the port's: 0x{guid + 1:016x}",
                )
            )
    return tuple(findings)


def _both(roots: Found, ports: Found, members: Found) -> Iterator[Finding]:
    for guid, place in roots.items():
        if guid in ports:
            yield GUID_KIND.finding(
                f"0x{guid:016x} is a root and a port of an adapter: one of the lists is wrong, and OpenSM passes over it there",
                ports[guid],
                labels=[Label(place, "a root, a switch")],
                hint="roots are switches' node GUIDs, the other lists hold adapters' port GUIDs",
            )
        elif guid in members:
            yield GUID_KIND.finding(
                f"0x{guid:016x} is a root, a switch, and a member of a partition",
                members[guid],
                labels=[Label(place, "a root")],
                hint="members are port GUIDs of adapters; the switches follow by ALL",
            )


def _is_node(guid: int, names: Found, listed: Found) -> bool:
    """Whether a name stands beside the GUID, and the one that follows, which is no node, is used as its port's."""
    return guid + 1 not in names and guid + 1 in listed


def _guids(path: str, text: str, *, first: bool) -> Found:
    found: Found = {}
    for number, raw in enumerate(text.split("\n"), 1):
        for match in _GUID.finditer(raw.split("#", 1)[0]):
            found.setdefault(int(match[0], 16), Span(path, number, match.start() + 1, number, match.end() + 1))
            if first:
                break
    return found
