"""A folder of OpenSM files that somebody already has: each file judged as OpenSM would read it, and against its siblings.

Takes file names and texts (the caller reads the disk). Gives findings with spans.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from ibgen.catalog import Catalog
from ibgen.catalog.opensm import Flavour
from ibgen.diagnostics import Finding

from .findings import MISSING_FILE
from .opensm_conf import Conf, read_conf
from .opensm_kinds import lint_kinds
from .opensm_lists import lint_guids, lint_qos_policy
from .opensm_partitions import lint_partitions
from .opensm_rows import PREFIX_ROUTES, ROWS, lint_rows

CONF = "opensm.conf"
GUID_LISTS = ("root_guid_file", "cn_guid_file", "io_guid_file", "guid_routing_order_file")
NAMES = "node_name_map_name"
USUAL = {"partition_config_file": "partitions.conf", "qos_policy_file": "qos-policy.conf", PREFIX_ROUTES: "prefix-routes.conf"}
"""Files OpenSM reads though opensm.conf does not name them."""


def lint_folder(texts: Mapping[str, str], catalog: Catalog, flavour: Flavour) -> tuple[Finding, ...]:
    """`texts`: path -> text of every file of the folder. A file that opensm.conf names is looked for by its base name."""
    by_name = {PurePosixPath(path).name: path for path in texts}
    findings: list[Finding] = []
    conf: Conf | None = None
    if CONF in by_name:
        conf, found = read_conf(texts[by_name[CONF]], by_name[CONF], catalog, flavour)
        findings.extend(found)
    files: dict[str, tuple[str, str]] = {}
    for option in (*USUAL, *GUID_LISTS, *ROWS, NAMES):
        path, found = _named(option, conf, by_name)
        findings.extend(found)
        if path is None:
            continue
        files[option] = path, texts[path]
        if option == NAMES:
            continue
        if option == "partition_config_file":
            findings.extend(lint_partitions(texts[path], path, conf))
        elif option == "qos_policy_file":
            findings.extend(lint_qos_policy(texts[path], path) if conf is None or conf.is_true("qos") else ())
        elif option in GUID_LISTS:
            findings.extend(lint_guids(texts[path], path))
        else:
            findings.extend(lint_rows(texts[path], path, option))
    return (*findings, *lint_kinds(files))


def _named(option: str, conf: Conf | None, by_name: Mapping[str, str]) -> tuple[str | None, tuple[Finding, ...]]:
    """The file an option means, and a finding where opensm.conf names one that is not in the folder."""
    named = conf.path(option) if conf is not None else None
    if named is None:
        return by_name.get(USUAL.get(option, "")), ()
    name = PurePosixPath(named[0]).name
    if name in by_name:
        return by_name[name], ()
    message = f"`{named[0]}` is not in this folder: OpenSM goes on without it"
    return None, (MISSING_FILE.finding(message, named[1], hint=f"put `{name}` beside opensm.conf, or take the line out"),)
