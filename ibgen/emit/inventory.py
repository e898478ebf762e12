"""The Ansible inventory: hosts by pool, by unit and by role, with the file each host takes from the tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ibgen.compilation import Complete
from ibgen.emit import Artifact, emitter
from ibgen.emit.text import header
from ibgen.fabric import ACTIVE, IslandPlan

_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
"""Plain words that YAML 1.1, which Ansible reads, takes for something else (https://yaml.org/type/bool.html, null.html)."""


@emitter("inventory")
def inventory(c: Complete) -> Iterator[Artifact]:
    """`ansible/inventory.yml`: groups `pool_*`, `class_*`, `unit_*`, `manager_*`; group names as Ansible wants them."""
    lines = [f"# {header(c.spec.cluster)}", "all:", "  children:"]
    variables = _host_variables(c)
    for pool, declared in enumerate(c.spec.pools):
        rows = np.flatnonzero(c.fabric.hosts.pool == pool).tolist()
        lines += _group(f"pool_{declared.name}", [c.fabric.hosts.names[r] for r in rows], variables)
    files = _files(c)
    for host_class in c.targets.classes:
        if host_class.name in files:
            lines += _group(f"class_{host_class.name}", list(host_class.hosts), {})
    for name, hosts in _units(c):
        lines += _group(name, hosts, {})
    for fabric in c.spec.fabrics:
        if fabric.control.hosts:
            lines += _group(f"manager_{fabric.name}", list(fabric.control.hosts), {})
    yield Artifact("ansible/inventory.yml", ("\n".join(lines) + "\n").encode())


def group_name(name: str) -> str:
    """A name as an Ansible group: letters, digits and underscores."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _group(name: str, hosts: list[str], variables: dict[str, str]) -> Iterator[str]:
    yield f"    {group_name(name)}:"
    yield "      hosts:" if hosts else "      hosts: {}"
    for host in hosts:
        yield f"        {_key(host)}: {variables.get(host, '{}')}"


def _key(host: str) -> str:
    """A host as a YAML key that stays text: unquoted, `1e3`, `0x1`, `12` and `no` are numbers and a truth value."""
    return host if re.match(r"[A-Za-z]", host) and host.lower() not in _WORDS else f'"{host}"'


def _host_variables(c: Complete) -> dict[str, str]:
    """Host -> its variables, in flow style."""
    slots = dict(zip(c.fabric.hosts.names, c.fabric.hosts.slot.tolist(), strict=True))
    states = dict(zip(c.fabric.hosts.names, c.fabric.hosts.state.tolist(), strict=True))
    files = _files(c)
    result = {}
    for host_class in c.targets.classes:
        conf = "".join(f", ibgen_{name}: {path}" for name, path in files.get(host_class.name, {}).items())
        for host in host_class.hosts:
            state = "" if states[host] == ACTIVE else f", ibgen_state: {('active', 'planned', 'down')[states[host]]}"
            result[host] = f"{{ibgen_slot: {slots[host]}, ibgen_class: {host_class.name}{conf}{state}}}"
    return result


def _files(c: Complete) -> dict[str, dict[str, str]]:
    """Class -> name of a variable (without `ibgen_`) -> file of the tree."""
    files: dict[str, dict[str, str]] = {}
    for nccl in c.targets.nccl:
        files.setdefault(nccl.name, {})["nccl_conf"] = f"nccl/{nccl.name}.conf"
        if nccl.probe is not None:
            files[nccl.name]["nccl_pkey"] = f"nccl/{nccl.name}-pkey.sh"
    for ucx in c.targets.ucx:
        if ucx.conf:
            files.setdefault(ucx.name, {})["ucx_conf"] = f"ucx/{ucx.name}.conf"
        if ucx.exports:
            files.setdefault(ucx.name, {})["ucx_exports"] = f"ucx/{ucx.name}.sh"
    for script in c.targets.functions:
        files.setdefault(script.name, {})["sriov"] = f"sriov/{script.name}.sh"
    return files


def _units(c: Complete) -> Iterator[tuple[str, list[str]]]:
    """Units of every fabric, by the leaves their hosts plug into. The rails of a rail-only fabric have the same units."""
    for subnet in c.fabric.subnets:
        rails = isinstance(subnet.layout, IslandPlan)
        if subnet.switches.rail[0] > 0 if rails else subnet.plane != 1:
            continue
        name = c.spec.fabrics[subnet.fabric].name if rails else subnet.name
        unit = subnet.switches.unit[subnet.ports.leaf]
        for u in np.unique(unit[subnet.ports.rail >= 0]).tolist():
            hosts = np.unique(subnet.ports.host[(unit == u) & (subnet.ports.rail >= 0)]).tolist()
            if u:
                yield f"unit_{name}_{u:02d}", [c.fabric.hosts.names[h] for h in hosts]
