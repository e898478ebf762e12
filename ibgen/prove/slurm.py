"""The real slurmctld on the tree's own topology.conf, nodes.conf and gres.conf, against `expect["slurm"]`.

Takes the tree, what it must mean (`ibgen.targets.slurm.expect`) and the user's environment; gives a `Verdict`. Every node
becomes a CLOUD node at 127.0.0.1, so that no slurmd is needed and `sbatch --test-only` asks the real scheduler. A tree for a
newer Slurm is proved on the installed one without the words that one does not know; the verdict lists them.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ibgen.catalog import standard
from ibgen.catalog.slurm import SlurmTable, table
from ibgen.hostlist import HostlistError, expand, fold

from .slurmctld import TWO_ROOTS, Controller, MungeFailed, Programs, Refused, controller, find
from .verdict import Check, Verdict, judged, skipped

PROGRAM = "slurmctld"
FOLDER = "slurm"
NODES, TOPOLOGY, GRES = f"{FOLDER}/nodes.conf", f"{FOLDER}/topology.conf", f"{FOLDER}/gres.conf"
SAMPLE = 32
"""Nodes that are asked for alone: the first and last of as many leaves as fit. Each costs one sbatch, some 20 ms."""

_NAMED = 8
"""Leaves that a line of the verdict names."""

_INSTALL = "install slurmctld, slurm-client and munge (Debian, Ubuntu: apt-get install slurmctld slurm-client munge)"
_ROOT = "run as root, or in a container: slurmctld changes to its own user"


@dataclass(frozen=True, slots=True)
class _Projection:
    """What the installed Slurm is given instead, and what was left out, in words."""

    lines: tuple[str, ...]
    left_out: tuple[str, ...]


def prove(tree: Path, expect: Mapping[str, Any], env: Mapping[str, str], progress: Callable[[str], None]) -> Verdict:
    """What slurmctld makes of the tree. `expect` is the whole of expect.json."""
    wanted = expect.get("slurm")
    if wanted is None:
        return Verdict(PROGRAM, "", "passed", "the tree holds no Slurm files", "")
    programs = find(env)
    if isinstance(programs, list):
        return skipped(PROGRAM, f"not installed: {', '.join(programs)}", _INSTALL)
    if os.geteuid() != 0:
        return skipped(PROGRAM, "not root", _ROOT)
    words = table(standard())
    if wanted["plugin"] == "block" and "block" not in words.plugins(programs.version):
        since = words.introduced("block")
        return skipped(
            PROGRAM, f"topology/block needs slurmctld >= {since}, here is {programs.version}", f"install Slurm {since}"
        )
    missing = [
        name for name in (NODES, *[TOPOLOGY] * bool(wanted["switches"] or wanted["blocks"])) if not (tree / name).is_file()
    ]
    if missing:
        return judged(PROGRAM, programs.version, [Check("file", False, "is not there", name) for name in missing])
    with tempfile.TemporaryDirectory(prefix="ibgen-slurm-") as folder:
        try:
            return judged(PROGRAM, programs.version, _judge(tree, wanted, env, programs, words, Path(folder), progress))
        except MungeFailed as e:
            return skipped(PROGRAM, str(e), "check that munged runs on this machine")


def _judge(
    tree: Path,
    wanted: Mapping[str, Any],
    env: Mapping[str, str],
    programs: Programs,
    words: SlurmTable,
    folder: Path,
    progress: Callable[[str], None],
) -> list[Check]:
    folder.chmod(0o755)
    projection = _project((tree / NODES).read_text(encoding="utf-8"), programs.version, words)
    (folder / "nodes.conf").write_text("\n".join([*projection.lines, ""]), encoding="utf-8")
    for name in (TOPOLOGY, GRES):
        if (tree / name).is_file():
            (folder / Path(name).name).write_bytes((tree / name).read_bytes())
    left_out = (
        f"not judged by {programs.version}: {'; '.join(projection.left_out)}" if projection.left_out else "nothing left out"
    )
    checks = [Check("projection", True, left_out, NODES, note=bool(projection.left_out))]
    progress("starting slurmctld")
    try:
        with controller(folder, [f"Include {folder}/nodes.conf"], programs, env) as running:
            checks.append(_accepted(running, wanted))
            progress("asking for the topology")
            checks += _understood(running, wanted)
            progress("placing jobs")
            checks += _placed(running, wanted)
            checks.append(_every_node(running, wanted))
    except Refused as e:
        checks.append(Check("accepted", False, str(e), TOPOLOGY, _line(folder / "topology.conf", str(e))))
    return checks


def _project(text: str, version: str, words: SlurmTable) -> _Projection:
    """nodes.conf for the installed version: the plugin and the words it knows, nodes that need no slurmd."""
    lines: list[str] = []
    left_out: list[str] = []
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "TopologyPlugin" and (plugin := value.removeprefix("topology/")) not in words.plugins(version):
            line = f"{key}=topology/{words.flat_plugin(version)}"
            left_out.append(f"{key}=topology/{plugin}, proved as {line}")
        elif key == "TopologyParam":
            given = value.split(",")
            unknown = [word for word in given if word not in words.topology_params(version)]
            left_out += [f"{key}={','.join(unknown)}"] if unknown else []
            line = f"{key}={','.join(w for w in given if w not in unknown)}" if len(unknown) < len(given) else ""
        elif key == "NodeName":
            line = re.sub(r"\bState=UNKNOWN\b", "State=CLOUD", line) + " NodeAddr=127.0.0.1"
        lines.append(line)
    return _Projection(tuple(lines), tuple(left_out))


def _accepted(running: Controller, wanted: Mapping[str, Any]) -> Check:
    """No error and no warning; several roots are noted by slurmctld, and right where the spec has them."""
    forest = len(_roots(wanted)) > 1
    told = [line for line in running.complaints if not (forest and TWO_ROOTS in line)]
    return Check("accepted", not told, "; ".join(told) or "no error, no warning", TOPOLOGY)


def _understood(running: Controller, wanted: Mapping[str, Any]) -> Iterator[Check]:
    """`scontrol show topology` and `show node` against the spec's own sets."""
    said = running.scontrol("show", "topology")
    found = dict(_topology(said.out))
    leaves = _leaves(wanted)
    expected: dict[str, tuple[set[str], set[str]]] = {name: (set(expand(hosts)), set()) for name, hosts in leaves.items()}
    children = {name: s["switches"] for name, s in wanted["switches"].items() if "switches" in s}
    for name, below in children.items():
        expected[name] = (set().union(*(expected[child][0] for child in _leaves_below(name, children))), set(below))
    if expected or found:
        wrong = [_difference(name, found.get(name), expected.get(name)) for name in sorted({*found, *expected})]
        wrong = [text for text in wrong if text]
        detail = "; ".join(wrong[:4]) or f"{len(expected)} switches or blocks with the spec's nodes"
        yield Check("topology", not wrong, detail, TOPOLOGY, _line(running.folder / "topology.conf", wrong[0] if wrong else ""))


