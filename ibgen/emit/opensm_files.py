"""The lists beside opensm.conf: GUID lists, weights, LIDs, and the policies of QoS and congestion control.

Takes a `Manager` and the rows it decided. Gives texts by file name. One parser reads all GUID lists: `<guid> [rest]`, one a
line; anything glued to a GUID makes OpenSM drop the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import numpy.typing as npt

from ibgen.fabric import Subnet
from ibgen.spec import Congestion, FabricSpec
from ibgen.targets.opensm import Manager
from ibgen.targets.opensm_qos import QosLevel, QosPlan
from ibgen.units import gbps_text

from .text import header

GUIDS_A_LINE = 16
"""The policy's parser has no limit of its own; a person who reads the file has."""

SYNTHETIC = "SYNTHETIC GUIDS: do not install"
"""First line, behind the comment sign, of every file with a GUID that is made up. install.sh looks for it."""


def first_lines(cluster: str, synthetic: bool) -> list[str]:
    """The head of a file that names GUIDs."""
    return [f"# {SYNTHETIC}"] * synthetic + [f"# {header(cluster)}"]


def hex_guids(guids: npt.NDArray[np.uint64]) -> list[str]:
    """GUIDs as OpenSM reads them."""
    return [f"0x{g:016x}" for g in guids.tolist()]


def switch_list(rows: npt.NDArray[np.int32], subnet: Subnet, first: list[str]) -> str:
    """Node GUIDs of switches, in the order given."""
    guids = hex_guids(subnet.switches.guid)
    return _text(first, (f"{guids[r]} # {subnet.switches.names[r]}" for r in rows.tolist()))


def port_list(rows: npt.NDArray[np.int32], subnet: Subnet, names: list[str], first: list[str]) -> str:
    """Port GUIDs of adapters, in the order given."""
    guids = hex_guids(subnet.ports.port_guid)
    return _text(first, (f"{guids[r]} # {names[r]}" for r in rows.tolist()))


def _text(first: Iterable[str], lines: Iterable[str]) -> str:
    return "\n".join([*first, *lines]) + "\n"


def asked_files(manager: Manager, declared: FabricSpec, subnet: Subnet, names: list[str], cluster: str) -> dict[str, str]:
    """Every list that only stands where the spec asks for it."""
    first, plain = first_lines(cluster, manager.synthetic), [f"# {header(cluster)}"]
    plan, asked = manager.files, declared.control.files
    makers: dict[str, Callable[[], str]] = {
        "io-guids.conf": lambda: port_list(plan.storage, subnet, names, [*first, "# port GUIDs of the storage adapters"]),
        "switch-ids.conf": lambda: _text([*first, "# switch GUIDs with ids"], _ids(manager, subnet)),
        "routing-order.conf": lambda: port_list(plan.routing_order, subnet, names, [*first, "# first routed first"]),
        "hop-weights.conf": lambda: _text([*first, "# switch GUID, port, hops; both directions"], _weights(manager, subnet)),
        "port-order.conf": lambda: _text([*first, "# switch GUID, ports, first tried first"], _order(manager, subnet)),
        "guid2lid": lambda: _lids(manager, subnet),
        "prefix-routes.conf": lambda: _text([*plain, "# other subnet, port GUID of a router"], _prefixes(declared)),
        "per-module-logging.conf": lambda: _text(plain, (f"{m} 0x{f:02x}" for m, f in sorted(asked.logging.items()))),
        "qos-policy.conf": lambda: qos_policy(manager.qos, subnet, first) if manager.qos else "",
        "congestion-policy.conf": lambda: _congestion(declared.congestion, plain) if declared.congestion else "",
    }  # fmt: skip
    return {name: makers[name]() for name in manager.lists if name in makers}


def _ids(manager: Manager, subnet: Subnet) -> Iterator[str]:
    guids = hex_guids(subnet.switches.guid)
    for number, row in enumerate(manager.files.switch_ids.tolist(), 1):
        yield f"{guids[row]} {number} # {subnet.switches.names[row]}"


