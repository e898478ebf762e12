"""The lines of opensm.conf: only options that differ from the manager's default, each with its group and its reason.

Gives `derived_options` (what follows from the spec and the fabric) and `given_options` (what stands under
`control.options`, judged by the catalog's table).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ibgen.catalog import Catalog
from ibgen.catalog.opensm import FAMILIES, KIND, option, unknown_engines
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import Control

from .opensm_findings import MANAGER_OPTION, MANAGER_SECRET
from .opensm_lines import Option
from .opensm_routing import Choice

DEFAULT_PREFIX = 0xFE80000000000000
"""The default subnet prefix (InfiniBand Architecture Specification, volume 1, 4.1.1: the link-local prefix)."""

DEFAULT_FOLDER = "/etc/opensm"

SECRETS = frozenset({"m_key", "sm_key", "sa_key", "cc_key", "key_mgr_seed"})

HERE, PARTITIONS, ROUTING, HANDOVER, FUNCTIONS, NAMES = (
    "Port and subnet", "Partitions", "Routing", "Handover", "Virtual functions", "Names and logs",
)  # fmt: skip
FROM_SPEC = "From control.options"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a manager when its options are derived."""

    control: Control
    choice: Choice
    hosts: Sequence[tuple[str, str, int, int]]  # (host, adapter, port GUID, priority), the master first
    folder: str
    files: tuple[str, ...]  # the lists it has, by file name
    reverse_hops: int | None
    virtual: bool  # whether hosts have virtual functions
    prefix: int  # of this subnet: the fabric's, counted up from one plane (or rail) to the next


def derived_options(known: Known) -> Iterator[Option]:
    """What the spec and the fabric ask for, without QoS and what rests on it (`opensm_traffic`)."""
    control, folder = known.control, known.folder
    if known.hosts:
        host, hca, guid, _ = known.hosts[0]
        yield guid_option(host, hca, guid)
    if known.prefix != DEFAULT_PREFIX:
        why = "a prefix of its own, so that hosts can tell their subnets apart"
        yield Option(HERE, "subnet_prefix", f"0x{known.prefix:016x}", why)
    if folder != DEFAULT_FOLDER:
        why = "several managers are described: each has its own folder"
        yield Option(PARTITIONS, "partition_config_file", f"{folder}/partitions.conf", why)
    yield from _routing(known)
    if len(known.hosts) > 1:
        host, _, _, priority = known.hosts[0]
        yield priority_option(host, priority, known.hosts)
    if "guid2lid" in known.files:
        why = "a manager that takes over reads the LIDs of its file, not only one that starts"
        yield Option(HANDOVER, "honor_guid2lid_file", "TRUE", why)
    if known.virtual and control.flavour == "nvidia":
        yield Option(FUNCTIONS, "virt_enabled", "2", "ports of virtual functions stay down without it")
    yield Option(NAMES, "node_name_map_name", f"{folder}/node-name-map", "names instead of GUIDs in the log")
    if "per-module-logging.conf" in known.files and folder != DEFAULT_FOLDER:
        yield Option(NAMES, "per_module_logging_file", f"{folder}/per-module-logging.conf", "log flags of single modules")
    if folder != DEFAULT_FOLDER:
        log = f"/var/log/opensm.{folder.rpartition('/')[2]}.log"
        yield Option(NAMES, "log_file", log, "several managers are described: each has its own log")


LISTS = (
    ("root_guid_file", "root-guids.conf", "the whole top tier; found automatically the roots may be wrong"),
    ("cn_guid_file", "cn-guids.conf", "the compute ports; storage and service hosts must not shape the tree"),
    ("io_guid_file", "io-guids.conf", "the storage ports, which may be reached the wrong way"),
    ("ids_guid_file", "switch-ids.conf", "ties between equal ranks by the switches' order, not by GUID"),
    ("guid_routing_order_file", "routing-order.conf", "ports are routed in the order of the hosts, not by GUID"),
    ("hop_weights_file", "hop-weights.conf", "cables that count for more than one hop"),
    ("port_search_ordering_file", "port-order.conf", "ports in the order they are tried"),
)
"""Lists of the routing engines: option, file, reason."""


def _routing(known: Known) -> Iterator[Option]:
    why = "in the order they are tried; minhop comes last by itself"
    if known.choice.reason:
        why = f"chosen: {known.choice.reason}"
    yield Option(ROUTING, "routing_engine", ",".join(known.choice.engines), why)
    for option_name, file, reason in LISTS:
        if file in known.files:
            yield Option(ROUTING, option_name, f"{known.folder}/{file}", reason)
    if known.reverse_hops and "io-guids.conf" in known.files:
        yield Option(ROUTING, "max_reverse_hops", str(known.reverse_hops), "as far as that may go")
    if "prefix-routes.conf" in known.files and known.folder != DEFAULT_FOLDER:
        yield Option(ROUTING, "prefix_routes_file", f"{known.folder}/prefix-routes.conf", "routers to other subnets")


def guid_option(host: str, hca: str, guid: int) -> Option:
    """The port a manager works through."""
    why = f"{host} {hca}; left out, OpenSM takes the first port it finds, which may be another fabric's"
    return Option(HERE, "guid", f"0x{guid:016x}", why)


def priority_option(host: str, priority: int, hosts: Sequence[tuple[str, str, int, int]]) -> Option:
    """Who is the master: the highest."""
    others = ", ".join(f"{h} has {p}" for h, _, _, p in hosts if h != host)
    return Option(HANDOVER, "sm_priority", str(priority), f"the highest is the master: {others}")


def given_options(control: Control, fabric: int, catalog: Catalog) -> tuple[tuple[Option, ...], list[Finding]]:
    """The options under `control.options` as OpenSM wants them written, and what is wrong with the rest."""
    made: list[Option] = []
    findings: list[Finding] = []
    for name, value in sorted(control.options.items()):
        at = ("fabrics", fabric, "control", "options", name)
        if name in SECRETS:
            hint = f"say where the key lies: `secrets: {{{name}: {{file: /etc/opensm/keys/{name}}}}}`"
            findings.append(MANAGER_SECRET.finding(f"`{name}` is a secret", at, on="key", hint=hint))
            continue
        known = option(catalog, name)
        if known is None and control.flavour == "nvidia" and name.startswith(FAMILIES):
            made.append(Option(FROM_SPEC, name, value.strip(), "asked for in the spec; its values are in no public list"))
            continue
        if known is None or not known.known_to(control.flavour):
            findings.append(_unknown(control, name, known is not None, catalog, at))
            if known is not None or control.flavour == "upstream":
                continue
        if name == "routing_engine" and (strange := unknown_engines(value, control.flavour)):
            words = f"{control.flavour} OpenSM has no routing engine `{strange[0]}`: the next one routes, or minhop"
            findings.append(MANAGER_OPTION.finding(words, at, hint="name one it has, under `control.routing`"))
            continue
        try:
            text = known.written(value) if known else value.strip()
        except ValueError as e:
            findings.append(MANAGER_OPTION.finding(f"`{name}`: {e}", at, label=f"`{value}`", hint=f"`{name}` {e}"))
            continue
        made.append(Option(FROM_SPEC, name, text, "asked for in the spec"))
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
