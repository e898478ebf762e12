"""The real OpenSM on every simulated subnet of a tree: does it come up, routed and partitioned as the spec means?

Takes the tree, `expect["opensm"]` (`{subnet: targets.opensm.expect(...)}`) and the user's environment; gives a `Verdict`.
OpenSM exits 0 whatever it was given and falls back to defaults, so it is judged by what it logged, by the P_Key tables that
smpquery reads back from the simulated adapters, and by ibdmchk, which walks the forwarding tables on its own.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ibgen.prove import ibsim
from ibgen.prove.opensm_guids import guid_lists
from ibgen.prove.opensm_lanes import lanes, lids
from ibgen.prove.opensm_managers import managers
from ibgen.prove.opensm_pkeys import compare
from ibgen.prove.opensm_projection import Projection, project
from ibgen.prove.process import Finished, run
from ibgen.prove.verdict import Check, Verdict, judged, skipped
from ibgen.targets.opensm_routing import LEVELLED

PROGRAM = "opensm"
LARGEST = 2000
"""Endpoints up to which a subnet is simulated unasked: 1,296 take OpenSM 5 s, 11,664 over a minute (measured)."""

GATE = re.compile(
    r"Unrecognized token|-E-|Invalid Cached|Warning: Cached|PARSE|in error|\bERR |cannot find or setup|disabling|not realizable"
)
"""What OpenSM says when it carries on with something else than it was told."""

_NEEDED = {"opensm": "opensm", "ibsim": ibsim.PACKAGE, "smpquery": "infiniband-diags"}
_ROUTED = re.compile(r"(\S+) tables configured on all switches")
_LINE_OF = re.compile(r"PARSE ERROR: line (\d+)")
_LIST_OF = re.compile(r"(?:root|cn|io)-guids\.conf")
_STAMP = re.compile(r"^\w{3} \d\d \d\d:\d\d:\d\d \d+ \[\w+\] 0x\w\w -> ")
Progress = Callable[[str], None]


def prove(
    tree: Path, expect: Mapping[str, Any], env: Mapping[str, str], progress: Progress, *, largest: int | None = None
) -> Verdict:
    """Every subnet that `expect["opensm"]` names. `largest`: endpoints up to which a subnet is simulated; also
    `IBGEN_PROVE_ENDPOINTS` in `env`."""
    subnets: Mapping[str, Any] = expect.get("opensm") or {}
    if not subnets:
        return skipped(PROGRAM, "the spec has no subnet that OpenSM manages", "")
    path = env.get("PATH", os.defpath)
    packages = sorted({package for program, package in _NEEDED.items() if not shutil.which(program, path=path)})
    if ibsim.preload(env) is None:
        packages = sorted({*packages, ibsim.PACKAGE})
    if packages:
        return skipped(PROGRAM, f"missing: {', '.join(packages)}", f"apt-get install {' '.join(packages)}")
    if largest is None:
        asked = env.get("IBGEN_PROVE_ENDPOINTS", "")
        largest = int(asked) if asked.isdigit() else LARGEST
    checks: list[Check] = []
    for name, section in sorted(subnets.items()):
        progress(f"opensm: {name}")
        checks += _subnet(tree, name, section, env, largest)
    return judged(PROGRAM, _versions(env), checks, _remedy(checks))


def _remedy(checks: list[Check]) -> str:
    if any(c.skipped and c.name.endswith(": routes") for c in checks):
        return "apt-get install ibutils"
    return "set IBGEN_PROVE_ENDPOINTS to the number of endpoints, and be patient"


def _versions(env: Mapping[str, str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        said = run(["opensm", "--version"], Path(folder), env, 20).text
        found = re.search(r"OpenSM (\S+)", said)
        simulated = re.search(r"ibsim (\d\S*)", run(["ibsim", "-V"], Path(folder), env, 20).text)
    return f"{found[1] if found else 'unknown'} (ibsim {simulated[1] if simulated else 'unknown'})"


def _subnet(tree: Path, name: str, section: Mapping[str, Any], env: Mapping[str, str], largest: int) -> list[Check]:
    if section["endpoints"] > largest:
        detail = f"{section['endpoints']} endpoints: too large to simulate unasked (more than {largest})"
        return [Check(f"{name}: size", False, detail, skipped=True)]
    longest = max((len(entry["pkeys"]) for entry in section["tables"]), default=0)
    if longest > ibsim.PKEYS:
        detail = f"a port has {longest} P_Keys: the tables of ibsim's ports hold {ibsim.PKEYS}"
        return [Check(f"{name}: size", False, detail, skipped=True)]
    net, folder = tree / "sim" / f"{name}.net", tree / "opensm" / name
    missing = [p for p in (net, folder / section["conf"], folder / "partitions.conf") if not p.is_file()]
    if missing:
        return [Check(f"{name}: files", False, "is missing", p.relative_to(tree).as_posix()) for p in missing]
    if not section["endpoints"]:  # a unit or plane built before its hosts: OpenSM would have no port to look from
        return [Check(f"{name}: size", True, "no host yet: nothing for a manager to see")]
    with tempfile.TemporaryDirectory(prefix="ibgen-opensm-") as scratch:
        work = Path(scratch)
        there = section["manager"] is not None and section["manager"]["port"] == ibsim.SERVED
        projection = project(folder, section["conf"], work, section["flavour"], keep_guid=there)
        try:
            with ibsim.simulator(net, work, env) as sim:
                return list(_judge(sim, net, name, section, projection, env))
        except ibsim.NotStarted as e:
            return [Check(f"{name}: simulation", False, f"ibsim: {e}", net.relative_to(tree).as_posix())]


def _judge(
    sim: ibsim.Simulator, net: Path, name: str, section: Mapping[str, Any], projection: Projection, env: Mapping[str, str]
) -> Iterator[Check]:
    at = _place(ibsim.nodes(net.read_text(encoding="utf-8")), section["manager"])
    if at is None:
        yield Check(f"{name}: manager", False, "the net file does not hold the manager's adapter", f"sim/{name}.net")
        return
    yield Check(f"{name}: projection", True, projection.said(), note=bool(projection.changed))
    yield from guid_lists(net, name, section, projection)
    yield from managers(net, net.parent.parent / "opensm" / name, name, section)
    # -D 0x43: errors, messages and the dumps that ibdmchk reads. With no_fallback `opensm -o` retries for ever.
    command = ["opensm", "-o", "-e", "-F", str(projection.conf), "-f", str(sim.folder / "opensm.log"), "-D", "0x43"]
    where = {"OSM_TMP_DIR": str(sim.folder), "OSM_CACHE_DIR": str(sim.folder)}
    finished = sim.run(command, at, 60 + section["endpoints"] / 20, where)
    log = sim.folder / "opensm.log"
    said = log.read_text(errors="replace") if log.is_file() else ""
    yield from _came_up(name, section, finished, said, projection)
    if "SUBNET UP" in said:
        yield from compare(sim, at, name, section)
        yield from lanes(sim, at, name, section)
        yield from lids(sim, name, section)
        yield from _routes(sim, name, section, env)


def _place(every: list[ibsim.Node], manager: Mapping[str, Any] | None) -> str | None:
    """The node OpenSM runs on: its host's adapter, else the first switch, where it changes no adapter's partitions."""
    if manager is None or manager["port"] != ibsim.SERVED:
        return next((n.id for n in every if n.kind == "Switch"), None)
    description = f"{manager['host']} {manager['hca']}"
    ours = [n for n in every if n.description == description and n.ports >= manager["port"]]
    return min(ours, key=lambda n: n.ports).id if ours else None


def _came_up(name: str, section: Mapping[str, Any], finished: Finished, said: str, projection: Projection) -> Iterator[Check]:
    lines = [_STAMP.sub("", line).strip() for line in [*finished.text.splitlines(), *said.splitlines()]]
    complaints = list(dict.fromkeys(line for line in lines if GATE.search(line)))
    for line in complaints[:10]:
        file, number = _culprit(name, section["conf"], line, projection)
        yield Check(f"{name}: complaint", False, line, file, number)
    if not complaints:
        yield Check(f"{name}: no complaints", True, "OpenSM took every line as it stands")
    up = "SUBNET UP" in said
    ended = "; it did not end in time" if finished.timed_out else ""
    yield Check(f"{name}: subnet up", up and not finished.timed_out, ("SUBNET UP" if up else "never SUBNET UP") + ended)
    wanted = section["upstream_engine"]
    routed = _ROUTED.findall(said)
    detail = f"{routed[-1] if routed else 'no engine'} routed, {wanted} was asked for"
    yield Check(f"{name}: engine", bool(routed) and routed[-1] == wanted, detail, f"opensm/{name}/{section['conf']}")


def _culprit(name: str, conf: str, line: str, projection: Projection) -> tuple[str, int]:
    """The file of the tree a complaint is about, and its line where that can be told."""
    if match := _LINE_OF.search(line):
        return f"opensm/{name}/partitions.conf", int(match[1])
    if "artition" in line or "MGRP" in line:
        return f"opensm/{name}/partitions.conf", 0
    if "ERR AC" in line or "QoS" in line:
        return f"opensm/{name}/qos-policy.conf", 0
    if match := _LIST_OF.search(line):
        return f"opensm/{name}/{match[0]}", 0
    for option, number in projection.lines.items():
        if re.search(rf"\b{re.escape(option)}\b", line):
            return f"opensm/{name}/{conf}", number
    return "", 0


def _routes(sim: ibsim.Simulator, name: str, section: Mapping[str, Any], env: Mapping[str, str]) -> Iterator[Check]:
    """ibdmchk on the dumps. Debian's build crashes at its very end every time, so its words are judged, not its status.

    The dumps hold no service levels. Engines that part routes by them leave loops on a single lane, which is all ibdmchk sees:
    that they have none over their lanes is their own word ("tables configured"), for too few lanes make them fail."""
    if not shutil.which("ibdmchk", path=env.get("PATH", os.defpath)):
        yield Check(f"{name}: routes", False, "ibdmchk (ibutils) is missing", skipped=True)
        return
    dumps = ["-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"]
    said = run(["ibdmchk", *dumps], sim.folder, env, 300).text
    levelled = section["upstream_engine"] in LEVELLED
    loops = "Found credit loop" in said
    faults = [line.strip() for line in said.splitlines() if line.startswith("-E-") or "Found credit loop" in line]
    if levelled:
        faults = [line for line in faults if "credit loop" not in line]
    ended = loops or "no credit loops found" in said
    if faults:
        yield Check(f"{name}: routes", False, f"{faults[0]} ({len(faults)} in all)")
    elif not ended:
        yield Check(f"{name}: routes", False, "ibdmchk did not come to an end")
    elif levelled:
        seen = "on one lane there are some" if loops else "there are none even on one lane"
        why = f"{section['upstream_engine']} parts paths by service levels, which the dumps do not hold"
        yield Check(f"{name}: routes", True, "no dead ends")
        yield Check(f"{name}: credit loops", True, f"over all lanes not judged: {why} ({seen})", note=True)
    else:
        yield Check(f"{name}: routes", True, "no dead ends, no credit loops")