def _weights(manager: Manager, subnet: Subnet) -> Iterator[str]:
    guids = hex_guids(subnet.switches.guid)
    for row, port, weight in manager.files.hop_weights.tolist():
        yield f"{guids[row]} {port} {weight} # {subnet.switches.names[row]}"


def _order(manager: Manager, subnet: Subnet) -> Iterator[str]:
    guids = hex_guids(subnet.switches.guid)
    for row, ports in manager.files.port_order:
        yield f"{guids[row]} {' '.join(map(str, ports))} # {subnet.switches.names[row]}"


def _lids(manager: Manager, subnet: Subnet) -> str:
    """OpenSM's own form: first and last LID of a port, a blank line between ports. It knows no comments (measured: ERR 610B),
    so nothing here says that GUIDs are synthetic; install.sh has opensm.conf beside it to look at."""
    plan, keep = manager.files, manager.listed
    rows = [*zip(plan.switch_lids.tolist(), hex_guids(subnet.switches.guid), strict=True)]
    rows += zip(plan.port_lids[keep].tolist(), hex_guids(subnet.ports.port_guid[keep]), strict=True)
    return "\n".join(f"{guid} 0x{lid:04x} 0x{lid:04x}\n" for lid, guid in sorted(rows))


def _prefixes(declared: FabricSpec) -> Iterator[str]:
    for route in declared.control.files.prefix_routes:
        prefix = "*" if route.prefix is None else f"0x{route.prefix:016x}"
        yield f"{prefix} {'*' if route.router is None else f'0x{route.router:016x}'}"


def qos_policy(plan: QosPlan, subnet: Subnet, first: list[str]) -> str:
    """qos-policy.conf. The section `qos-setup` is left out: OpenSM reads it and does nothing with it (measured)."""
    guids = hex_guids(subnet.ports.port_guid)
    lines = [*first, "# asked by programs that look up a path; NCCL and UCX are told their service level by their own settings"]
    if plan.groups:
        lines += ["", "port-groups"]
        for name, rows in plan.groups:
            members = [guids[r] for r in rows.tolist()]
            chunks = [members[i : i + GUIDS_A_LINE] for i in range(0, len(members), GUIDS_A_LINE)]
            lines += ["    port-group", f"        name: {name}", *(f"        port-guid: {', '.join(c)}" for c in chunks)]
            lines += ["    end-port-group"]
        lines += ["end-port-groups"]
    lines += ["", "qos-levels", *(line for level in plan.levels for line in _level(level)), "end-qos-levels"]
    if plan.rules:
        lines += ["", "qos-match-rules"]
        for rule in plan.rules:
            lines += ["    qos-match-rule", f"        {rule.key}: {rule.value}", f"        qos-level-name: {rule.level}"]
            lines += ["    end-qos-match-rule"]
        lines += ["end-qos-match-rules"]
    lines += ["", "qos-ulps"]
    lines += [f"    ipoib{'' if pkey is None else f', pkey 0x{pkey:04x}'} : {sl}" for pkey, sl in plan.ipoib]
    return "\n".join([*lines, "end-qos-ulps"]) + "\n"


def _level(level: QosLevel) -> Iterator[str]:
    yield from ("    qos-level", f"        name: {level.name}", f"        use: {level.use}", f"        sl: {level.sl}")
    if level.rate is not None and level.rate_gbps is not None:
        yield from (f"        # at most {gbps_text(level.rate_gbps)}", f"        rate-limit: {level.rate}")
    yield "    end-qos-level"


def _congestion(congestion: Congestion, first: list[str]) -> str:
    """NVIDIA's congestion control policy (UFM Enterprise user manual 6.17, "OpenSM Configuration Files for Congestion
    Control"); no manager here has read one yet."""
    parameters = ",".join(f"({name},{value})" for name, value in sorted(congestion.parameters.items()))
    lines = ["ca_algo_import_start", "    algo_start", "        algo_id:1", f"        algo_file_name: {congestion.algorithm}"]
    lines += [f"        parameters: {parameters}"] * bool(parameters)
    return _text(first, [*lines, "    algo_end", "ca_algo_import_end"])
