"""The lines of opensm.conf: only options that differ from the manager's default, each with its group and its reason.

Gives `derived_options` (what follows from the spec and the fabric), `given_options` (what stands under `control.options`,
judged by the catalog's table) and `merged` (the user's word wins).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ibgen.catalog import Catalog
from ibgen.catalog.opensm import KIND, option
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import Control

from .opensm_findings import MANAGER_OPTION, MANAGER_SECRET

DEFAULT_PREFIX = 0xFE80000000000000
"""The default subnet prefix (InfiniBand Architecture Specification, volume 1, 4.1.1: the link-local prefix)."""

DEFAULT_FOLDER = "/etc/opensm"

SECRETS = frozenset({"m_key", "sm_key", "sa_key", "cc_key"})

GROUPS = ("Port and subnet", "Partitions", "Routing", "Handover", "Virtual functions", "Names and logs", "From control.options")


@dataclass(frozen=True, slots=True)
class Option:
    """One line of opensm.conf: `name value`, under the heading `group`, behind a comment that says why."""

    group: str
    name: str
    value: str
    reason: str


def derived_options(
    control: Control,
    *,
    engines: tuple[str, ...],
    hosts: Sequence[tuple[str, str, int, int]],
    folder: str,
    roots: bool,
    compute: bool,
    service_levels: Sequence[int],
    virtual: bool,
) -> list[Option]:
    """What the spec and the fabric ask for. `hosts`: (host, adapter, port GUID, priority), the master first; `roots` and
    `compute`: whether an engine reads those files; `virtual`: whether hosts have virtual functions."""
    here, partitions, routing, handover, functions, names, _ = GROUPS
    made: list[Option] = []
    if hosts:
        host, hca, guid, _ = hosts[0]
        why = f"{host} {hca}; left out, OpenSM takes the first port it finds, which may be another fabric's"
        made.append(Option(here, "guid", f"0x{guid:016x}", why))
    if control.subnet_prefix != DEFAULT_PREFIX:
        why = "a prefix of its own, so that hosts can tell their subnets apart"
        made.append(Option(here, "subnet_prefix", f"0x{control.subnet_prefix:016x}", why))
    if folder != DEFAULT_FOLDER:
        why = "several managers are described: each has its own folder"
        made.append(Option(partitions, "partition_config_file", f"{folder}/partitions.conf", why))
    if any(service_levels):
        why = "a partition's service level is 0 on the wire unless QoS is on"
        made.append(Option(partitions, "qos", "TRUE", why))
    why = "in the order they are tried; minhop comes last by itself"
    made.append(Option(routing, "routing_engine", ",".join(engines), why))
    if roots:
        why = "the whole top tier; found automatically the roots may be wrong"
        made.append(Option(routing, "root_guid_file", f"{folder}/root-guids.conf", why))
    if compute:
        why = "the compute ports; storage and service hosts must not shape the tree"
        made.append(Option(routing, "cn_guid_file", f"{folder}/cn-guids.conf", why))
    if len(hosts) > 1:
        why = "the master's; install.sh writes a standby's own: " + ", ".join(f"{h} {p}" for h, _, _, p in hosts[1:])
        made.append(Option(handover, "sm_priority", str(hosts[0][3]), why))
    if virtual and control.flavour == "nvidia":
        made.append(Option(functions, "virt_enabled", "2", "ports of virtual functions stay down without it"))
    made.append(Option(names, "node_name_map_name", f"{folder}/node-name-map", "names instead of GUIDs in the log"))
    if folder != DEFAULT_FOLDER:
        log = f"/var/log/opensm.{folder.rpartition('/')[2]}.log"
        made.append(Option(names, "log_file", log, "several managers are described: each has its own log"))
    return made


def given_options(control: Control, fabric: int, catalog: Catalog) -> tuple[tuple[Option, ...], list[Finding]]:
    """The options under `control.options` as OpenSM wants them written, and what is wrong with the rest."""
    made: list[Option] = []
    findings: list[Finding] = []
    for name, value in sorted(control.options.items()):
        at = ("fabrics", fabric, "control", "options", name)
        if name in SECRETS:
            hint = "take it out; keys are set on the manager's host"
            findings.append(MANAGER_SECRET.finding(f"`{name}` is a secret", at, on="key", hint=hint))
            continue
        known = option(catalog, name)
        if known is None or not known.known_to(control.flavour):
            findings.append(_unknown(control, name, known is not None, catalog, at))
            if known is not None or control.flavour == "upstream":
                continue
        try:
            text = known.written(value) if known else value.strip()
        except ValueError as e:
            findings.append(MANAGER_OPTION.finding(f"`{name}`: {e}", at, label=f"`{value}`", hint=f"`{name}` {e}"))
            continue
        made.append(Option(GROUPS[-1], name, text, "asked for in the spec"))
    return tuple(made), findings


def _unknown(control: Control, name: str, elsewhere: bool, catalog: Catalog, at: tuple[str | int, ...]) -> Finding:
    if elsewhere:
        hint = "take it out, or say `flavour: nvidia`"
        return MANAGER_OPTION.finding(f"only NVIDIA's manager knows `{name}`", at, on="key", hint=hint)
    near = catalog.near(KIND, name)
    hint = f"did you mean {' or '.join(f'`{n}`' for n in near)}?" if near else "see `opensm -c FILE` for its options"
    # NVIDIA's list is gathered from release notes and may lack some: a name that is not in it is a doubt, no fault.
    severity = Severity.WARNING if control.flavour == "nvidia" else None
    return MANAGER_OPTION.finding(f"no option `{name}` is known", at, on="key", hint=hint, severity=severity)


def merged(derived: Iterable[Option], given: Iterable[Option]) -> tuple[Option, ...]:
    """Both, in the order of the groups. An option that is both derived and given stands once, as given."""
    theirs = {o.name: o for o in given}
    kept = [o for o in derived if o.name not in theirs]
    return tuple(sorted([*kept, *theirs.values()], key=lambda o: GROUPS.index(o.group)))
