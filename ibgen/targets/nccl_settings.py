"""Judges the settings a spec gives by hand: is the name one, in this version, with this value, and of any use.

Takes the host class and its `NcclPool`. Gives findings. NCCL itself says nothing to any of these.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from ibgen.catalog import Catalog
from ibgen.catalog.nccl import NcclParameter, parameter, parameters
from ibgen.diagnostics import Finding, Path
from ibgen.spec import ClusterSpec, NcclPool

from .devices import HostClass
from .nccl_findings import (
    DEBUGGING_PARAMETER,
    HCA_LIST,
    PARAMETER_IS_DEFAULT,
    PARAMETER_VALUE,
    PARAMETER_VERSION,
    UNKNOWN_PARAMETER,
    WITHOUT_EFFECT,
)
from .nccl_hcas import exactly, selected

MAX_VALUE = 1023
"""Bytes NCCL keeps of a name or value in nccl.conf (measured); older than 2.23 it writes out of bounds."""


def judge(spec: ClusterSpec, group: HostClass, by_hand: NcclPool, catalog: Catalog, plugin: bool) -> Iterator[Finding]:
    """Findings about every setting of the pool. `plugin`: NCCL's own InfiniBand code does not carry the traffic."""
    version = spec.nccl.version if spec.nccl else ""
    for name, setting in by_hand.settings.items():
        at: Path = ("nccl", "pools", spec.pools[group.pool].name, "settings", name)
        known = parameter(catalog, name)
        if known is None:
            yield _unknown(name, at, catalog)
            continue
        if not known.exists_in(version):
            yield _not_in(known, version, at)
            continue
        fault = value_fault(known, setting.value)
        if fault:
            yield PARAMETER_VALUE.finding(f"{name}: {fault}", (*at, "value"), hint=_legal(known))
        elif known.default_at(version) == setting.value:
            message = f"{name}={setting.value} is what NCCL {version} does anyway"
            yield PARAMETER_IS_DEFAULT.finding(message, (*at, "value"), hint="take it out")
        elif not known.standing:
            message = f"{name} belongs to the debugging chapter of NCCL's guide, not in a file that stays"
            yield DEBUGGING_PARAMETER.finding(message, at, on="key", hint="set it for one job, or silence this with a reason")
        if plugin and name.startswith("NCCL_IB_") and known.owner == "core":
            message = f"{name} has no effect here: a plugin carries the traffic of `{group.platform.id}`"
            yield WITHOUT_EFFECT.finding(message, at, on="key", hint="take it out")
        elif name == "NCCL_IB_HCA":
            yield from _hca_list(group, setting.value, at)


def value_fault(known: NcclParameter, value: str) -> str:
    """What is wrong with a value, or nothing. Lists and free text are only judged for what the parser would mangle."""
    if value != value.strip() or not value:
        return "the value is empty or has a blank at an end, and NCCL trims nothing"
    if len(value.encode()) > MAX_VALUE:
        return f"the value is longer than {MAX_VALUE} bytes"
    if known.kind == "bool":
        return "" if value in ("0", "1") else f"`{value}` is neither 0 nor 1"
    if known.kind in ("int", "bytes"):
        return _number_fault(known, value)
    if known.kind == "enum":
        return "" if value in known.words else f"`{value}` is none of its words"
    if known.kind == "list" and re.search(r"\s", value):
        return "a list with blanks: NCCL takes them as part of a name"
    return ""


def _number_fault(known: NcclParameter, value: str) -> str:
    if not re.fullmatch(r"-?(\d+|0[xX][0-9a-fA-F]+)", value):
        return f"`{value}` is no whole number"
    number = int(value, 0) if "x" in value.lower() else int(value)
    if known.low is not None and number < known.low:
        return f"{number} is below {known.low}"
    if known.high is not None and number > known.high:
        return f"{number} is above {known.high}"
    return ""


def _legal(known: NcclParameter) -> str:
    if known.words:
        return f"one of {', '.join(known.words)}"
    if known.kind == "bool":
        return "0 or 1"
    if known.low is not None and known.high is not None:
        return f"a whole number from {known.low} to {known.high}"
    return "the value is copied as it stands: no quotes, no blanks around it"


def _unknown(name: str, at: Path, catalog: Catalog) -> Finding:
    close = difflib.get_close_matches(name, [p.id for p in parameters(catalog)], n=1, cutoff=0.6)
    hint = f"did you mean {close[0]}?" if close else "take it out; a plugin's own name can be added in a catalog file"
    return UNKNOWN_PARAMETER.finding(f"neither NCCL nor a known plugin reads {name}", at, on="key", hint=hint)


def _not_in(known: NcclParameter, version: str, at: Path) -> Finding:
    gone = known.until is not None and parameter_came(known, version)
    when = f"is gone since {known.until}" if gone else f"came with {known.since}"
    hint = "take it out" if gone else f"raise `nccl.version` to {known.since}, or take it out"
    return PARAMETER_VERSION.finding(f"{known.id} {when}, the spec declares NCCL {version}", at, on="key", hint=hint)


def parameter_came(known: NcclParameter, version: str) -> bool:
    """Whether the parameter's first version is not after this one."""
    return known.model_copy(update={"until": None}).exists_in(version)


def _hca_list(group: HostClass, value: str, at: Path) -> Iterator[Finding]:
    compute = [(hca.name, port) for hca, port in group.compute]
    platform = group.platform
    every = [(h.name, port) for h in platform.hcas if h.link != "efa" for port in range(1, h.ports + 1)]
    every += [(name, 1) for name in platform.excluded_hcas]
    chosen = selected(value, every)
    extra = [name for name in dict.fromkeys(n for n, _ in chosen) if name not in {n for n, _ in compute}]
    lost = [name for name in dict.fromkeys(n for n, _ in compute) if name not in {n for n, _ in chosen}]
    if extra or lost:
        words = [f"takes {', '.join(extra)} too"] * bool(extra) + [f"leaves {', '.join(lost)} out"] * bool(lost)
        hint = f"take the setting out, or write `{exactly(compute)}`"
        yield HCA_LIST.finding(f"NCCL_IB_HCA={value} {' and '.join(words)}", (*at, "value"), hint=hint)
