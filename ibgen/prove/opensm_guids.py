"""Whether the GUID lists are whole: OpenSM says nothing to half a root list and routes through half of the spines. Virtual
functions are counted only: ibsim has none, and OpenSM passes over GUIDs it does not see.

Takes the net file, which knows every switch by name, and what `expect` says of roots and compute ports. Gives checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ibgen.hostlist import expand
from ibgen.prove import ibsim
from ibgen.prove.opensm_projection import Projection
from ibgen.prove.verdict import Check

_FUNCTION = re.compile(r"\b0x02[4-9ab][0-9a-f]{13}=")  # ibgen.targets.sriov: kinds 4 to 11 are ports of virtual functions
_ROW = re.compile(r"\s*(0[xX][0-9a-fA-F]+|[0-9]+)(?:\s|$)")


def guid_lists(net: Path, name: str, section: Mapping[str, Any], projection: Projection) -> Iterator[Check]:
    """Root list against the top tier by name, compute list by number."""
    if section["roots"]:
        known = {n.description: n.guid for n in ibsim.nodes(net.read_text(encoding="utf-8")) if n.kind == "Switch"}
        wanted = {known.get(switch, 0): switch for switch in expand(section["roots"])}
        file = f"opensm/{name}/root-guids.conf"
        listed = _guids(projection.conf.parent / "root-guids.conf")
        missing = [switch for guid, switch in wanted.items() if guid not in listed]
        strange = [guid for guid in listed if guid not in wanted]
        whole = not missing and not strange and "root_guid_file" in projection.lines
        detail = f"{len(listed)} of {len(wanted)} top switches"
        detail += f"; missing: {missing[0]}" if missing else f"; no top switch: 0x{strange[0]:016x}" if strange else ""
        yield Check(f"{name}: roots", whole, detail, file)
    if section["compute"]:
        count = len(_guids(projection.conf.parent / "cn-guids.conf"))
        whole = count == section["compute"] and "cn_guid_file" in projection.lines
        detail = f"{count} of {section['compute']} compute ports"
        yield Check(f"{name}: compute ports", whole, detail, f"opensm/{name}/cn-guids.conf")
    if section.get("functions"):
        count = len(_FUNCTION.findall((projection.conf.parent / "partitions.conf").read_text(encoding="utf-8")))
        file = f"opensm/{name}/partitions.conf"
        yield Check(
            f"{name}: virtual functions", count == section["functions"], f"{count} of {section['functions']} members", file
        )
        yield Check(f"{name}: virtual functions", True, "ibsim has none, so what they reach is not judged", file, note=True)


def _guids(file: Path) -> list[int]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [int(match[1], 0) for line in lines if (match := _ROW.match(line))]