def _topology(text: str) -> Iterator[tuple[str, tuple[set[str], set[str]]]]:
    for line in text.splitlines():
        fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
        name = fields.get("SwitchName") or fields.get("BlockName")
        if name:
            sets = tuple({*expand(fields[key])} if fields.get(key) else set() for key in ("Nodes", "Switches"))
            yield name, (sets[0], sets[1])


def _difference(name: str, found: tuple[set[str], set[str]] | None, expected: tuple[set[str], set[str]] | None) -> str:
    if found is None or expected is None:
        return f"{name} is {'missing' if found is None else 'not in the spec'}"
    for got, want, what in ((found[0], expected[0], "nodes"), (found[1], expected[1], "switches")):
        if got != want:
            return f"{name} has {what} {fold(got) or 'none'}, the spec says {fold(want) or 'none'}"
    return ""


def _line(conf: Path, said: str) -> int:
    """The last line whose switch, block or value the words name; 0 where none does."""
    words = set(re.findall(r"[^\s()\"=,;]+", said))
    found = 0
    for number, line in enumerate(conf.read_text(errors="replace").splitlines() if conf.is_file() else (), 1):
        values = [word.partition("=")[2] for word in line.split() if "=" in word]
        if not line.startswith("#") and words.intersection(values):
            found = number
    return found


def _placed(running: Controller, wanted: Mapping[str, Any]) -> Iterator[Check]:
    """Jobs of one and of two units lie inside so many, a large one of a dragonfly goes over all; over two roots is refused."""
    leaf_of = {host: name for name, hosts in _leaves(wanted).items() for host in expand(hosts)}
    for job in wanted["placements"]:
        hosts, said = _hosts(running, job["options"].split())
        name = f"sbatch {job['options']}"
        if job["refused"]:
            yield Check(name, not hosts, said if hosts else "refused, as it would straddle two roots", TOPOLOGY)
            continue
        touched = sorted({leaf_of.get(host, "no leaf") for host in hosts})
        fits = job.get("spread", 1) <= len(touched) <= job["leaves"]
        good = len(hosts) == job["nodes"] and fits and "no leaf" not in touched
        more = f" and {len(touched) - _NAMED} more" if len(touched) > _NAMED else ""
        where = f"{len(hosts)} nodes in {', '.join(touched[:_NAMED])}{more}"
        yield Check(name, good, where if hosts else said, TOPOLOGY)


def _every_node(running: Controller, wanted: Mapping[str, Any]) -> Check:
    """A sample of single nodes: one that is in no leaf never runs a job, and slurmctld says so only in its log."""
    away = set(expand(wanted["unavailable"])) if wanted["unavailable"] else set()
    partition_of = {host: name for name, hosts in reversed(wanted["partitions"].items()) if hosts for host in expand(hosts)}
    groups = [expand(hosts) for hosts in _leaves(wanted).values()] or [expand(wanted["nodes"])] * bool(wanted["nodes"])
    here = [[h for h in group if h not in away and h in partition_of] for group in groups]
    sample = list(dict.fromkeys(h for group in here if group for h in (group[0], group[-1])))[:SAMPLE]
    lost = [h for h in sample if _hosts(running, ["-p", partition_of[h], "-N1", "-w", h])[0] != [h]]
    return Check("every node", not lost, f"never run a job: {fold(lost)}" if lost else f"{len(sample)} asked for alone", NODES)


def _hosts(running: Controller, options: list[str]) -> tuple[list[str], str]:
    """The nodes of a trial job, and what sbatch said."""
    said = running.place(options).text.strip()
    placed = re.search(r" on nodes (\S+)", said)
    try:
        return (expand(placed[1]) if placed else []), said
    except HostlistError:
        return [], said


def _leaves(wanted: Mapping[str, Any]) -> dict[str, str]:
    """Leaf or block -> its nodes as text."""
    leaves = {name: s["nodes"] for name, s in wanted["switches"].items() if "nodes" in s}
    return leaves or dict(wanted["blocks"])


def _leaves_below(name: str, children: Mapping[str, list[str]]) -> list[str]:
    if name not in children:
        return [name]
    return [leaf for child in children[name] for leaf in _leaves_below(child, children)]


def _roots(wanted: Mapping[str, Any]) -> list[str]:
    below = {child for s in wanted["switches"].values() for child in s.get("switches", ())}
    return [name for name in wanted["switches"] if name not in below]
