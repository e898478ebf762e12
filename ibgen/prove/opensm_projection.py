"""A tree's files as the OpenSM at hand can run them: paths into a scratch folder, NVIDIA's words in upstream's.

Takes the folder `opensm/<subnet>`. Gives a `Projection`: the copy's opensm.conf, and what of the tree was so not judged. For
`flavour: upstream` nothing but paths and what belongs to a running service is touched: a wrong word must reach the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ibgen.catalog import standard
from ibgen.catalog.opensm import KIND, option
from ibgen.targets.opensm_expect import PROJECTED
from ibgen.targets.opensm_partitions import UPSTREAM_LAST_RATE

SERVICE = frozenset({"log_file", "daemon", "console", "console_port", "dump_files_dir", "per_module_logging_file", "log_flags"})
"""Options of the running service; a dry run sets its own."""

UNANSWERED = frozenset({"congestion_control"})
"""ibsim has no agent for these MADs, and programs that ask it afterwards read garbage (measured on 0.10)."""

OUTSIDE = {
    "prefix_routes_file": "prefix-routes.conf",
    "per_module_logging_file": "per-module-logging.conf",
    "torus_config": "torus-2QoS.conf",
    "qos_policy_file": "qos-policy.conf",
}
"""Files that OpenSM reads from /etc/opensm unasked: the tree's own, or none, and never the machine's. Only a missing
qos_policy_file cannot be moved: under any name but its own it is an error (measured, ERR AC01)."""

_RATE = re.compile(r"\brate=(\d+)")


@dataclass(frozen=True, slots=True)
class Projection:
    """`lines`: option -> its line in the tree's opensm.conf."""

    conf: Path
    lines: dict[str, int]
    changed: tuple[str, ...]

    def said(self) -> str:
        """What was changed, for people."""
        return "not judged: " + "; ".join(self.changed) if self.changed else "the tree's own files, paths rewritten"


def project(folder: Path, conf: str, work: Path, flavour: str, *, keep_guid: bool = True) -> Projection:
    """Copies the folder's files to `work` and rewrites the opensm.conf that lies in it as `conf`. `keep_guid`: whether OpenSM
    runs on the port that the conf names; else it runs on a switch."""
    files = {p.name for p in folder.iterdir() if p.is_file()}
    changed: list[str] = []
    for name in sorted(files - {"opensm.conf", "install.sh"}):
        text = (folder / name).read_text(encoding="utf-8")
        if name == "partitions.conf" and flavour == "nvidia":
            text = _capped(text, changed)
        (work / name).write_text(text, encoding="utf-8")
    kept: list[str] = []
    lines: dict[str, int] = {}
    known = frozenset(n for n in standard().ids(KIND) if (o := option(standard(), n)) and o.known_to("upstream"))
    for number, line in enumerate((folder / conf).read_text(encoding="utf-8").splitlines(), 1):
        name, _, value = line.split("#")[0].strip().partition(" ")
        if not name or name in SERVICE:
            continue
        lines[name] = number
        if name == "guid" and not keep_guid:
            changed.append(f"guid {value.strip()}, which the simulator cannot run a manager on: it ran on a switch")
            continue
        if name in UNANSWERED or (flavour == "nvidia" and name not in known):
            changed.append(f"{name} {value.strip()}")
            continue
        kept.append(f"{name} {_value(name, value.strip(), files, work, flavour, changed)}")
    own = [
        f"partition_config_file {work / 'partitions.conf'}",
        *(f"{n} {work / file}" for n, file in OUTSIDE.items() if file in files or n != "qos_policy_file"),
    ]
    written = work / "opensm.conf"
    written.write_text("\n".join([*(o for o in own if o.split()[0] not in lines), *kept]) + "\n", encoding="utf-8")
    return Projection(written, lines, tuple(changed))


def _value(name: str, value: str, files: set[str], work: Path, flavour: str, changed: list[str]) -> str:
    if name == "routing_engine" and flavour == "nvidia":
        engines = [PROJECTED.get(e.strip(), e.strip()) for e in value.split(",")]
        if ",".join(engines) != value:
            changed.append(f"{value} as {','.join(engines)}")
        return ",".join(engines)
    if value.startswith("/") and value.rpartition("/")[2] in files:
        return str(work / value.rpartition("/")[2])
    return value


def _capped(text: str, changed: list[str]) -> str:
    """Rates that only newer managers know, as the fastest one of upstream."""

    def cap(match: re.Match[str]) -> str:
        if int(match[1]) <= UPSTREAM_LAST_RATE:
            return match[0]
        changed.append(f"rate={match[1]} as rate={UPSTREAM_LAST_RATE}")
        return f"rate={UPSTREAM_LAST_RATE}"

    return "\n".join(line if line.startswith("#") else _RATE.sub(cap, line) for line in text.split("\n"))
